"use client";

import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { linkAddress } from "@/lib/client/users";
import type { InviteWithToken } from "@/lib/contracts/invites";
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

/** A new one-time link. Until it was copied, only a press on Done or Close closes this: it is not shown again. */
export function LinkDialog({ made, onClose }: { made: InviteWithToken; onClose(): void }) {
  const t = useTranslations("users.link");
  const format = useFormatter();
  const [isCopied, setCopied] = useState(false);
  const address = linkAddress(made.kind, made.token);
  const holdOpen = (event: Event) => {
    if (!isCopied) event.preventDefault();
  };
  const name = made.user?.username ?? "";
  const isInvite = made.kind === "invite";
  const until = format.dateTime(new Date(made.expires_at), {
    dateStyle: "medium",
    timeStyle: "short",
    hourCycle: "h23",
  });
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent className="max-w-xl" onInteractOutside={holdOpen} onEscapeKeyDown={holdOpen}>
        <DialogHeader>
          <DialogTitle className="break-words">
            {isInvite ? t("inviteTitle") : t("resetTitle", { name })}
          </DialogTitle>
          <DialogDescription>
            {isInvite ? t("inviteText", { role: t(`asRole.${made.role}`) }) : t("resetText")}
          </DialogDescription>
        </DialogHeader>
        <div className="flex flex-col gap-3 rounded-md border border-line-strong/60 bg-sunken p-3 sm:flex-row sm:items-center sm:py-2 sm:pr-2 sm:pl-4">
          <code data-testid="one-time-link" className="min-w-0 flex-1 break-all text-base select-all">
            {address}
          </code>
          <CopyButton value={address} label={t("copy")} onCopied={() => setCopied(true)} />
        </div>
        <Notice tone="warn" title={t("once")}>
          {t("onceText", { time: until })}
        </Notice>
        <DialogFooter>
          <Button onClick={onClose}>{t("done")}</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  );
}
