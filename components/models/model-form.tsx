"use client";

import { useMemo, useState } from "react";
import { Controller, type UseFormReturn, useForm } from "react-hook-form";
import { useFormatter, useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import type { CreateModel, Model, UpdateModel } from "@/lib/contracts/console/models";
import { CallError } from "../forms/call-error";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { FormFooter } from "../forms/form-footer";
import { setFieldErrors, useDialogDraft } from "../forms/use-save-form";
import { Input, Label } from "../ui/input";
import { Notice } from "../ui/notice";
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
  /** The model was changed elsewhere: returns the newest version. */
  onStale?(): Promise<Model>;
  onCancel(): void;
}

/** The form of a new or a saved model. */
export function ModelForm(props: ModelFormProps) {
  const { before, priceListDate, onCancel } = props;
  const t = useTranslations("models");
  const common = useTranslations("common");
  const { form, save, error, setError, isStale } = useModelForm(props);
  const { errors, isDirty, isSubmitting } = form.formState;
  useDialogDraft(isDirty);
  const operation = form.watch("operation");
  return (
    <Form onSubmit={(event) => void save(event).catch(setError)} noValidate className="grid gap-5">
      <CallError error={error} />
      {isStale ? (
        <Notice tone="warn" isLive>
          {t("form.stale")}
        </Notice>
      ) : null}
      {before ? null : <NameFields form={form} operation={operation} />}
      <Field label={t("form.aliases")} hint={t("form.aliasesHint")} error={errors.aliases?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.register("aliases")}
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
          />
        )}
      </Field>
      <Field label={t("form.description")} error={errors.description?.message}>
        {(control) => <Input {...control} {...form.register("description")} autoComplete="off" />}
      </Field>
      <PriceFields form={form} isNew={before === null} priceListDate={priceListDate} />
      <LimitFields form={form} operation={operation} />
      <PerformanceFields form={form} operation={operation} />
      <FormFooter action={before ? common("save") : t("create")} isBusy={isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

function useModelForm({ before, onSave, onStale }: ModelFormProps) {
  const fieldError = useTranslations("common.fieldError");
  const [error, setError] = useState<unknown>(null);
  const [isStale, setStale] = useState(false);
  const form: ModelFormState = useForm({
    resolver: useMemo(() => modelResolver(fieldError, before), [fieldError, before]),
    defaultValues: before ? valuesOf(before) : NEW_MODEL,
  });

  const save = form.handleSubmit(async (request) => {
    setError(null);
    setStale(false);
    try {
      await onSave(request);
    } catch (failure) {
      if (setFieldErrors(form, failure, MODEL_FIELDS, fieldError, fieldOf)) return;
      if (onStale && isApiError(failure, "conflict") && before) {
        const newest = await onStale();
        // Same version: the conflict is a name or alias that is already used; the server's message says which.
        if (newest.version === before.version) return setError(failure);
        form.reset(valuesOf(newest));
        return setStale(true);
      }
      setError(failure);
    }
  });
  return { form, save, error, setError, isStale };
}

/** Name and operation, which cannot be changed later. */
function NameFields({ form, operation }: { form: ModelFormState; operation: Model["operation"] }) {
  const t = useTranslations("models");
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_auto]">
      <Field label={t("form.name")} hint={t("form.nameHint")} error={form.formState.errors.name?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.register("name")}
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
          />
        )}
      </Field>
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

function PriceFields({
  form,
  isNew,
  priceListDate,
}: {
  form: ModelFormState;
  isNew: boolean;
  priceListDate: string | null;
}) {
  const t = useTranslations("models.form");
  const format = useFormatter();
  const { errors } = form.formState;
  const date =
    priceListDate === null
      ? "…"
      : format.dateTime(new Date(`${priceListDate}T00:00:00Z`), { dateStyle: "medium", timeZone: "UTC" });
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 font-medium">{t("prices")}</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        {PRICE_FIELDS.map((name) => (
          <Field key={name} label={t(name)} error={errors[name]?.message}>
            {(control) => (
              <Input {...control} {...form.register(name)} inputMode="decimal" autoComplete="off" />
            )}
          </Field>
        ))}
      </div>
      <p className="text-sm text-ink-muted">{isNew ? t("pricesShipped", { date }) : t("pricesHint")}</p>
    </fieldset>
  );
}

function LimitFields({ form, operation }: { form: ModelFormState; operation: Model["operation"] }) {
  const t = useTranslations("models.form");
  const { errors } = form.formState;
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-2 font-medium">{t("limits")}</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        {LIMIT_FIELDS[operation].map((name) => (
          <Field key={name} label={t(name)} error={errors[name]?.message}>
            {(control) => (
              <Input {...control} {...form.register(name)} inputMode="numeric" autoComplete="off" />
            )}
          </Field>
        ))}
        {operation === "speech" ? (
          <Field label={t("default_voice")} error={errors.default_voice?.message}>
            {(control) => <Input {...control} {...form.register("default_voice")} autoComplete="off" />}
          </Field>
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
          <Switch id={`model-${name}`} checked={field.value} onCheckedChange={field.onChange} />
        )}
      />
      <div className="grid gap-0.5">
        <Label htmlFor={`model-${name}`}>{label}</Label>
        {hint ? <p className="text-sm text-ink-muted">{hint}</p> : null}
      </div>
    </div>
  );
}
