"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
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
  return <SecretReveal secret={dialog.secret} onClose={onClose} />;
}

function SecretReveal({ secret, onClose }: { secret: string; onClose(): void }) {
  const t = useTranslations("alerts.webhook");
  const [isCopied, setCopied] = useState(false);
  const holdOpen = (event: Event) => {
    if (!isCopied) event.preventDefault();
  };
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent className="max-w-xl" onInteractOutside={holdOpen} onEscapeKeyDown={holdOpen}>
        <DialogHeader>
          <DialogTitle>{t("revealTitle")}</DialogTitle>
          <DialogDescription>{t("revealText")}</DialogDescription>
        </DialogHeader>
        <div className="grid gap-3">
          <div className="flex flex-col gap-3 rounded-md border border-line-strong/60 bg-sunken p-3 sm:flex-row sm:items-center sm:gap-2 sm:py-2 sm:pr-2 sm:pl-4">
            <code data-testid="webhook-secret" className="min-w-0 flex-1 break-all text-base select-all">
              {secret}
            </code>
            <CopyButton value={secret} label={t("copy")} onCopied={() => setCopied(true)} />
          </div>
          <Notice tone="warn" title={t("once")}>
            {t("onceText")}
          </Notice>
        </div>
        <DialogFooter>
          <Button onClick={onClose}>{t("done")}</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  );
}
