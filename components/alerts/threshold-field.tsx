"use client";

import type { Path, UseFormReturn } from "react-hook-form";
import type { Settings } from "@/lib/contracts/console/settings";
import { numberOrNull } from "../forms/limit-values";
import { FormField } from "../forms/text-field";
import { Input } from "../ui/input";

/** Value of a text field of the rules: an empty field is null, for which the rule is off. */
export const textOrNull = (text: unknown) => (text === "" ? null : text);
/** The same for a number. */
const thresholdOf = (text: unknown) => numberOrNull(String(text ?? ""));

export type RulesForm = UseFormReturn<Settings["alerts"]>;

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
    <FormField form={form} name={name} options={{ setValueAs: thresholdOf }} label={label}>
      {(control) => (
        <span className="flex items-center gap-2">
          <Input {...control} inputMode="numeric" autoComplete="off" className="w-24 tabular" />
          <span aria-hidden="true" className="text-ink-muted">
            {unit}
          </span>
        </span>
      )}
    </FormField>
  );
}
