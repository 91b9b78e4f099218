import type { ReactNode } from "react";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "../ui/dialog";

/** A dialog that holds a form. */
export function FormDialog({
  title,
  text,
  onClose,
  children,
}: {
  title: string;
  text?: string;
  onClose(): void;
  children: ReactNode;
}) {
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent {...(text ? {} : { "aria-describedby": undefined })}>
        <DialogHeader>
          <DialogTitle className="break-words">{title}</DialogTitle>
          {text ? <DialogDescription>{text}</DialogDescription> : null}
        </DialogHeader>
        {children}
      </DialogContent>
    </Dialog>
  );
}
