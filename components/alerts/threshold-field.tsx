"use client";

import { get, type Path, type UseFormReturn } from "react-hook-form";
import type { Settings } from "@/lib/contracts/console/settings";
import { Field } from "../forms/field";
import { Input } from "../ui/input";

/** Value of a text field of the rules: an empty field is null, for which the rule is off. */
export const textOrNull = (text: unknown) => (text === "" ? null : text);
/** The same for a number. */
const numberOrNull = (text: unknown) => (text === "" || text === null ? null : Number(text));

export type RulesForm = UseFormReturn<Settings["alerts"]>;

/** The message of an invalid field of the rules, wherever it is nested. */
export function messageAt({ formState }: RulesForm, name: Path<Settings["alerts"]>): string | undefined {
  const error: { message?: string } | undefined = get(formState.errors, name);
  return error?.message;
}

/** A threshold of the rules with its unit; blank disables it. */
export function ThresholdField({
  form,
  name,
  label,
  unit,
}: {
  form: RulesForm;
  name: Path<Settings["alerts"]>;
  label: string;
  unit: string;
}) {
  return (
    <Field label={label} error={messageAt(form, name)}>
      {(control) => (
        <span className="flex items-center gap-2">
          <Input
            {...control}
            {...form.register(name, { setValueAs: numberOrNull })}
            inputMode="numeric"
            autoComplete="off"
            className="w-24 tabular"
          />
          <span aria-hidden="true" className="text-ink-muted">
            {unit}
          </span>
        </span>
      )}
    </Field>
  );
}
