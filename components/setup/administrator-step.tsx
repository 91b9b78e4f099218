"use client";

import { useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { CallError } from "../forms/call-error";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { NewPasswordFields } from "../forms/new-password-fields";
import { useSchemaResolver } from "../forms/schema-resolver";
import { setFieldErrors } from "../forms/set-field-errors";
import { Button } from "../ui/button";
import { Input } from "../ui/input";
import type { SetupDraft } from "./draft";
import { StepActions, StepBody } from "./wizard-frame";

const loadSchema = () => import("@/lib/contracts/console/setup").then((one) => one.SetupRequest);

interface AdministratorStepProps {
  draft: SetupDraft;
  onDraft(change: Partial<SetupDraft>): void;
  onCreated(username: string): void;
  onAlreadySetUp(): void;
  onTokenRefused(): void;
  onBack(): void;
}

/** The form that creates the owner with all answers of the earlier steps. */
export function AdministratorStep({ onBack, ...props }: AdministratorStepProps) {
  const t = useTranslations("setup.administrator");
  const common = useTranslations("common");
  const { form, error, create } = useCreateOwner(props);
  const { errors, isSubmitting } = form.formState;
  const [username, email, password] = form.watch(["username", "email", "password"]);

  return (
    <StepBody title={t("title")} text={t("text")}>
      <Form onSubmit={create} noValidate className="grid gap-8">
        <div className="grid max-w-form gap-5">
          <CallError error={error} />
          <IdentityFields form={form} onDraft={props.onDraft} />
          <NewPasswordFields
            password={{ label: t("password"), error: errors.password, control: form.register("password") }}
            confirm={{
              label: t("confirm"),
              error: errors.confirmPassword,
              control: form.register("confirmPassword"),
            }}
            entered={password}
            personal={[username, email ?? ""]}
            isRequired
          />
        </div>
        <StepActions>
          <Button variant="outline" size="lg" onClick={onBack}>
            {common("back")}
          </Button>
          <Button type="submit" size="lg" isBusy={isSubmitting}>
            {t("create")}
          </Button>
        </StepActions>
      </Form>
    </StepBody>
  );
}

/** The username and the e-mail address; both are kept in the draft. */
function IdentityFields({
  form,
  onDraft,
}: Pick<AdministratorStepProps, "onDraft"> & Pick<ReturnType<typeof useCreateOwner>, "form">) {
  const t = useTranslations("setup.administrator");
  const common = useTranslations("common");
  const { errors } = form.formState;
  return (
    <>
      <Field label={t("username")} hint={t("usernameHint")} error={errors.username?.message} isRequired>
        {(control) => (
          <Input
            {...control}
            {...form.register("username", {
              onBlur: (event) => onDraft({ username: event.target.value }),
            })}
            autoComplete="username"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
          />
        )}
      </Field>
      <Field
        label={t("email")}
        hint={t("emailHint")}
        error={errors.email?.message}
        isOptional
        optionalText={common("optional")}
      >
        {(control) => (
          <Input
            {...control}
            {...form.register("email", { onBlur: (event) => onDraft({ email: event.target.value }) })}
            type="email"
            autoComplete="email"
          />
        )}
      </Field>
    </>
  );
}

function useCreateOwner({
  draft,
  onCreated,
  onAlreadySetUp,
  onTokenRefused,
}: Omit<AdministratorStepProps, "onBack">) {
  const fieldError = useTranslations("common.fieldError");
  const [error, setError] = useState<unknown>(null);
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    mode: "onTouched",
    defaultValues: { username: draft.username, email: draft.email, password: "", confirmPassword: "" },
  });

  const create = form.handleSubmit(async (values) => {
    setError(null);
    try {
      const { user } = await callApi(api.setUpInstance, {
        body: {
          ...values,
          email: values.email || undefined,
          SelfUseModeEnabled: draft.usage === "self",
          DemoSiteEnabled: draft.usage === "demo",
          setup_token: draft.token || undefined,
        },
      });
      onCreated(user.username);
    } catch (failure) {
      if (isApiError(failure, "conflict")) return onAlreadySetUp();
      if (isApiError(failure, "setup_token_required")) return onTokenRefused();
      const fields = ["username", "email", "password", "confirmPassword"] as const;
      if (!setFieldErrors(form, failure, fields, fieldError)) setError(failure);
    }
  });
  return { form, error, create };
}
