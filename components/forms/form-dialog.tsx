import { type ReactNode, useState } from "react";
import { askToLeave, useUnsaved } from "@/lib/client/unsaved";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "../ui/dialog";
import { DraftContext } from "./use-save-form";

/** A dialog that holds a form. Escape and a click outside ask first if something was entered; see `useDialogDraft`. */
export function FormDialog({
  title,
  text,
  className = "max-w-xl",
  isDirty = false,
  onClose,
  children,
}: {
  title: string;
  text?: string;
  className?: string;
  /** Something was entered; for a form whose state is outside the dialog. */
  isDirty?: boolean;
  onClose(): void;
  children: ReactNode;
}) {
  const [hasDraft, setDraft] = useState(false);
  const isUnsaved = isDirty || hasDraft;
  useUnsaved(isUnsaved, title);
  const close = () => (isUnsaved ? askToLeave(onClose, [title]) : onClose());
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : close())}>
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
        <DraftContext value={setDraft}>{children}</DraftContext>
      </DialogContent>
    </Dialog>
  );
}
