"use client";

import { useTranslations } from "use-intl";
import type { VoiceInstallation } from "@/lib/contracts/console/local-voices";
import { useAmounts } from "../charts/use-amounts";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { Progress } from "../ui/progress";

/** What is being installed, with its progress, and what failed, with the reason; nothing without either. */
export function Installations({
  installations,
  onCancel,
}: {
  installations: readonly VoiceInstallation[];
  /** Cancels, or dismisses one that ended. */
  onCancel(name: string): Promise<void>;
}) {
  const t = useTranslations("localVoices.installation");
  if (installations.length === 0) return null;
  return (
    <ul aria-label={t("label")} className="grid gap-3">
      {installations.map((one) => (
        <li key={one.name}>
          {one.state === "running" ? (
            <Running installation={one} onCancel={onCancel} />
          ) : (
            <Notice
              tone={one.state === "failed" ? "bad" : "warn"}
              title={t(one.state, { name: one.name })}
              isLive
            >
              <p className="break-words">{one.error ?? t("interruptedText")}</p>
              <Button variant="outline" size="sm" className="mt-2" onClick={() => void onCancel(one.name)}>
                {t("dismiss")}
              </Button>
            </Notice>
          )}
        </li>
      ))}
    </ul>
  );
}

function Running({
  installation: { name, stage, done_bytes: done, total_bytes: total },
  onCancel,
}: {
  installation: VoiceInstallation;
  onCancel(name: string): Promise<void>;
}) {
  const t = useTranslations("localVoices.installation");
  const { bytes } = useAmounts();
  const size = total === null ? bytes(done) : t("of", { done: bytes(done), total: bytes(total) });
  return (
    <div className="grid gap-2 rounded-md border bg-panel p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <code className="min-w-0 break-all">{name}</code>
        <span className="tabular text-sm text-ink-muted">
          {t(stage)}
          {stage === "verify" ? null : ` · ${size}`}
        </span>
        <Button
          variant="ghost"
          size="sm"
          className="ml-auto"
          aria-label={t("cancelNamed", { name })}
          onClick={() => void onCancel(name)}
        >
          {t("cancel")}
        </Button>
      </div>
      <Progress
        label={t("progress", { name })}
        {...(stage === "download" && total !== null ? { value: done, max: total } : {})}
      />
    </div>
  );
}
