import { type ReactNode, useRef } from "react";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "../ui/dialog";
import { DraftContext } from "./use-save-form";

/** A dialog that holds a form. A click outside closes it only if nothing was entered; see `useDialogDraft`. */
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
  const hasDraft = useRef(false);
  const { current: report } = useRef((isDirty: boolean) => {
    hasDraft.current = isDirty;
  });
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent
        className={className}
        onInteractOutside={(event) => {
          if (isDirty || hasDraft.current) event.preventDefault();
        }}
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
        <DraftContext value={report}>{children}</DraftContext>
      </DialogContent>
    </Dialog>
  );
}
