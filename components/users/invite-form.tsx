"use client";

import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { CreateInvite } from "@/lib/contracts/console/invites";
import type { Role } from "@/lib/contracts/console/user";
import { CallError } from "../forms/call-error";
import { Form } from "../forms/form";
import { FormFooter } from "../forms/form-footer";
import { useSchemaResolver } from "../forms/schema-resolver";
import { emptyToNull, FormField, FormTextField } from "../forms/text-field";
import { useSaveForm } from "../forms/use-save-form";
import { NativeSelect, SelectOptions } from "../ui/input";
import { RoleField } from "./role-field";

const loadSchema = () => import("@/lib/contracts/console/invites").then((one) => one.CreateInvite);
const DAYS = [1, 3, 7, 30];
const HOURS_PER_DAY = 24;

/** The form that creates an invite link: role, e-mail and expiry. */
export function InviteForm({
  viewerRole,
  onInvite,
  onCancel,
}: {
  viewerRole: Role;
  onInvite(request: CreateInvite): Promise<void>;
  onCancel(): void;
}) {
  const t = useTranslations("users");
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    defaultValues: { role: "member", email: null, expires_hours: 3 * HOURS_PER_DAY },
  });
  const { errors, isSubmitting } = form.formState;
  const { error, onSubmit } = useSaveForm(form, {
    fields: ["role", "email", "expires_hours"],
    save: onInvite,
  });
  return (
    <Form onSubmit={onSubmit} noValidate className="grid gap-5">
      <CallError error={error} />
      <RoleField
        viewerRole={viewerRole}
        chosen={form.watch("role") ?? "member"}
        error={errors.role?.message}
        {...form.register("role")}
      />
      <FormTextField
        form={form}
        name="email"
        options={{ setValueAs: emptyToNull }}
        label={t("form.email")}
        hint={t("inviteForm.emailHint")}
        isOptional
        type="email"
        autoComplete="off"
      />
      <FormField
        form={form}
        name="expires_hours"
        options={{ valueAsNumber: true }}
        label={t("inviteForm.expires")}
        className="max-w-48"
      >
        {(control) => (
          <NativeSelect {...control}>
            <SelectOptions of={DAYS.map((days) => [days * HOURS_PER_DAY, t("inviteForm.days", { days })])} />
          </NativeSelect>
        )}
      </FormField>
      <FormFooter action={t("inviteForm.action")} isBusy={isSubmitting} onCancel={onCancel} />
    </Form>
  );
}
