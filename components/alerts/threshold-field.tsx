"use client";

import type { Path, UseFormReturn } from "react-hook-form";
import type { Settings } from "@/lib/contracts/console/settings";
import { numberOrNull } from "../forms/limit-values";
import { FormField } from "../forms/text-field";
import { UnitInput } from "../forms/unit-input";

/** Value of a number field of the rules: an empty field is null, which turns the rule off. */
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
      {(control) => <UnitInput {...control} unit={unit} inputMode="numeric" className="w-24 tabular" />}
    </FormField>
  );
}
