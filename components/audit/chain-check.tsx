"use client";

import { RefreshCwIcon } from "lucide-react";
import { useFormatter, useTranslations } from "use-intl";
import { useAuditCheck } from "@/lib/client/audit";
import { CallError } from "../forms/call-error";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Lamp } from "../ui/lamp";
import { Notice } from "../ui/notice";

/** Whether every row still follows from the one before it, and the hash that proves the end. */
export function ChainCheck() {
  const t = useTranslations("audit.chain");
  const format = useFormatter();
  const { data: check, error, isValidating, mutate } = useAuditCheck();
  if (error && !check) return <CallError className="mb-6" error={error} onRetry={() => void mutate()} />;
  if (check && !check.whole && check.broken_at !== null) {
    return (
      <Notice
        tone="bad"
        isLive
        className="mb-6"
        title={t("broken", { seq: format.number(check.broken_at, { numberingSystem: "latn" }) })}
      >
        {t("brokenText", { rows: check.rows })}
      </Notice>
    );
  }
  return (
    <section className="mb-6 grid gap-x-6 gap-y-3 rounded-md border bg-panel p-4 md:grid-cols-[minmax(0,1fr)_auto] md:items-center">
      <div className="grid gap-1">
        <p role="status" className="flex items-center gap-2 font-medium">
          <Lamp tone={check ? "good" : "off"} />
          {check ? t("whole", { rows: check.rows }) : t("checking")}
        </p>
        <p className="max-w-prose text-sm text-ink-muted">{t("wholeText")}</p>
      </div>
      <div className="flex min-h-10 min-w-0 items-center gap-2">
        {check?.newest_hash ? (
          <span className="grid min-w-0 text-sm">
            <span className="text-ink-faint">{t("newest")}</span>
            <code className="truncate" title={check.newest_hash}>
              {check.newest_hash.slice(0, 16)}…
            </code>
          </span>
        ) : null}
        {check?.newest_hash ? <CopyButton value={check.newest_hash} name={t("copy")} /> : null}
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label={t("again")}
          title={t("again")}
          isBusy={isValidating && check !== undefined}
          onClick={() => void mutate()}
        >
          <RefreshCwIcon />
        </Button>
      </div>
    </section>
  );
}
