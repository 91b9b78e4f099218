"use client";

import { useState } from "react";
import { Button } from "../ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "../ui/dialog";
import { SecretBox, type SecretWords } from "./secret-box";

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
  words: SecretWords & Readonly<Record<"title" | "text" | "done", string>>;
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
          <DialogTitle className="break-words">{words.title}</DialogTitle>
          <DialogDescription>{words.text}</DialogDescription>
        </DialogHeader>
        <SecretBox secret={secret} name={name} words={words} onCopied={() => setCopied(true)} />
        <DialogFooter>
          <Button onClick={onClose}>{words.done}</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  );
}
