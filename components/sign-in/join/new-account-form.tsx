"use client";

import type { ReactNode } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import type { RegisterRequest } from "@/lib/contracts/console/invites";
import { Field } from "../../forms/field";
import { Form } from "../../forms/form";
import { NewPasswordFields } from "../../forms/new-password-fields";
import { useSchemaResolver } from "../../forms/schema-resolver";
import { Button } from "../../ui/button";
import { Input } from "../../ui/input";
import { JoinError } from "./link-states";
import { useJoin } from "./use-join";

const loadSchema = () => import("@/lib/contracts/console/invites").then((one) => one.RegisterRequest);
const FIELDS = ["username", "password", "confirmPassword", "display_name"] as const;
/** An empty display name means the username. */
const emptyToUndefined = (text?: string) => (text === "" ? undefined : text);

/** The form of a new account; when `onCreate` has sent it, it opens the console. */
export function NewAccountForm({
  onCreate,
  action,
  personal = [],
  onInvalidLink,
  children,
}: {
  onCreate(account: RegisterRequest): Promise<unknown>;
  action: string;
  /** Words that make a password weak. */
  personal?: string[];
  /** The link has become invalid. */
  onInvalidLink?(): void;
  children?: ReactNode;
}) {
  const t = useTranslations("join");
  const form = useForm<RegisterRequest>({
    resolver: useSchemaResolver(loadSchema),
    mode: "onTouched",
    defaultValues: { username: "", password: "", confirmPassword: "" },
  });
  const { errors } = form.formState;
  const [username, password] = form.watch(["username", "password"]);

  const { onSubmit, error, isBusy } = useJoin(form, {
    fields: FIELDS,
    send: onCreate,
    onInvalidLink,
    showFieldError: (failure) => {
      const isTaken =
        isApiError(failure, "conflict") && failure.issues.some((one) => one.path === "username");
      if (isTaken) form.setError("username", { message: t("taken") }, { shouldFocus: true });
      return isTaken;
    },
  });

  return (
    <Form onSubmit={onSubmit} noValidate className="grid gap-5">
      {children}
      <JoinError error={error} />
      <UsernameField form={form} />
      <DisplayNameField form={form} />
      <NewPasswordFields
        password={{ label: t("password"), error: errors.password, control: () => form.register("password") }}
        confirm={{
          label: t("confirm"),
          error: errors.confirmPassword,
          control: () => form.register("confirmPassword"),
        }}
        entered={password}
        personal={[username, ...personal]}
        isRequired
      />
      <Button type="submit" size="lg" isBusy={isBusy}>
        {action}
      </Button>
    </Form>
  );
}

/** The username. */
function UsernameField({ form }: { form: UseFormReturn<RegisterRequest> }) {
  const t = useTranslations("join");
  const { errors } = form.formState;
  return (
    <Field label={t("username")} error={errors.username?.message} isRequired>
      {(control) => (
        <Input
          {...control}
          {...form.register("username")}
          autoComplete="username"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
        />
      )}
    </Field>
  );
}

/** The display name, which may be left out. */
function DisplayNameField({ form }: { form: UseFormReturn<RegisterRequest> }) {
  const t = useTranslations("join");
  const { errors } = form.formState;
  return (
    <Field
      label={t("displayName")}
      hint={t("displayNameHint")}
      error={errors.display_name?.message}
      isOptional
    >
      {(control) => (
        <Input
          {...control}
          {...form.register("display_name", { setValueAs: emptyToUndefined })}
          autoComplete="name"
        />
      )}
    </Field>
  );
}
