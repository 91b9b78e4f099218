"use client";

import { useTranslations } from "use-intl";
import type { ApiKeyWithSecret } from "@/lib/contracts/console/api-keys";
import { SecretDialog } from "../forms/secret-dialog";

/** Shows a new key's secret, which is shown only once. */
export function RevealDialog({
  created,
  graceHours,
  onClose,
}: {
  created: ApiKeyWithSecret;
  /** After a rotation: how long the old key stays valid; null for a new key. */
  graceHours: number | null;
  onClose(): void;
}) {
  const t = useTranslations("apiKeys.reveal");
  const text =
    graceHours === null ? t("text") : graceHours === 0 ? t("noGrace") : t("grace", { hours: graceHours });
  const labels = {
    title: t("title", { name: created.name }),
    text,
    copy: t("copy"),
    once: t("once"),
    onceText: t("onceText"),
    done: t("done"),
  };
  return <SecretDialog secret={created.key} name="api-key" labels={labels} onClose={onClose} />;
}
