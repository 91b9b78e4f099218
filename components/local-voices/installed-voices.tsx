"use client";

import { AudioLinesIcon, MicVocalIcon } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { InstalledVoice, LocalVoiceList } from "@/lib/contracts/console/local-voices";
import { useAmounts } from "../charts/use-amounts";
import { useServerText } from "../forms/use-server-text";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { Notice } from "../ui/notice";

interface Acts {
  onVerify(voice: InstalledVoice): Promise<void>;
  onMap(name: string): void;
  onRemove(name: string): void;
}

/** The installed voices, and the folders of voices that cannot be used. */
export function InstalledVoices({ list: { installed, broken }, ...acts }: Acts & { list: LocalVoiceList }) {
  const t = useTranslations("localVoices.installed");
  const serverText = useServerText();
  return (
    <section aria-labelledby="installed" className="grid gap-3">
      <h2 id="installed" className="text-lg">
        {t("title")}
      </h2>
      {broken.map(({ name, file, reason }) => (
        <Notice key={name} tone="bad" title={t("broken", { name })}>
          <p className="break-words">
            {file === "" ? null : <code className="break-all">{file}: </code>}
            {serverText(reason)}
          </p>
          <Button variant="outline" size="sm" className="mt-2" onClick={() => acts.onRemove(name)}>
            {t("removeNamed", { name })}
          </Button>
        </Notice>
      ))}
      {installed.length > 0 ? (
        <ul className="divide-y rounded-md border bg-panel">
          {installed.map((voice) => (
            <Installed key={voice.name} voice={voice} {...acts} />
          ))}
        </ul>
      ) : broken.length > 0 ? null : (
        <EmptyState icon={<MicVocalIcon />} title={t("empty.title")}>
          {t("empty.text")}
        </EmptyState>
      )}
    </section>
  );
}

function Installed({ voice, onVerify, onMap, onRemove }: Acts & { voice: InstalledVoice }) {
  const t = useTranslations("localVoices.installed");
  const serverText = useServerText();
  const [isVerifying, setVerifying] = useState(false);
  const { name, channel, failure } = voice;
  return (
    <li className="grid gap-4 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="mr-1 min-w-0 font-medium">
          <code className="break-all">{name}</code>
        </h3>
        <Badge tone="outline">{t(`kind.${voice.kind}`)}</Badge>
        {voice.is_loaded ? <Badge tone="good">{t("loaded")}</Badge> : null}
      </div>
      <Facts voice={voice} />
      {failure === null ? null : (
        <Notice tone="bad" title={t("failure")}>
          {serverText(failure)}
        </Notice>
      )}
      {channel === null ? <Notice tone="warn">{t("noChannel")}</Notice> : null}
      <div className="flex flex-wrap gap-2">
        {channel === null ? null : (
          <>
            <Button asChild size="sm">
              <Link prefetch={false} href={`/playground/speech#model=${encodeURIComponent(name)}`}>
                <AudioLinesIcon aria-hidden="true" />
                {t("try")}
              </Link>
            </Button>
            <Button variant="outline" size="sm" onClick={() => onMap(name)}>
              {t("map")}
            </Button>
          </>
        )}
        <Button
          variant="outline"
          size="sm"
          isBusy={isVerifying}
          aria-label={t("verifyNamed", { name })}
          onClick={() => {
            setVerifying(true);
            void onVerify(voice).finally(() => setVerifying(false));
          }}
        >
          {t("verify")}
        </Button>
        <Button
          variant="ghost"
          size="sm"
          className="text-bad sm:ml-auto"
          aria-label={t("removeNamed", { name })}
          onClick={() => onRemove(name)}
        >
          {t("remove")}
        </Button>
      </div>
    </li>
  );
}

function Facts({ voice }: { voice: InstalledVoice }) {
  const t = useTranslations("localVoices.installed");
  const { bytes, count } = useAmounts();
  const { real_time_factor: factor, speakers, archive_sha256: digest } = voice;
  const names = speakers.map((speaker) => speaker.name).join(", ");
  return (
    <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-sm sm:grid-cols-[9rem_minmax(0,1fr)_9rem_minmax(0,1fr)] [&>dt]:text-ink-faint">
      <dt>{t("languages")}</dt>
      <dd>{voice.languages.join(", ") || t("unknown")}</dd>
      <dt>{t("factor")}</dt>
      <dd className="tabular" title={t("factorHint")}>
        {factor === null ? (
          <span className="text-ink-muted">{t("notMeasured")}</span>
        ) : (
          <span className={factor > 1 ? "text-warn" : undefined}>
            {factor.toFixed(2)} <span className="text-ink-muted">{t(factor > 1 ? "slower" : "faster")}</span>
          </span>
        )}
      </dd>
      <dt>{t("speakers")}</dt>
      <dd className="truncate" title={names}>
        {count(speakers.length)} <span className="text-ink-muted">· {names}</span>
      </dd>
      <dt>{t("rate")}</dt>
      <dd className="tabular">{`${voice.sample_rate / 1_000} kHz`}</dd>
      <dt>{t("size")}</dt>
      <dd className="tabular">{bytes(voice.size_bytes)}</dd>
      <dt>{t("digest")}</dt>
      <dd className="truncate" title={digest ?? undefined}>
        {digest === null ? <span className="text-ink-muted">{t("noDigest")}</span> : <code>{digest}</code>}
      </dd>
    </dl>
  );
}
