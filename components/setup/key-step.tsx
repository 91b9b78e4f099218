"use client";

import { useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import type { ApiKeyWithSecret } from "@/lib/contracts/console/api-keys";
import { CallError } from "../forms/call-error";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { KeyReveal } from "../forms/key-reveal";
import { setFieldErrors } from "../forms/set-field-errors";
import { useSchemaResolver } from "../forms/schema-resolver";
import { Button } from "../ui/button";
import { Input } from "../ui/input";
import { Notice } from "../ui/notice";
import { Skeleton } from "../ui/skeleton";
import { StepActions, StepBody } from "./wizard-frame";

const loadSchema = () => import("@/lib/contracts/console/api-keys").then((one) => one.CreateKey);

export function KeyStep({
  secret,
  wasMadeBefore,
  onKey,
  onNext,
  onBack,
}: {
  /** The key, while it is still in this page's memory. */
  secret: string | null;
  /** Null while it is being asked. */
  wasMadeBefore: boolean | null;
  onKey(secret: string): void;
  onNext(): void;
  onBack(): void;
}) {
  const t = useTranslations("setup.key");
  const common = useTranslations("common");
  const fieldError = useTranslations("common.fieldError");
  const [error, setError] = useState<unknown>(null);
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    defaultValues: { name: t("defaultName") },
  });
  const { errors, isSubmitting } = form.formState;

  const create = form.handleSubmit(async ({ name }) => {
    setError(null);
    try {
      const made = await api.post<ApiKeyWithSecret>("/api/keys", { name });
      onKey(made.key);
    } catch (failure) {
      if (!setFieldErrors(form, failure, ["name"], fieldError)) setError(failure);
    }
  });

  if (secret === null && wasMadeBefore === null) {
    return (
      <StepBody title={t("title")} text={t("text")}>
        <Skeleton className="h-40 rounded-md" />
      </StepBody>
    );
  }
  if (secret !== null || wasMadeBefore) {
    return (
      <StepBody
        title={secret !== null ? t("madeTitle") : t("title")}
        text={secret !== null ? t("madeText") : t("text")}
      >
        {secret !== null ? <KeyReveal secret={secret} /> : <Notice tone="info">{t("lost")}</Notice>}
        <StepActions>
          <Button variant="outline" size="lg" onClick={onBack}>
            {common("back")}
          </Button>
          <Button size="lg" onClick={onNext}>
            {common("next")}
          </Button>
        </StepActions>
      </StepBody>
    );
  }
  return (
    <StepBody title={t("title")} text={t("text")}>
      <Form onSubmit={create} noValidate className="grid gap-8">
        <CallError error={error} />
        <Field label={t("name")} error={errors.name?.message} className="max-w-form" isRequired>
          {(control) => <Input {...control} {...form.register("name")} autoComplete="off" />}
        </Field>
        <StepActions>
          <Button variant="outline" size="lg" onClick={onBack}>
            {common("back")}
          </Button>
          <Button type="submit" size="lg" isBusy={isSubmitting}>
            {t("create")}
          </Button>
          <Button variant="ghost" size="lg" onClick={onNext}>
            {t("skip")}
          </Button>
        </StepActions>
      </Form>
    </StepBody>
  );
}
