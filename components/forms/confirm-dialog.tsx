"use client";

import { type ReactNode, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import {
  AlertDialog,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogTitle,
} from "../ui/alert-dialog";
import { Button } from "../ui/button";
import { RecordError } from "./call-error";
import { Form } from "./form";
import { TextField } from "./text-field";
import { useAction } from "./use-action";

interface ConfirmDialogProps {
  title: string;
  text: ReactNode;
  action: string;
  /** Label of the cancel button; default "Cancel". */
  cancel?: string;
  /** Must be typed first: for actions that cannot be undone. */
  typedName?: string;
  isDanger?: boolean;
  onConfirm(): Promise<void>;
  onClose(): void;
  children?: ReactNode;
}

/** Without the white space that a browser does not show. */
const asShown = (text: string) => text.trim().replace(/\s+/g, " ");

/**
 * Asks for confirmation before a destructive action. If `onConfirm` fails, the dialog stays open and shows the error.
 */
export function ConfirmDialog({
  title,
  text,
  action,
  cancel,
  typedName,
  isDanger = true,
  onConfirm,
  onClose,
  children,
}: ConfirmDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState("");
  const { isBusy, error, run } = useAction();
  const common = useTranslations("common");
  const isConfirmable = typedName === undefined || asShown(name) === asShown(typedName);

  return (
    <AlertDialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <AlertDialogContent
        className="max-w-md"
        onOpenAutoFocus={(event) => {
          if (typedName === undefined) return;
          event.preventDefault();
          field.current?.focus();
        }}
      >
        <Form
          className="grid gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            // React bubbles submit through portals: a form around the dialog must not be submitted too.
            event.stopPropagation();
            if (isConfirmable && !isBusy) void run(onConfirm);
          }}
        >
          <div className="grid gap-1.5">
            <AlertDialogTitle>{title}</AlertDialogTitle>
            <AlertDialogDescription>{text}</AlertDialogDescription>
          </div>
          {children}
          {typedName === undefined ? null : (
            <TextField
              label={common("typeToConfirm", { name: typedName })}
              ref={field}
              value={name}
              onChange={(event) => setName(event.target.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
          <RecordError error={error} />
          <AlertDialogFooter>
            <AlertDialogCancel>{cancel ?? common("cancel")}</AlertDialogCancel>
            <Button
              type="submit"
              variant={isDanger ? "danger" : "primary"}
              isBusy={isBusy}
              disabled={!isConfirmable}
            >
              {action}
            </Button>
          </AlertDialogFooter>
        </Form>
      </AlertDialogContent>
    </AlertDialog>
  );
}
