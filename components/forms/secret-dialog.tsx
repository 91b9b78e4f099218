"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { useUnsaved } from "@/lib/client/unsaved";
import { Button } from "../ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "../ui/dialog";
import { SecretBox, type SecretLabels } from "./secret-box";

/** Shows a secret once. Until it is copied, only Done or Close closes the dialog, and leaving the page asks first. */
export function SecretDialog({
  secret,
  name,
  labels,
  onClose,
}: {
  secret: string;
  /** The `data-testid` of the secret. */
  name: string;
  labels: SecretLabels & { readonly title: string; readonly text: ReactNode };
  onClose(): void;
}) {
  const t = useTranslations("common");
  const [isCopied, setCopied] = useState(false);
  useUnsaved(!isCopied, labels.title);
  const preventClose = (event: Event) => {
    if (!isCopied) event.preventDefault();
  };
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent className="max-w-xl" onInteractOutside={preventClose} onEscapeKeyDown={preventClose}>
        <DialogHeader>
          <DialogTitle className="break-words">{labels.title}</DialogTitle>
          <DialogDescription>{labels.text}</DialogDescription>
        </DialogHeader>
        <SecretBox secret={secret} name={name} labels={labels} onCopied={() => setCopied(true)} />
        <DialogFooter>
          <Button onClick={onClose}>{t("done")}</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  );
}
