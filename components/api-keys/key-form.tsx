"use client";

import { useId, useMemo, useState } from "react";
import { type Control, useController, useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { ApiKey, CreateKey, Operation } from "@/lib/contracts/console/api-keys";
import type { Role } from "@/lib/contracts/console/user";
import { SaveErrors } from "../forms/call-error";
import { Form } from "../forms/form";
import { FormFooter } from "../forms/form-footer";
import { FormTextField } from "../forms/text-field";
import { useSaveForm } from "../forms/use-save-form";
import { Button } from "../ui/button";
import { Checkbox } from "../ui/checkbox";
import { Notice } from "../ui/notice";
import { KeyLimits } from "./key-limits";
import {
  EXPIRY_DAYS,
  expiryDate,
  KEY_FIELDS,
  type KeyValues,
  keyFieldOf,
  keyResolver,
  keyValues,
  LIMIT_FIELDS,
  NEW_KEY,
} from "./key-values";
import { useLimitAuthor } from "./limit-author";

interface KeyFormProps {
  /** The key to edit; null for a new key. */
  before: ApiKey | null;
  viewerRole: Role;
  /** Whether the viewer may grant the manage permission. */
  mayManage: boolean;
  /** Self-use mode: no budgets. */
  hidesBudgets: boolean;
  /** Every model name and alias. */
  modelNames: readonly string[];
  /** Suggestions of addresses and ranges. */
  addresses: readonly string[];
  onSave(request: CreateKey): Promise<void>;
  /** Loads the newest version after a version conflict. */
  onStale?(): Promise<ApiKey>;
  onCancel(): void;
}

/** The form that creates or edits an API key. */
export function KeyForm({
  before,
  viewerRole,
  mayManage,
  hidesBudgets,
  modelNames,
  addresses,
  onSave,
  onStale,
  onCancel,
}: KeyFormProps) {
  const t = useTranslations("apiKeys");
  const common = useTranslations("common");
  const limitAuthor = useLimitAuthor(before, viewerRole);
  const { form, error, isStale, onSubmit, showsLimits, setShowsLimits } = useKeyForm(before, onSave, onStale);
  const { errors, isSubmitting } = form.formState;
  const hasBudget = before !== null && Object.values(before.budget).some(Boolean);
  return (
    <Form onSubmit={onSubmit} noValidate className="grid gap-5">
      <SaveErrors error={error} isStale={isStale} stale={t("form.stale")} />
      <FormTextField
        form={form}
        name="name"
        label={t("form.name")}
        hint={t("form.nameHint")}
        autoComplete="off"
        placeholder={t("form.namePlaceholder")}
      />
      <OperationChoice
        hint={limitAuthor("operations")}
        control={form.control}
        mayManage={mayManage || before?.operations.includes("manage") === true}
        error={errors.operations?.message}
      />
      <div className="grid gap-2">
        <FormTextField
          form={form}
          name="expires"
          label={t("form.expires")}
          hint={limitAuthor("expires_at") ?? t("form.expiresHint")}
          className="max-w-48"
          type="date"
        />
        <ExpiryPresets
          expires={form.watch("expires")}
          onPick={(expires) => form.setValue("expires", expires, { shouldDirty: true, shouldValidate: true })}
        />
      </div>
      <KeyLimits
        form={form}
        isOpen={showsLimits}
        onOpen={setShowsLimits}
        limitAuthor={limitAuthor}
        modelNames={modelNames}
        addresses={addresses}
        hidesBudgets={hidesBudgets && !hasBudget}
      />
      <FormFooter action={before ? common("save") : t("create")} isBusy={isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

function ExpiryPresets({ expires, onPick }: { expires: string; onPick(expires: string): void }) {
  const t = useTranslations("apiKeys.form");
  const now = Date.now();
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">{t("expiryPresets")}</legend>
      {EXPIRY_DAYS.map((days) => {
        const date = expiryDate(days, now);
        return (
          <Button
            key={days ?? "never"}
            variant="outline"
            size="sm"
            aria-pressed={expires === date}
            className="aria-pressed:border-ink aria-pressed:bg-sunken"
            onClick={() => onPick(date)}
          >
            {days === null ? t("expiryNever") : t("expiryDays", { days })}
          </Button>
        );
      })}
    </fieldset>
  );
}

/** The form's state. The limits are expanded if the key has any, and expand when one of them is invalid. */
function useKeyForm(before: ApiKey | null, onSave: KeyFormProps["onSave"], onStale: KeyFormProps["onStale"]) {
  const fieldError = useTranslations("common.fieldError");
  const defaultValues = before ? keyValues(before) : NEW_KEY;
  const [showsLimits, setShowsLimits] = useState(() =>
    LIMIT_FIELDS.some((name) => defaultValues[name] !== ""),
  );
  const form = useForm({
    resolver: useMemo(() => keyResolver(fieldError, before), [fieldError, before]),
    defaultValues,
  });
  const saving = useSaveForm(form, {
    fields: KEY_FIELDS,
    fieldOf: keyFieldOf,
    save: onSave,
    reload: onStale && (async () => keyValues(await onStale())),
    onFieldErrors: (fields) => {
      if (LIMIT_FIELDS.some((name) => fields.includes(name))) setShowsLimits(true);
    },
  });
  return { form, ...saving, showsLimits, setShowsLimits };
}

/** Checkboxes for a key's permissions, each with a description. */
function OperationChoice({
  control,
  mayManage,
  hint,
  error,
}: {
  control: Control<KeyValues, unknown, CreateKey>;
  mayManage: boolean;
  hint?: string | null;
  error?: string;
}) {
  const t = useTranslations("apiKeys");
  const id = useId();
  const { field } = useController({ control, name: "operations" });
  const choices: Operation[] = ["speech", "embeddings", ...(mayManage ? ["manage" as const] : [])];
  return (
    <fieldset className="grid gap-2" aria-describedby={error ? `${id}-error` : undefined}>
      <legend className="mb-1.5 text-sm font-medium">{t("form.operations")}</legend>
      {choices.map((operation) => (
        <label
          key={operation}
          htmlFor={`${id}-${operation}`}
          className="flex w-fit cursor-pointer items-start gap-2.5 pointer-coarse:min-h-9"
        >
          <Checkbox
            id={`${id}-${operation}`}
            aria-describedby={`${id}-${operation}-text`}
            aria-invalid={error ? true : undefined}
            className="mt-0.75"
            checked={field.value.includes(operation)}
            onBlur={field.onBlur}
            onCheckedChange={(checked) =>
              field.onChange(
                choices.filter((one) => (one === operation ? checked === true : field.value.includes(one))),
              )
            }
          />
          <span className="flex flex-wrap gap-x-2">
            {t(`operation.${operation}`)}
            <span id={`${id}-${operation}-text`} className="text-ink-muted">
              {t(`operationText.${operation}`)}
            </span>
          </span>
        </label>
      ))}
      {field.value.includes("manage") ? (
        <Notice tone="warn" title={t("managingTitle")} className="mt-1">
          {t("managingText")}
        </Notice>
      ) : null}
      {hint ? <p className="text-sm text-ink-muted">{hint}</p> : null}
      <p id={`${id}-error`} role="alert" className={error ? "text-sm text-bad" : "hidden"}>
        {error}
      </p>
    </fieldset>
  );
}
