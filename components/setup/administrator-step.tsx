"use client";

import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { CallError } from "../forms/call-error";
import { Form } from "../forms/form";
import { NewPasswordFields } from "../forms/new-password-fields";
import { useSchemaResolver } from "../forms/schema-resolver";
import { AS_TYPED, FormTextField } from "../forms/text-field";
import { useSaveForm } from "../forms/use-save-form";
import { Button } from "../ui/button";
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
  const { form, error, onSubmit } = useCreateOwner(props);
  const [username, email] = form.watch(["username", "email"]);

  return (
    <StepBody title={t("title")} text={t("text")}>
      <Form onSubmit={onSubmit} noValidate className="grid gap-8">
        <div className="grid max-w-form gap-5">
          <CallError error={error} />
          <IdentityFields form={form} onDraft={props.onDraft} />
          <NewPasswordFields
            form={form}
            password={{ name: "password", label: t("password") }}
            confirm={{ name: "confirmPassword", label: t("confirm") }}
            personal={[username, email ?? ""]}
            isRequired
          />
        </div>
        <StepActions onBack={onBack}>
          <Button type="submit" size="lg" isBusy={form.formState.isSubmitting}>
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
  return (
    <>
      <FormTextField
        form={form}
        name="username"
        options={{ onChange: (event) => onDraft({ username: event.target.value }) }}
        label={t("username")}
        hint={t("usernameHint")}
        isRequired
        autoComplete="username"
        {...AS_TYPED}
      />
      <FormTextField
        form={form}
        name="email"
        options={{ onChange: (event) => onDraft({ email: event.target.value }) }}
        label={t("email")}
        hint={t("emailHint")}
        isOptional
        type="email"
        autoComplete="email"
      />
    </>
  );
}

function useCreateOwner({
  draft,
  onCreated,
  onAlreadySetUp,
  onTokenRefused,
}: Omit<AdministratorStepProps, "onBack">) {
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    mode: "onTouched",
    defaultValues: { username: draft.username, email: draft.email, password: "", confirmPassword: "" },
  });

  const { error, onSubmit } = useSaveForm(form, {
    fields: ["username", "email", "password", "confirmPassword"],
    save: async (values) => {
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
    },
    onFailure: (failure) => {
      const isSetUp = isApiError(failure, "conflict");
      const isRefused = isApiError(failure, "setup_token_required");
      if (isSetUp) onAlreadySetUp();
      else if (isRefused) onTokenRefused();
      return isSetUp || isRefused;
    },
  });
  return { form, error, onSubmit };
}
