"use client";

import { useTranslations } from "use-intl";
import { SecretBox } from "./secret-box";

/** A key, shown for the only time. */
export function KeyReveal({ secret }: { secret: string }) {
  const t = useTranslations("apiKeys.reveal");
  const words = { copy: t("copy"), once: t("once"), onceText: t("onceText") };
  return <SecretBox secret={secret} name="api-key" words={words} />;
}
