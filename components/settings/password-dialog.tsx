"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { FormDialog } from "../forms/form-dialog";
import { FormFooter } from "../forms/form-footer";
import { PasswordInput } from "../forms/password-input";
import { ProofError } from "../forms/proof-error";
import { useAction } from "../forms/use-action";

/** Asks for the owner's password before a sensitive change; `children` are fields above the password. */
export function PasswordDialog({
  title,
  text,
  action,
  isDirty,
  onProof,
  onClose,
  children,
}: {
  title: string;
  text: string;
  action: string;
  /** Something was entered in `children`. */
  isDirty?: boolean;
  onProof(password: string): Promise<void>;
  onClose(): void;
  children?: ReactNode;
}) {
  const t = useTranslations("settings.proof");
  const [password, setPassword] = useState("");
  const { isBusy, error, run } = useAction();
  return (
    <FormDialog title={title} text={text} className="max-w-md" isDirty={isDirty} onClose={onClose}>
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
    </FormDialog>
  );
}
