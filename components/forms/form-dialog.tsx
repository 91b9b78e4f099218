import type { ReactNode } from "react";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "../ui/dialog";

/** A dialog that holds a form. */
export function FormDialog({
  title,
  text,
  className,
  onClose,
  children,
}: {
  title: string;
  text?: string;
  className?: string;
  onClose(): void;
  children: ReactNode;
}) {
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent
        className={className}
        {...(text ? {} : { "aria-describedby": undefined })}
        // Escape closes an open list of suggestions first.
        onEscapeKeyDown={(event) => {
          if (
            event.target instanceof Element &&
            event.target.matches('[role="combobox"][aria-expanded="true"]')
          )
            event.preventDefault();
        }}
      >
        <DialogHeader>
          <DialogTitle className="break-words">{title}</DialogTitle>
          {text ? <DialogDescription>{text}</DialogDescription> : null}
        </DialogHeader>
        {children}
      </DialogContent>
    </Dialog>
  );
}
