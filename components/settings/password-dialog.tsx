"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { FormFooter } from "../forms/form-footer";
import { PasswordInput } from "../forms/password-input";
import { ProofError } from "../forms/proof-error";
import { useAction } from "../forms/use-action";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "../ui/dialog";

/** Asks for the owner's password before a sensitive change; `children` are fields above the password. */
export function PasswordDialog({
  title,
  text,
  action,
  onProof,
  onClose,
  children,
}: {
  title: string;
  text: string;
  action: string;
  onProof(password: string): Promise<void>;
  onClose(): void;
  children?: ReactNode;
}) {
  const t = useTranslations("settings.proof");
  const [password, setPassword] = useState("");
  const { isBusy, error, run } = useAction();
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent className="max-w-md">
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          <DialogDescription>{text}</DialogDescription>
        </DialogHeader>
        <Form
          noValidate
          className="grid gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            if (password !== "" && !isBusy) void run(() => onProof(password));
          }}
        >
          <ProofError error={error} wrong={t("wrong")} />
          {children}
          <Field label={t("password")}>
            {(control) => (
              <PasswordInput
                {...control}
                value={password}
                onChange={(event) => setPassword(event.target.value)}
                autoComplete="current-password"
              />
            )}
          </Field>
          <FormFooter action={action} isBusy={isBusy} isDisabled={password === ""} onCancel={onClose} />
        </Form>
      </DialogContent>
    </Dialog>
  );
}
