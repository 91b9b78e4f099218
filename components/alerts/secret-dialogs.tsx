"use client";

import { useTranslations } from "use-intl";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { SecretDialog } from "../forms/secret-dialog";

/** Asks before a signing secret is replaced, and shows a new one for the only time. */
export function SecretDialogs({
  dialog,
  onRenew,
  onClose,
}: {
  dialog: "renew" | { secret: string };
  onRenew(): Promise<void>;
  onClose(): void;
}) {
  const t = useTranslations("alerts.webhook");
  if (dialog === "renew")
    return (
      <ConfirmDialog
        title={t("renewTitle")}
        text={t("renewText")}
        action={t("renew")}
        onConfirm={onRenew}
        onClose={onClose}
      />
    );
  const words = {
    title: t("revealTitle"),
    text: t("revealText"),
    copy: t("copy"),
    once: t("once"),
    onceText: t("onceText"),
    done: t("done"),
  };
  return <SecretDialog secret={dialog.secret} name="webhook-secret" words={words} onClose={onClose} />;
}
