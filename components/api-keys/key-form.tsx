"use client";

import { useMemo, useState } from "react";
import { type FieldErrors, useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import type { ApiKey, CreateKey } from "@/lib/contracts/console/api-keys";
import type { Role } from "@/lib/contracts/console/user";
import { CallError } from "../forms/call-error";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { setFieldErrors } from "../forms/set-field-errors";
import { Button } from "../ui/button";
import { DialogFooter } from "../ui/dialog";
import { Input } from "../ui/input";
import { Notice } from "../ui/notice";
import { KeyLimits } from "./key-limits";
import {
  fieldOf,
  KEY_FIELDS,
  type KeyValues,
  keyResolver,
  LIMIT_FIELDS,
  NEW_KEY,
  valuesOf,
} from "./key-values";
import { useLimitAuthor } from "./limit-author";
import { OperationChoice } from "./operation-choice";

/** The form of a new key (`before` null) or of one that is changed. */
export function KeyForm({
  before,
  viewerRole,
  mayManage,
  hidesBudgets,
  modelNames,
  onSave,
  onStale,
  onCancel,
}: {
  before: ApiKey | null;
  viewerRole: Role;
  /** Whether the visitor may hand out the right to manage. */
  mayManage: boolean;
  /** Self-use: no money to fill in. */
  hidesBudgets: boolean;
  /** Every name and alias there is. */
  modelNames: readonly string[];
  onSave(request: CreateKey): Promise<void>;
  /** The key was changed elsewhere: gives the newest. */
  onStale?(): Promise<ApiKey>;
  onCancel(): void;
}) {
  const t = useTranslations("apiKeys");
  const common = useTranslations("common");
  const setBy = useLimitAuthor(before, viewerRole);
  const fieldError = useTranslations("common.fieldError");
  const [error, setError] = useState<unknown>(null);
  const [isStale, setStale] = useState(false);
  const form = useForm({
    resolver: useMemo(() => keyResolver(fieldError, before), [fieldError, before]),
    defaultValues: before ? valuesOf(before) : NEW_KEY,
  });
  const { errors, isSubmitting } = form.formState;
  const [showsLimits, setShowsLimits] = useState(
    () => before !== null && LIMIT_FIELDS.some((name) => valuesOf(before)[name] !== ""),
  );
  const openLimitsOnError = (found: FieldErrors<KeyValues>) => {
    if (LIMIT_FIELDS.some((name) => found[name])) setShowsLimits(true);
  };

  const save = form.handleSubmit(async (request) => {
    setError(null);
    setStale(false);
    try {
      await onSave(request);
    } catch (failure) {
      if (onStale && isApiError(failure, "conflict")) {
        form.reset(valuesOf(await onStale()));
        setStale(true);
        return;
      }
      if (!setFieldErrors(form, failure, KEY_FIELDS, fieldError, fieldOf)) setError(failure);
      else setShowsLimits(true);
    }
  }, openLimitsOnError);

  return (
    <Form onSubmit={(event) => void save(event).catch(setError)} noValidate className="grid gap-5">
      <CallError error={error} />
      {isStale ? (
        <Notice tone="warn" isLive>
          {t("form.stale")}
        </Notice>
      ) : null}
      <Field label={t("form.name")} hint={t("form.nameHint")} error={errors.name?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.register("name")}
            autoComplete="off"
            placeholder={t("form.namePlaceholder")}
          />
        )}
      </Field>
      <OperationChoice
        hint={setBy("operations")}
        control={form.control}
        mayManage={mayManage || before?.operations.includes("manage") === true}
        error={errors.operations?.message}
      />
      <Field
        label={t("form.expires")}
        hint={setBy("expires_at") ?? t("form.expiresHint")}
        error={errors.expires?.message}
        className="max-w-48"
      >
        {(control) => <Input {...control} {...form.register("expires")} type="date" />}
      </Field>
      <KeyLimits
        form={form}
        isOpen={showsLimits}
        onOpen={setShowsLimits}
        setBy={setBy}
        modelNames={modelNames}
        hidesBudgets={
          hidesBudgets &&
          !before?.budget.total_usd &&
          !before?.budget.daily_usd &&
          !before?.budget.monthly_usd
        }
      />
      <DialogFooter>
        <Button variant="outline" onClick={onCancel}>
          {common("cancel")}
        </Button>
        <Button type="submit" isBusy={isSubmitting}>
          {before ? common("save") : t("create")}
        </Button>
      </DialogFooter>
    </Form>
  );
}
