"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import type { ApiKeyWithSecret } from "@/lib/contracts/keys";
import { Button } from "../ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "../ui/dialog";
import { KeyReveal } from "./key-reveal";

/** A new key. Until it was copied, only a press on Done or Close closes this: it is not shown again. */
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
  const t = useTranslations("keys.reveal");
  const [isCopied, setCopied] = useState(false);
  const holdOpen = (event: Event) => {
    if (!isCopied) event.preventDefault();
  };
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent className="max-w-xl" onInteractOutside={holdOpen} onEscapeKeyDown={holdOpen}>
        <DialogHeader>
          <DialogTitle className="break-words">{t("title", { name: made.name })}</DialogTitle>
          <DialogDescription>
            {graceHours === null
              ? t("text")
              : graceHours === 0
                ? t("noGrace")
                : t("grace", { hours: graceHours })}
          </DialogDescription>
        </DialogHeader>
        <KeyReveal secret={made.key} onCopied={() => setCopied(true)} />
        <DialogFooter>
          <Button onClick={onClose}>{t("done")}</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  );
}
