"use client";

import { useTranslations } from "use-intl";
import { CopyButton } from "../ui/copy-button";

/** Copies a link with the page's state in its fragment. */
export function ShareButton({ fragment }: { fragment(): string }) {
  const t = useTranslations("playground");
  const link = () => {
    const { origin, pathname } = window.location;
    return `${origin}${pathname}${fragment()}`;
  };
  return <CopyButton value={link} label={t("share")} title={t("shareHint")} />;
}
