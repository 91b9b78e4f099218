"use client";

import { useState } from "react";
import { toast } from "sonner";
import { useSWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { FACTS_PATH } from "@/components/settings/use-settings";
import { api } from "@/lib/client/api";
import type { MetricsToken } from "@/lib/contracts/console/settings";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { SecretDialog } from "../forms/secret-dialog";
import { PasswordDialog } from "./password-dialog";

const PATH = "/api/settings/metrics-token";

/** Generates a token after asking for the owner's password, and shows it once. */
export function MetricsDialog({ isFirst, onClose }: { isFirst: boolean; onClose(): void }) {
  const t = useTranslations("settings.metrics");
  const { mutate } = useSWRConfig();
  const [token, setToken] = useState<string | null>(null);
  if (token !== null) {
    const labels = {
      title: t("createdTitle"),
      text: t("createdText"),
      copy: t("copy"),
      once: t("once"),
      onceText: t("onceText"),
      done: t("done"),
    };
    return <SecretDialog secret={token} name="metrics-token" labels={labels} onClose={onClose} />;
  }
  return (
    <PasswordDialog
      title={t("generateTitle")}
      text={isFirst ? t("generateText") : t("rotateText")}
      action={isFirst ? t("generate") : t("rotate")}
      onClose={onClose}
      onProof={async (password) => {
        const created = await api.post<MetricsToken>(PATH, { password });
        setToken(created.token);
        void mutate(FACTS_PATH);
      }}
    />
  );
}

export function RemoveTokenDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.metrics");
  const { mutate } = useSWRConfig();
  return (
    <ConfirmDialog
      title={t("removeTitle")}
      text={t("removeText")}
      action={t("remove")}
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(PATH);
        await mutate(FACTS_PATH);
        toast.success(t("removed"));
        onClose();
      }}
    />
  );
}
