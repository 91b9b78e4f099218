"use client";

import { useTranslations } from "use-intl";
import { CopyButton } from "../ui/copy-button";
import { Notice } from "../ui/notice";

/** A key, shown for the only time. */
export function KeyReveal({ secret, onCopied }: { secret: string; onCopied?(): void }) {
  const t = useTranslations("keys.reveal");
  return (
    <div className="grid gap-3">
      <div className="flex items-center gap-2 rounded-md border border-line-strong/60 bg-sunken py-2 pr-2 pl-4">
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
