"use client";

import { useMemo } from "react";
import { Controller, type UseFormReturn, useForm } from "react-hook-form";
import { useFormatter, useTranslations } from "use-intl";
import type { CreateModel, Model, UpdateModel } from "@/lib/contracts/console/models";
import { SaveErrors } from "../forms/call-error";
import { Form } from "../forms/form";
import { FormFooter } from "../forms/form-footer";
import { FormTextField, VERBATIM } from "../forms/text-field";
import { useSaveForm } from "../forms/use-save-form";
import { Label } from "../ui/input";
import { SegmentedControl } from "../ui/segmented-control";
import { Switch } from "../ui/switch";
import {
  fieldOf,
  LIMIT_FIELDS,
  MODEL_FIELDS,
  type ModelValues,
  modelResolver,
  NEW_MODEL,
  PRICE_FIELDS,
  valuesOf,
} from "./model-values";

type ModelFormState = UseFormReturn<ModelValues, unknown, CreateModel | UpdateModel>;

interface ModelFormProps {
  /** Null: a new model. */
  before: Model | null;
  /** Date of the shipped price list (`2026-11-20`); null while loading. */
  priceListDate: string | null;
  onSave(request: CreateModel | UpdateModel): Promise<void>;
  /** Loads the newest version after a version conflict. */
  onStale?(): Promise<Model>;
  onCancel(): void;
}

/** The form of a new or a saved model. */
export function ModelForm({ before, priceListDate, onSave, onStale, onCancel }: ModelFormProps) {
  const t = useTranslations("models");
  const common = useTranslations("common");
  const fieldError = useTranslations("common.fieldError");
  const format = useFormatter();
  const form: ModelFormState = useForm({
    resolver: useMemo(() => modelResolver(fieldError, before), [fieldError, before]),
    defaultValues: before ? valuesOf(before) : NEW_MODEL,
  });
  const { error, isStale, onSubmit } = useSaveForm(form, {
    fields: MODEL_FIELDS,
    fieldOf,
    save: onSave,
    reload: onStale && (async () => valuesOf(await onStale())),
  });
  const operation = form.watch("operation");
  const date =
    priceListDate === null
      ? "…"
      : format.dateTime(new Date(`${priceListDate}T00:00:00Z`), { dateStyle: "medium", timeZone: "UTC" });
  return (
    <Form onSubmit={onSubmit} noValidate className="grid gap-5">
      <SaveErrors error={error} isStale={isStale} stale={t("form.stale")} />
      {before ? null : <NameFields form={form} operation={operation} />}
      <FormTextField
        form={form}
        name="aliases"
        label={t("form.aliases")}
        hint={t("form.aliasesHint")}
        {...VERBATIM}
      />
      <FormTextField form={form} name="description" label={t("form.description")} autoComplete="off" />
      <fieldset className="grid gap-2">
        <legend className="mb-2 font-medium">{t("form.prices")}</legend>
        <div className="grid gap-4 sm:grid-cols-2">
          {PRICE_FIELDS.map((name) => (
            <FormTextField
              key={name}
              form={form}
              name={name}
              label={t(`form.${name}`)}
              inputMode="decimal"
              autoComplete="off"
            />
          ))}
        </div>
        <p className="text-sm text-ink-muted">
          {before ? t("form.pricesHint") : t("form.pricesShipped", { date })}
        </p>
      </fieldset>
      <LimitFields form={form} operation={operation} />
      <PerformanceFields form={form} operation={operation} />
      <FormFooter
        action={before ? common("save") : t("create")}
        isBusy={form.formState.isSubmitting}
        onCancel={onCancel}
      />
    </Form>
  );
}

/** Name and operation, which cannot be changed later. */
function NameFields({ form, operation }: { form: ModelFormState; operation: Model["operation"] }) {
  const t = useTranslations("models");
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_auto]">
      <FormTextField form={form} name="name" label={t("form.name")} hint={t("form.nameHint")} {...VERBATIM} />
      <div className="grid content-start gap-1.5">
        <span className="text-sm font-medium">{t("form.operation")}</span>
        <SegmentedControl<Model["operation"]>
          label={t("form.operation")}
          value={operation}
          onValueChange={(next) => {
            form.setValue("operation", next);
            // The server's default: embeddings are cached, speech is not.
            form.setValue("cacheable", next === "embeddings");
          }}
          segments={[
            { value: "speech", label: t("operation.speech") },
            { value: "embeddings", label: t("operation.embeddings") },
          ]}
        />
      </div>
    </div>
  );
}

function LimitFields({ form, operation }: { form: ModelFormState; operation: Model["operation"] }) {
  const t = useTranslations("models.form");
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-2 font-medium">{t("limits")}</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        {LIMIT_FIELDS[operation].map((name) => (
          <FormTextField
            key={name}
            form={form}
            name={name}
            label={t(name)}
            inputMode="numeric"
            autoComplete="off"
          />
        ))}
        {operation === "speech" ? (
          <FormTextField form={form} name="default_voice" label={t("default_voice")} autoComplete="off" />
        ) : null}
      </div>
    </fieldset>
  );
}

function PerformanceFields({ form, operation }: { form: ModelFormState; operation: Model["operation"] }) {
  const t = useTranslations("models.form");
  const isEmbeddings = operation === "embeddings";
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-2 font-medium">{t("performance")}</legend>
      <SwitchField form={form} name="cacheable" label={t("cacheable")} hint={t("cacheableHint")} />
      {isEmbeddings ? (
        <>
          <SwitchField form={form} name="batching" label={t("batching")} hint={t("batchingHint")} />
          <SwitchField form={form} name="can_shorten" label={t("can_shorten")} />
        </>
      ) : null}
    </fieldset>
  );
}

function SwitchField({
  form,
  name,
  label,
  hint,
}: {
  form: ModelFormState;
  name: "cacheable" | "batching" | "can_shorten";
  label: string;
  hint?: string;
}) {
  return (
    <div className="flex items-start gap-3">
      <Controller
        control={form.control}
        name={name}
        render={({ field }) => (
          <Switch
            id={`model-${name}`}
            aria-describedby={hint ? `model-${name}-hint` : undefined}
            checked={field.value}
            onCheckedChange={field.onChange}
          />
        )}
      />
      <div className="grid gap-0.5">
        <Label htmlFor={`model-${name}`}>{label}</Label>
        {hint ? (
          <p id={`model-${name}-hint`} className="text-sm text-ink-muted">
            {hint}
          </p>
        ) : null}
      </div>
    </div>
  );
}
