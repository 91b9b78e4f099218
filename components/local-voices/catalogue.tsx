"use client";

import { DownloadIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import type { AvailableVoice, LocalVoiceList } from "@/lib/contracts/console/local-voices";
import { useAmounts } from "../charts/use-amounts";
import { useServerText } from "../forms/use-server-text";
import { Button } from "../ui/button";
import { Facts } from "../ui/facts";
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from "../ui/table";

interface CatalogueProps {
  list: LocalVoiceList;
  onDownload(name: string): Promise<void>;
}

/** The voices that can be downloaded by name. */
export function Catalogue({ list, onDownload }: CatalogueProps) {
  const t = useTranslations("localVoices.catalogue");
  const { catalogue, installations, has_mirror: hasMirror } = list;
  const busy = new Set(installations.flatMap(({ name, state }) => (state === "running" ? [name] : [])));
  const failures = new Map(
    installations.flatMap(({ name, state, error }) => (state === "failed" ? [[name, error] as const] : [])),
  );
  const host = catalogue[0]?.host ?? "";
  const button = (voice: AvailableVoice) => (
    <DownloadButton voice={voice} isRunning={busy.has(voice.name)} onDownload={onDownload} />
  );
  return (
    <section aria-labelledby="catalogue" className="grid gap-3">
      <div className="grid max-w-prose gap-1">
        <h2 id="catalogue" className="text-lg">
          {t("title")}
        </h2>
        <p className="text-ink-muted">{t(hasMirror ? "fromMirror" : "fromPublisher", { host })}</p>
      </div>
      {catalogue.length === 0 ? (
        <p className="text-ink-muted">{t("empty")}</p>
      ) : (
        <>
          <Rows catalogue={catalogue} buttonOf={button} />
          <Cards catalogue={catalogue} buttonOf={button} failures={failures} />
        </>
      )}
      <p className="max-w-prose text-sm text-ink-muted">{t("trust")}</p>
    </section>
  );
}

interface VoicesProps {
  catalogue: readonly AvailableVoice[];
  buttonOf(voice: AvailableVoice): ReactNode;
}

/** The voices on wide screens. */
function Rows({ catalogue, buttonOf }: VoicesProps) {
  const t = useTranslations("localVoices.catalogue");
  return (
    <div className="hidden md:block">
      <Table aria-labelledby="catalogue">
        <TableHeader>
          <tr>
            {(["name", "languages", "quality", "size", "licence", "digest"] as const).map((column) => (
              <TableHead key={column}>{t(column)}</TableHead>
            ))}
            <TableHead>
              <span className="sr-only">{t("action")}</span>
            </TableHead>
          </tr>
        </TableHeader>
        <TableBody>
          {catalogue.map((voice) => (
            <TableRow key={voice.name}>
              <TableCell>
                <code className="break-all">{voice.name}</code>
              </TableCell>
              <TableCell>{voice.languages.join(", ")}</TableCell>
              <TableCell>{t(`grade.${voice.quality}`)}</TableCell>
              <TableCell className="tabular whitespace-nowrap">
                <Size voice={voice} />
              </TableCell>
              <TableCell>{voice.licence}</TableCell>
              <TableCell>
                <Digest voice={voice} />
              </TableCell>
              <TableCell className="w-0 text-right">{buttonOf(voice)}</TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </div>
  );
}

/** The voices on narrow screens, each with the error of its failed installation: the notice is far up the page. */
function Cards({ catalogue, buttonOf, failures }: VoicesProps & { failures: Map<string, string | null> }) {
  const t = useTranslations("localVoices.catalogue");
  const serverText = useServerText();
  return (
    <ul aria-labelledby="catalogue" className="divide-y rounded-md border bg-panel md:hidden">
      {catalogue.map((voice) => (
        <li key={voice.name} className="grid gap-2 p-4">
          <code className="break-all">{voice.name}</code>
          <Facts className="text-sm text-ink-muted">
            {voice.languages.join(", ")}
            {t(`grade.${voice.quality}`)}
            <Size voice={voice} />
            {voice.licence}
          </Facts>
          {failures.get(voice.name) ? (
            <p className="text-sm wrap-anywhere text-bad">{serverText(failures.get(voice.name) ?? "")}</p>
          ) : null}
          <div>{buttonOf(voice)}</div>
        </li>
      ))}
    </ul>
  );
}

function Size({ voice: { size_mb: size } }: { voice: AvailableVoice }) {
  const t = useTranslations("localVoices.catalogue");
  return size === null ? <span className="text-ink-muted">{t("sizeUnknown")}</span> : `${size} MB`;
}

function Digest({ voice: { sha256, sha256_from: from } }: { voice: AvailableVoice }) {
  const t = useTranslations("localVoices.catalogue");
  if (sha256 === null || from === null) return <span className="text-ink-muted">{t("digestNone")}</span>;
  return (
    <span title={sha256}>
      <code>{sha256.slice(0, 8)}</code> <span className="text-ink-muted">{t(`digestFrom.${from}`)}</span>
    </span>
  );
}

function DownloadButton({
  voice: { name, partial_bytes: partial },
  isRunning,
  onDownload,
}: {
  voice: AvailableVoice;
  isRunning: boolean;
  onDownload(name: string): Promise<void>;
}) {
  const t = useTranslations("localVoices.catalogue");
  const { bytes } = useAmounts();
  const [isStarting, setStarting] = useState(false);
  const isResumed = partial > 0 && !isRunning;
  return (
    <Button
      variant="outline"
      size="sm"
      isBusy={isStarting}
      disabled={isRunning}
      aria-label={t(isResumed ? "resumeNamed" : "downloadNamed", { name })}
      onClick={() => {
        setStarting(true);
        void onDownload(name).finally(() => setStarting(false));
      }}
    >
      <DownloadIcon aria-hidden="true" />
      {isResumed ? t("resume", { size: bytes(partial) }) : t(isRunning ? "downloading" : "download")}
    </Button>
  );
}
