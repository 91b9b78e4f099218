import type { ComponentProps, ReactNode } from "react";
// Types only: pages without react-hook-form use TextField, too.
import type { FieldValues, Path, UseFormRegisterReturn, UseFormReturn } from "react-hook-form";
import { Input } from "../ui/input";
import { type ControlProps, Field } from "./field";

type FieldProps = Omit<ComponentProps<typeof Field>, "children">;
/** `className` is the field's, `inputClassName` the input's. */
type TextFieldProps = FieldProps & Omit<ComponentProps<"input">, "className"> & { inputClassName?: string };

/** Props of a field for names, addresses and secrets, which browsers must neither complete nor correct. */
export const VERBATIM = { autoComplete: "off", spellCheck: false, inputClassName: "font-mono" } as const;

/** Props of an input for names and passwords, which phones must neither capitalize nor correct. */
export const AS_TYPED = { autoCapitalize: "none", autoCorrect: "off", spellCheck: false } as const;

/** For `setValueAs`: an empty field means null, or no value. */
export const emptyToNull = (text: unknown) => (text === "" ? null : text);
export const emptyToUndefined = (text: unknown) => (text === "" ? undefined : text);

/** A field whose control is a text input. */
export function TextField({
  label,
  hint,
  error,
  isRequired,
  isOptional,
  className,
  inputClassName,
  ...input
}: TextFieldProps) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      isRequired={isRequired}
      isOptional={isOptional}
      className={className}
    >
      {(control) => <Input {...control} {...input} className={inputClassName} />}
    </Field>
  );
}

/** The form that a field belongs to, the field's name, and how it is registered. */
export interface FormFieldName<Values extends FieldValues> {
  form: Pick<UseFormReturn<Values>, "register" | "formState" | "getFieldState">;
  name: Path<Values>;
  options?: Parameters<UseFormReturn<Values>["register"]>[1];
}

/** The message of a field's error, wherever the field is nested. */
function messageAt<Values extends FieldValues>({ form, name }: FormFieldName<Values>): string | undefined {
  return form.getFieldState(name, form.formState).error?.message;
}

/**
 * A field of a form, with its error. `children` renders the control. It is registered when it renders, because the first
 * invalid field in order of registration is focused.
 */
export function FormField<Values extends FieldValues>({
  form,
  name,
  options,
  children,
  ...field
}: Omit<FieldProps, "error"> &
  FormFieldName<Values> & { children(control: ControlProps & UseFormRegisterReturn): ReactNode }) {
  return (
    <Field {...field} error={messageAt({ form, name })}>
      {(control) => children({ ...control, ...form.register(name, options) })}
    </Field>
  );
}

/** A field of a form whose control is a text input. */
export function FormTextField<Values extends FieldValues>({
  form,
  name,
  options,
  ...field
}: Omit<TextFieldProps, "error" | "form" | "name"> & FormFieldName<Values>) {
  return <TextField {...field} error={messageAt({ form, name })} {...form.register(name, options)} />;
}
