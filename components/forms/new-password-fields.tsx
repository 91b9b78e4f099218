"use client";

import type { ReactNode } from "react";
import type { UseFormRegisterReturn } from "react-hook-form";
import { Field } from "./field";
import { PasswordInput } from "./password-input";
import { StrengthMeter } from "./strength-meter";

/** One of the two fields: its text, its error and what react-hook-form needs of its control. */
interface PasswordField {
  label: string;
  error: { message?: string } | undefined;
  /** Registers the field; called when it renders, because the first invalid field in order of registration is focused. */
  control(): UseFormRegisterReturn;
}

/** A new password with its strength, and the same once more. */
export function NewPasswordFields({
  password,
  confirm,
  entered,
  personal,
  hint,
  isRequired = false,
}: {
  password: PasswordField;
  confirm: PasswordField;
  /** The password as it is typed. */
  entered: string;
  /** Words that make a password weak. */
  personal: string[];
  /** Shown below the strength. */
  hint?: ReactNode;
  isRequired?: boolean;
}) {
  const strength = <StrengthMeter password={entered} personal={personal} />;
  return (
    <>
      <Field
        label={password.label}
        hint={
          <>
            {strength}
            {hint}
          </>
        }
        error={password.error?.message}
        isRequired={isRequired}
      >
        {(control) => <PasswordInput {...control} {...password.control()} autoComplete="new-password" />}
      </Field>
      <Field label={confirm.label} error={confirm.error?.message} isRequired={isRequired}>
        {(control) => <PasswordInput {...control} {...confirm.control()} autoComplete="new-password" />}
      </Field>
    </>
  );
}
