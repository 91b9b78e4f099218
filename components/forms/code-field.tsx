import type { ComponentProps } from "react";
import type { UseFormRegisterReturn } from "react-hook-form";
import { Input } from "../ui/input";
import { Field } from "./field";

/** A field for a TOTP code, or a backup code, whose letters are upper-case. */
export function CodeField({
  control,
  ...field
}: Omit<ComponentProps<typeof Field>, "children"> & { control: UseFormRegisterReturn }) {
  return (
    <Field {...field}>
      {(props) => (
        <Input
          {...props}
          {...control}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          className="font-mono"
        />
      )}
    </Field>
  );
}
