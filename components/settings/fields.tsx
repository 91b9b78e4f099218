"use client";

import { type ReactNode, useId } from "react";
import { useTranslations } from "use-intl";
import type { Catalogue } from "@/lib/messages/catalogue";
import { Field } from "../forms/field";
import { UnitInput } from "../forms/unit-input";
import { Badge } from "../ui/badge";
import { cn } from "../ui/class-names";
import { Switch } from "../ui/switch";
import { SearchedField, useSearched } from "./search";
import { useSettingsPage } from "./settings-page-context";
import type { FieldValues, SettingsForm } from "./use-settings-form";

/** A field whose label is in the messages under `settings.field`. */
export type LabelledField = keyof Catalogue["settings"]["field"];

interface SettingsFieldProps<Values extends FieldValues> {
  form: SettingsForm<Values>;
  name: keyof Values & LabelledField;
}

/** A switch with label and description. */
export function SwitchField<Values extends FieldValues>({
  form,
  name,
  hint,
  isOwnerOnly = false,
}: SettingsFieldProps<Values> & { hint: string; isOwnerOnly?: boolean }) {
  const id = useId();
  const t = useTranslations("settings");
  const { isOwner, isReadOnly } = useSettingsPage();
  const disabled = isReadOnly || (isOwnerOnly && !isOwner);
  const field: LabelledField = name;
  const label = t(`field.${field}`);
  const searched = useSearched(label, hint);
  return (
    <div {...searched} className={cn("flex items-start justify-between gap-4", searched.hidden && "hidden")}>
      <div className="grid max-w-prose gap-0.5">
        <div className="flex flex-wrap items-center gap-2">
          <label htmlFor={id} className={cn("text-base font-medium", !disabled && "cursor-pointer")}>
            {label}
          </label>
          {isOwnerOnly ? <OwnerOnly /> : null}
        </div>
        <p id={`${id}-hint`} className="text-sm text-ink-muted">
          {hint}
        </p>
      </div>
      <Switch
        id={id}
        aria-describedby={`${id}-hint`}
        className="mt-0.5"
        checked={form.values[name] === true}
        onCheckedChange={(isOn) => form.set(name, isOn)}
        disabled={disabled}
      />
    </div>
  );
}

/** Badge for settings that only the owner may change. */
export function OwnerOnly() {
  const t = useTranslations("settings");
  return <Badge tone="outline">{t("ownerOnly")}</Badge>;
}

/** A number field with its unit. */
export function NumberField<Values extends FieldValues>({
  form,
  name,
  unit,
  hint,
  placeholder,
}: SettingsFieldProps<Values> & { unit: string; hint?: ReactNode; placeholder?: string }) {
  const t = useTranslations("settings.field");
  const field: LabelledField = name;
  const label = t(field);
  return (
    <SearchedField texts={[label, typeof hint === "string" ? hint : "", unit]}>
      <Field label={label} hint={hint} error={form.fieldErrors[name]}>
        {(control) => (
          <UnitInput
            {...control}
            unit={unit}
            inputMode="decimal"
            className="w-28 tabular"
            value={String(form.values[name])}
            placeholder={placeholder}
            onChange={(event) => form.set(name, event.target.value)}
          />
        )}
      </Field>
    </SearchedField>
  );
}
