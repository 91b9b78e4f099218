"use client";

import { useTranslations } from "use-intl";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { SecretDialog } from "../forms/secret-dialog";

/** Confirms replacing the signing secret, and shows a new secret once. */
export function SecretDialogs({
  dialog,
  onReplace,
  onClose,
}: {
  dialog: "replace" | { secret: string };
  onReplace(): Promise<void>;
  onClose(): void;
}) {
  const t = useTranslations("alerts.webhook");
  if (dialog === "replace")
    return (
      <ConfirmDialog
        title={t("replaceTitle")}
        text={t("replaceText")}
        action={t("replace")}
        onConfirm={onReplace}
        onClose={onClose}
      />
    );
  const labels = {
    title: t("revealTitle"),
    text: t("revealText"),
    copy: t("copy"),
    once: t("once"),
    onceText: t("onceText"),
  };
  return <SecretDialog secret={dialog.secret} name="webhook-secret" labels={labels} onClose={onClose} />;
}
