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
import { Input } from "../ui/input";
import { CallError } from "./call-error";
import { Field } from "./field";
import { Form } from "./form";

/**
 * Asks once before something is ended, and names it. With `typed` the name must be typed: what follows cannot be
 * undone. A failed `onConfirm` is told in the dialog, which stays.
 */
export function ConfirmDialog({
  title,
  text,
  action,
  cancel,
  typed,
  isDanger = true,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  text: ReactNode;
  action: string;
  /** Instead of "Cancel". */
  cancel?: string;
  typed?: { name: string; label: string };
  isDanger?: boolean;
  onConfirm(): Promise<void>;
  onClose(): void;
  children?: ReactNode;
}) {
  const common = useTranslations("common");
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isNamed = typed === undefined || name.trim() === typed.name;

  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <AlertDialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <AlertDialogContent
        className="max-w-md"
        onOpenAutoFocus={(event) => {
          if (!typed) return;
          event.preventDefault();
          field.current?.focus();
        }}
      >
        <Form
          className="grid gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            // A form around the dialog is not sent with it.
            event.stopPropagation();
            if (isNamed && !isBusy) void confirm();
          }}
        >
          <div className="grid gap-1.5">
            <AlertDialogTitle className="break-words">{title}</AlertDialogTitle>
            <AlertDialogDescription>{text}</AlertDialogDescription>
          </div>
          {children}
          {typed ? (
            <Field label={typed.label}>
              {(control) => (
                <Input
                  {...control}
                  ref={field}
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                />
              )}
            </Field>
          ) : null}
          <CallError error={error} />
          <AlertDialogFooter>
            <AlertDialogCancel>{cancel ?? common("cancel")}</AlertDialogCancel>
            <Button
              type="submit"
              variant={isDanger ? "danger" : "primary"}
              isBusy={isBusy}
              disabled={!isNamed}
            >
              {action}
            </Button>
          </AlertDialogFooter>
        </Form>
      </AlertDialogContent>
    </AlertDialog>
  );
}
