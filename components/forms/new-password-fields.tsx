"use client";

import type { ReactNode } from "react";
import type { UseFormRegisterReturn } from "react-hook-form";
import { useTranslations } from "use-intl";
import { passwordStrength } from "@/components/forms/password-strength";
import { cn } from "../ui/class-names";
import { Field } from "./field";
import { PasswordInput } from "./password-input";

const COLOURS = ["bg-bad", "bg-bad", "bg-warn", "bg-good", "bg-good"] as const;
const WORDS = ["veryWeak", "weak", "fair", "good", "strong"] as const;

/** The strength of a new password as four bars and a word. */
export function StrengthMeter({ password, personal }: { password: string; personal?: readonly string[] }) {
  const t = useTranslations("common.strength");
  const strength = passwordStrength(password, personal);
  const lit = password === "" ? 0 : Math.max(1, strength);
  return (
    <span className="flex items-center gap-3">
      <span aria-hidden="true" className="flex flex-1 gap-1">
        {[1, 2, 3, 4].map((bar) => (
          <span
            key={bar}
            className={cn(
              "h-1 flex-1 rounded-full transition-colors",
              bar <= lit ? COLOURS[strength] : "bg-hover",
            )}
          />
        ))}
      </span>
      <output className="min-w-20 text-right text-xs text-ink-muted">
        {password === "" ? t("advice") : t(WORDS[strength])}
      </output>
    </span>
  );
}

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
