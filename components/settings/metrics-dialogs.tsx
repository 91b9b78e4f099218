"use client";

import { useState } from "react";
import { toast } from "sonner";
import { useSWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { FACTS_PATH } from "@/lib/client/settings";
import type { MetricsToken } from "@/lib/contracts/settings";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "../ui/dialog";
import { Notice } from "../ui/notice";
import { PasswordDialog } from "./password-dialog";

const PATH = "/api/settings/metrics-token";

/** Makes a token with the owner's password and shows it this once. */
export function MetricsDialog({ isFirst, onClose }: { isFirst: boolean; onClose(): void }) {
  const t = useTranslations("settings.metrics");
  const { mutate } = useSWRConfig();
  const [token, setToken] = useState<string | null>(null);
  if (token !== null) return <Reveal token={token} onClose={onClose} />;
  return (
    <PasswordDialog
      title={t("makeTitle")}
      text={isFirst ? t("makeText") : t("rotateText")}
      action={isFirst ? t("make") : t("rotate")}
      onClose={onClose}
      onProof={async (password) => {
        const made = await api.post<MetricsToken>(PATH, { password });
        setToken(made.token);
        void mutate(FACTS_PATH);
      }}
    />
  );
}

/** Until it was copied, only a press on Done or Close closes this: it is not shown again. */
function Reveal({ token, onClose }: { token: string; onClose(): void }) {
  const t = useTranslations("settings.metrics");
  const [isCopied, setCopied] = useState(false);
  const holdOpen = (event: Event) => {
    if (!isCopied) event.preventDefault();
  };
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent className="max-w-xl" onInteractOutside={holdOpen} onEscapeKeyDown={holdOpen}>
        <DialogHeader>
          <DialogTitle>{t("madeTitle")}</DialogTitle>
          <DialogDescription>{t("madeText")}</DialogDescription>
        </DialogHeader>
        <div className="flex flex-col gap-3 rounded-md border border-line-strong/60 bg-sunken p-3 sm:flex-row sm:items-center sm:gap-2 sm:py-2 sm:pr-2 sm:pl-4">
          <code data-testid="metrics-token" className="min-w-0 flex-1 break-all select-all">
            {token}
          </code>
          <CopyButton value={token} label={t("copy")} onCopied={() => setCopied(true)} />
        </div>
        <Notice tone="warn" title={t("once")}>
          {t("onceText")}
        </Notice>
        <DialogFooter>
          <Button onClick={onClose}>{t("done")}</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
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
