"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { useUnsaved } from "@/lib/client/unsaved";
import { useApiCache } from "@/lib/client/use-api";
import type { Self } from "@/lib/contracts/console/user";
import { CallError } from "../forms/call-error";
import { Form } from "../forms/form";
import { useSchemaResolver } from "../forms/schema-resolver";
import { emptyToNull, FormTextField, TextField } from "../forms/text-field";
import { useSaveForm } from "../forms/use-save-form";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { Section } from "../ui/section";
import { toast } from "../ui/toast";

const loadSchema = () => import("@/lib/contracts/console/user").then((one) => one.UpdateSelf);

/** The form of the profile, and its saving. */
function useProfileForm(self: Self) {
  const t = useTranslations("account.profile");
  const router = useRouter();
  const cache = useApiCache();
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    mode: "onTouched",
    defaultValues: { display_name: self.display_name, email: self.email },
  });
  useUnsaved(form.formState.isDirty, t("title"));

  // Shows changes made elsewhere, except in fields that the user has edited.
  const { display_name, email } = self;
  useEffect(
    () => form.reset({ display_name, email }, { keepDirtyValues: true }),
    [form, display_name, email],
  );

  const { error, onSubmit } = useSaveForm(form, {
    fields: ["display_name", "email"],
    save: async (values) => {
      const saved = await callApi(api.updateSelf, { body: { ...values, version: self.version } });
      form.reset({ display_name: saved.display_name, email: saved.email });
      await cache.write(api.readSelf, {}, saved);
      // The shell shows the name too.
      router.refresh();
      toast.success(t("saved"));
    },
    onFailure: (failure) => {
      if (isApiError(failure, "conflict")) void cache.reload(api.readSelf);
      return false;
    },
  });
  return { form, error, onSubmit };
}

export function ProfileSection({ self, canSetEmail }: { self: Self; canSetEmail: boolean }) {
  const t = useTranslations("account.profile");
  const common = useTranslations("common");
  const { form, error, onSubmit } = useProfileForm(self);
  const { isSubmitting, isDirty } = form.formState;
  return (
    <Section
      title={t("title")}
      text={t("text")}
      status={<Badge tone="outline">{t(`role.${self.role}`)}</Badge>}
    >
      <Form onSubmit={onSubmit} noValidate className="grid max-w-form gap-5">
        <CallError error={error} />
        <TextField
          label={t("username")}
          hint={t("usernameHint")}
          value={self.username}
          readOnly
          autoComplete="username"
        />
        {/* Read-only while saving: the saved profile replaces what is entered. */}
        <FormTextField
          form={form}
          name="display_name"
          label={t("displayName")}
          readOnly={isSubmitting}
          autoComplete="name"
        />
        <FormTextField
          form={form}
          name="email"
          options={{ setValueAs: emptyToNull }}
          label={t("email")}
          hint={t(canSetEmail ? "emailHint" : "emailByAdministrators")}
          isOptional={canSetEmail}
          type="email"
          readOnly={isSubmitting || !canSetEmail}
          autoComplete="email"
        />
        <Button type="submit" className="w-fit" isBusy={isSubmitting} disabled={!isDirty}>
          {common("save")}
        </Button>
      </Form>
    </Section>
  );
}
