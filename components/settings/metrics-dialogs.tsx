"use client";

import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { awaitSecret } from "@/lib/client/unsaved";
import { useApiCache } from "@/lib/client/use-api";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { SecretDialog } from "../forms/secret-dialog";
import { useWhileMounted } from "../forms/use-action";
import { toast } from "../ui/toast";
import { PasswordDialog } from "./password-dialog";

/** Generates a token after asking for the owner's password. */
export function MetricsDialog({
  isFirst,
  onToken,
  onClose,
}: {
  isFirst: boolean;
  /** Called once the token is generated, even if the dialog was closed meanwhile. */
  onToken(token: string): void;
  onClose(): void;
}) {
  const t = useTranslations("settings.metrics");
  const { reload } = useApiCache();
  const close = useWhileMounted(onClose);
  return (
    <PasswordDialog
      title={t("generateTitle")}
      text={isFirst ? t("generateText") : t("rotateText")}
      action={isFirst ? t("generate") : t("rotate")}
      onClose={onClose}
      onProof={async (password) => {
        const reply = callApi(api.createMetricsToken, { body: { password } });
        const created = await awaitSecret(t("generateTitle"), reply);
        onToken(created.token);
        close();
        void reload(api.readInstanceFacts);
      }}
    />
  );
}

/** Shows a new token once. */
export function NewTokenDialog({ token, onClose }: { token: string; onClose(): void }) {
  const t = useTranslations("settings.metrics");
  const labels = {
    title: t("createdTitle"),
    text: t("createdText"),
    copy: t("copy"),
    once: t("once"),
    onceText: t("onceText"),
  };
  return <SecretDialog secret={token} name="metrics-token" labels={labels} onClose={onClose} />;
}

export function RemoveTokenDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.metrics");
  const { reload } = useApiCache();
  const close = useWhileMounted(onClose);
  return (
    <ConfirmDialog
      title={t("removeTitle")}
      text={t("removeText")}
      action={t("remove")}
      onClose={onClose}
      onConfirm={async () => {
        await callApi(api.removeMetricsToken);
        await reload(api.readInstanceFacts);
        toast.success(t("removed"));
        close();
      }}
    />
  );
}
