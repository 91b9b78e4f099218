"use client";

import { type ReactNode, useId } from "react";
import { Field } from "../forms/field";
import { cn } from "../ui/class-names";
import { Input } from "../ui/input";
import { Switch } from "../ui/switch";
import { SearchedField, useSearched } from "./search";

/** A switch with label and description. */
export function SwitchField({
  label,
  hint,
  badge,
  isOn,
  onChange,
  disabled,
}: {
  label: string;
  hint: ReactNode;
  /** Beside the label, e.g. a badge. */
  badge?: ReactNode;
  isOn: boolean;
  onChange(isOn: boolean): void;
  disabled?: boolean;
}) {
  const id = useId();
  const searched = useSearched(label, typeof hint === "string" ? hint : "");
  return (
    <div {...searched} className={cn("flex items-start justify-between gap-4", searched.hidden && "hidden")}>
      <div className="grid max-w-prose gap-0.5">
        <div className="flex flex-wrap items-center gap-2">
          <label htmlFor={id} className={cn("text-base font-medium", !disabled && "cursor-pointer")}>
            {label}
          </label>
          {badge}
        </div>
        <p id={`${id}-hint`} className="text-sm text-ink-muted">
          {hint}
        </p>
      </div>
      <Switch
        id={id}
        aria-describedby={`${id}-hint`}
        className="mt-0.5"
        checked={isOn}
        onCheckedChange={onChange}
        disabled={disabled}
      />
    </div>
  );
}

/** A number field with its unit. */
export function NumberField({
  label,
  unit,
  hint,
  value,
  placeholder,
  error,
  onChange,
}: {
  label: string;
  unit: string;
  hint?: ReactNode;
  value: string;
  placeholder?: string;
  error?: string | undefined;
  onChange(value: string): void;
}) {
  return (
    <SearchedField texts={[label, typeof hint === "string" ? hint : "", unit]}>
      <Field label={label} hint={hint} {...(error === undefined ? {} : { error })}>
        {(control) => (
          <span className="flex items-center gap-2">
            <Input
              {...control}
              inputMode="decimal"
              autoComplete="off"
              className="w-28 tabular"
              value={value}
              placeholder={placeholder}
              onChange={(event) => onChange(event.target.value)}
            />
            <span aria-hidden="true" className="text-sm text-ink-muted">
              {unit}
            </span>
          </span>
        )}
      </Field>
    </SearchedField>
  );
}
