"use client";

import type { ReactNode } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import type { RegisterRequest } from "@/lib/contracts/console/invites";
import { Form } from "../../forms/form";
import { NewPasswordFields } from "../../forms/new-password-fields";
import { useSchemaResolver } from "../../forms/schema-resolver";
import { AS_TYPED, emptyToUndefined, FormTextField } from "../../forms/text-field";
import { Button } from "../../ui/button";
import { JoinError } from "./link-states";
import { useJoin } from "./use-join";

const loadSchema = () => import("@/lib/contracts/console/invites").then((one) => one.RegisterRequest);
const FIELDS = ["username", "password", "confirmPassword", "display_name"] as const;

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
      <FormTextField
        form={form}
        name="username"
        label={t("username")}
        isRequired
        autoComplete="username"
        {...AS_TYPED}
      />
      <FormTextField
        form={form}
        name="display_name"
        // Without one, the username is shown.
        options={{ setValueAs: emptyToUndefined }}
        label={t("displayName")}
        hint={t("displayNameHint")}
        isOptional
        autoComplete="name"
      />
      <NewPasswordFields
        form={form}
        password={{ name: "password", label: t("password") }}
        confirm={{ name: "confirmPassword", label: t("confirm") }}
        personal={[form.watch("username"), ...personal]}
        isRequired
      />
      <Button type="submit" size="lg" isBusy={isBusy}>
        {action}
      </Button>
    </Form>
  );
}
