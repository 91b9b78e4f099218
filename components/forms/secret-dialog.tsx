"use client";

import { useState } from "react";
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

/** A secret for the only time: until it was copied, only a press on Done or Close closes this. */
export function SecretDialog({
  secret,
  name,
  words,
  onClose,
}: {
  secret: string;
  /** What tests find it by. */
  name: string;
  words: Readonly<Record<"title" | "text" | "copy" | "once" | "onceText" | "done", string>>;
  onClose(): void;
}) {
  const [isCopied, setCopied] = useState(false);
  const holdOpen = (event: Event) => {
    if (!isCopied) event.preventDefault();
  };
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent className="max-w-xl" onInteractOutside={holdOpen} onEscapeKeyDown={holdOpen}>
        <DialogHeader>
          <DialogTitle>{words.title}</DialogTitle>
          <DialogDescription>{words.text}</DialogDescription>
        </DialogHeader>
        <div className="grid gap-3">
          <div className="flex flex-col gap-3 rounded-md border border-line-strong/60 bg-sunken p-3 sm:flex-row sm:items-center sm:gap-2 sm:py-2 sm:pr-2 sm:pl-4">
            <code data-testid={name} className="min-w-0 flex-1 break-all text-base select-all">
              {secret}
            </code>
            <CopyButton value={secret} label={words.copy} onCopied={() => setCopied(true)} />
          </div>
          <Notice tone="warn" title={words.once}>
            {words.onceText}
          </Notice>
        </div>
        <DialogFooter>
          <Button onClick={onClose}>{words.done}</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  );
}
