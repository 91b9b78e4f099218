"use client";

import { InfoIcon } from "lucide-react";
import { useTranslations } from "use-intl";

/** What the built-in model can and cannot tell, in one line; the rest on demand. */
export function LexicalNote() {
  const t = useTranslations("embeddings.lexical");
  return (
    <details className="group justify-self-start rounded-md bg-info-soft px-3 py-2 text-sm text-ink">
      <summary className="flex flex-wrap items-center gap-x-2 rounded-sm [&::-webkit-details-marker]:hidden">
        <InfoIcon aria-hidden="true" className="size-4 shrink-0 text-info" />
        <span className="font-medium">{t("title")}</span>
        <span className="text-ink-muted underline decoration-line-strong underline-offset-4 group-open:hidden">
          {t("more")}
        </span>
      </summary>
      <p className="mt-1 max-w-[80ch] pb-1 pl-6 text-ink-muted">{t("text")}</p>
    </details>
  );
}
