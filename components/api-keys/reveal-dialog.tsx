"use client";

import { useTranslations } from "use-intl";
import type { ApiKeyWithSecret } from "@/lib/contracts/console/api-keys";
import { SecretDialog } from "../forms/secret-dialog";

/** A new key, shown for the only time. */
export function RevealDialog({
  made,
  graceHours,
  onClose,
}: {
  made: ApiKeyWithSecret;
  /** After a rotation: how long the old key goes on. */
  graceHours: number | null;
  onClose(): void;
}) {
  const t = useTranslations("apiKeys.reveal");
  const text =
    graceHours === null ? t("text") : graceHours === 0 ? t("noGrace") : t("grace", { hours: graceHours });
  const words = {
    title: t("title", { name: made.name }),
    text,
    copy: t("copy"),
    once: t("once"),
    onceText: t("onceText"),
    done: t("done"),
  };
  return <SecretDialog secret={made.key} name="api-key" words={words} onClose={onClose} />;
}
