"use client";

import { useTranslations } from "use-intl";
import { CopyButton } from "../ui/copy-button";
import { Notice } from "../ui/notice";

/** A key, shown for the only time. */
export function KeyReveal({ secret, onCopied }: { secret: string; onCopied?(): void }) {
  const t = useTranslations("keys.reveal");
  return (
    <div className="grid gap-3">
      <div className="flex flex-col gap-3 rounded-md border border-line-strong/60 bg-sunken p-3 sm:flex-row sm:items-center sm:gap-2 sm:py-2 sm:pr-2 sm:pl-4">
        <code data-testid="api-key" className="min-w-0 flex-1 break-all text-base select-all">
          {secret}
        </code>
        <CopyButton value={secret} label={t("copy")} onCopied={onCopied} />
      </div>
      <Notice tone="warn" title={t("once")}>
        {t("onceText")}
      </Notice>
    </div>
  );
}
