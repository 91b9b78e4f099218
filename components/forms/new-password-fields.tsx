"use client";

import type { ReactNode } from "react";
import type { FieldValues, Path, UseFormReturn } from "react-hook-form";
import { useTranslations } from "use-intl";
import { cn } from "../ui/class-names";
import { PasswordInput } from "./password-input";
import { passwordStrength } from "./password-strength";
import { FormField } from "./text-field";

const COLOURS = ["bg-bad", "bg-bad", "bg-warn", "bg-good", "bg-good"] as const;
const WORDS = ["veryWeak", "weak", "fair", "good", "strong"] as const;

/** The strength of a new password as four bars and a word. */
export function StrengthMeter({ password, personal }: { password: string; personal: readonly string[] }) {
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

/** A field for a new password, with its strength, and a field that repeats the password. */
export function NewPasswordFields<Values extends FieldValues>({
  form,
  password,
  confirm,
  personal,
  hint,
  isRequired = false,
}: {
  form: Pick<UseFormReturn<Values>, "register" | "formState" | "getFieldState" | "watch">;
  password: { name: Path<Values>; label: string };
  confirm: { name: Path<Values>; label: string };
  /** Words that make a password weak. */
  personal: string[];
  /** Shown below the strength. */
  hint?: ReactNode;
  isRequired?: boolean;
}) {
  const strengthAndHint = (
    <>
      <StrengthMeter password={form.watch(password.name)} personal={personal} />
      {hint}
    </>
  );
  return (
    <>
      <FormField {...password} form={form} hint={strengthAndHint} isRequired={isRequired}>
        {(control) => <PasswordInput {...control} autoComplete="new-password" />}
      </FormField>
      <FormField {...confirm} form={form} isRequired={isRequired}>
        {(control) => <PasswordInput {...control} autoComplete="new-password" />}
      </FormField>
    </>
  );
}
