"use client";

import { ChevronRightIcon } from "lucide-react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { CreateKey, KeyLimit } from "@/lib/contracts/console/api-keys";
import { ChipInput } from "../forms/chip-input";
import { Field } from "../forms/field";
import { BUDGET_FIELDS, RATE_FIELDS } from "../forms/limit-values";
import { FormTextField } from "../forms/text-field";
import { type KeyValues, unknownModels } from "./key-values";

const LIST_FIELDS = ["models", "addresses"] as const;

interface KeyLimitsProps {
  form: UseFormReturn<KeyValues, unknown, CreateKey>;
  isOpen: boolean;
  onOpen(isOpen: boolean): void;
  /** Says that a higher role set the limit; null if the viewer may change it freely. */
  limitAuthor(limit: KeyLimit): string | null;
  modelNames: readonly string[];
  /** Suggestions of addresses and ranges. */
  addresses: readonly string[];
  hidesBudgets: boolean;
}

/** The limits of a key, collapsed because most keys need none. */
export function KeyLimits(props: KeyLimitsProps) {
  const { form, isOpen, onOpen, limitAuthor, hidesBudgets } = props;
  const t = useTranslations("apiKeys.form");
  const limit = useTranslations("common.limit");
  return (
    <details
      open={isOpen}
      onToggle={(event) => onOpen(event.currentTarget.open)}
      className="group rounded-md border"
    >
      <summary className="flex list-none items-start gap-2 rounded-md px-4 py-3 [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon
          aria-hidden="true"
          className="mt-0.75 size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
        />
        <span className="grid">
          <span className="font-medium">{t("limits")}</span>
          <span className="text-sm text-ink-muted">{t(hidesBudgets ? "limitsTextPlain" : "limitsText")}</span>
        </span>
      </summary>
      <div className="grid gap-5 border-t p-4">
        <div className="grid gap-4 sm:grid-cols-3">
          {RATE_FIELDS.map((name) => (
            <FormTextField
              key={name}
              form={form}
              name={name}
              label={limit(name)}
              hint={limitAuthor(name)}
              inputMode="numeric"
            />
          ))}
        </div>
        {hidesBudgets ? null : (
          <div className="grid gap-4 sm:grid-cols-3 sm:items-end">
            {BUDGET_FIELDS.map((name) => (
              <FormTextField
                key={name}
                form={form}
                name={name}
                label={limit(name)}
                hint={limitAuthor(`budget.${name}_usd`)}
                inputMode="decimal"
              />
            ))}
          </div>
        )}
        {LIST_FIELDS.map((name) => (
          <ListField key={name} name={name} {...props} />
        ))}
      </div>
    </details>
  );
}

/** The models or the addresses that the key may use. */
function ListField({
  name,
  form,
  limitAuthor,
  modelNames,
  addresses,
}: KeyLimitsProps & { name: (typeof LIST_FIELDS)[number] }) {
  const t = useTranslations("apiKeys.form");
  const { errors } = form.formState;
  return (
    <Field
      label={t(name)}
      hint={
        <>
          {t(`${name}Hint`)} {limitAuthor(`allowed_${name}`)}
          {name === "models" ? (
            <UnknownModels names={unknownModels(form.watch("models"), modelNames)} />
          ) : null}
        </>
      }
      error={errors[name]?.message}
    >
      {(control) => (
        <ChipInput
          control={control}
          value={form.watch(name)}
          onValueChange={(value) =>
            form.setValue(name, value, {
              shouldDirty: true,
              shouldValidate: form.formState.isSubmitted,
            })
          }
          suggestions={name === "models" ? modelNames : addresses}
        />
      )}
    </Field>
  );
}

/** A warning, not an error: a model may be added after the key. */
function UnknownModels({ names }: { names: readonly string[] }) {
  const t = useTranslations("apiKeys.form");
  return (
    <span role="status" className="block break-words text-warn">
      {names.length > 0 ? t("modelsUnknown", { names: names.join(", ") }) : null}
    </span>
  );
}
