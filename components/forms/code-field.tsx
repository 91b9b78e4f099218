import type { ComponentProps } from "react";
import type { FieldValues } from "react-hook-form";
import { FormTextField } from "./text-field";

/** A field for a TOTP code, or a backup code, whose letters are upper-case. */
export function CodeField<Values extends FieldValues>(props: ComponentProps<typeof FormTextField<Values>>) {
  return (
    <FormTextField
      {...props}
      autoComplete="one-time-code"
      autoCapitalize="characters"
      spellCheck={false}
      inputClassName="font-mono"
    />
  );
}
