"use client";

import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { CallError } from "../forms/call-error";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { useSchemaResolver } from "../forms/schema-resolver";
import { SecretBox } from "../forms/secret-box";
import { useSaveForm } from "../forms/use-save-form";
import { Button } from "../ui/button";
import { Input } from "../ui/input";
import { Notice } from "../ui/notice";
import { Skeleton } from "../ui/skeleton";
import { StepActions, StepBody } from "./wizard-frame";

const loadSchema = () => import("@/lib/contracts/console/api-keys").then((one) => one.CreateKey);

interface KeyStepProps {
  /** The new key's secret, as long as the page holds it in memory. */
  secret: string | null;
  /** Whether the owner already has a key; null while loading. */
  hasKey: boolean | null;
  onKey(secret: string): void;
  onNext(): void;
  onBack(): void;
}

/** Creates the first API key and shows its secret once. */
export function KeyStep({ secret, hasKey, onKey, onNext, onBack }: KeyStepProps) {
  const t = useTranslations("setup.key");
  if (secret !== null || hasKey) return <CreatedKey secret={secret} onNext={onNext} onBack={onBack} />;
  if (hasKey === null) {
    return (
      <StepBody title={t("title")} text={t("text")}>
        <Skeleton className="h-40 rounded-md" />
      </StepBody>
    );
  }
  return <CreateKeyForm onKey={onKey} onNext={onNext} onBack={onBack} />;
}

/** The created key; without its secret (after a reload), a notice that it cannot be shown again. */
function CreatedKey({ secret, onNext, onBack }: Pick<KeyStepProps, "secret" | "onNext" | "onBack">) {
  const t = useTranslations("setup.key");
  const reveal = useTranslations("apiKeys.reveal");
  const common = useTranslations("common");
  const labels = { copy: reveal("copy"), once: reveal("once"), onceText: reveal("onceText") };
  return (
    <StepBody
      title={secret === null ? t("title") : t("createdTitle")}
      text={secret === null ? t("text") : t("createdText")}
    >
      {secret === null ? (
        <Notice tone="info">{t("lost")}</Notice>
      ) : (
        <SecretBox secret={secret} name="api-key" labels={labels} />
      )}
      <StepActions onBack={onBack}>
        <Button size="lg" onClick={onNext}>
          {common("next")}
        </Button>
      </StepActions>
    </StepBody>
  );
}

function CreateKeyForm({ onKey, onNext, onBack }: Pick<KeyStepProps, "onKey" | "onNext" | "onBack">) {
  const t = useTranslations("setup.key");
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    defaultValues: { name: t("defaultName") },
  });
  const { errors, isSubmitting } = form.formState;

  const { error, onSubmit } = useSaveForm(form, {
    fields: ["name"],
    save: async ({ name }) => {
      const created = await callApi(api.createKey, { body: { name } });
      onKey(created.key);
    },
  });

  return (
    <StepBody title={t("title")} text={t("text")}>
      <Form onSubmit={onSubmit} noValidate className="grid gap-8">
        <CallError error={error} />
        <Field label={t("name")} error={errors.name?.message} className="max-w-form" isRequired>
          {(control) => <Input {...control} {...form.register("name")} autoComplete="off" />}
        </Field>
        <StepActions onBack={onBack}>
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
