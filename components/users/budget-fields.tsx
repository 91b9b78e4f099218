import type { UseFormReturn } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { CreateUser, UpdateUser } from "@/lib/contracts/user";
import { Field } from "../forms/field";
import { Input } from "../ui/input";
import { MONEY_FIELDS, type UserValues } from "./user-values";

/** What a user may spend over all keys. */
export function BudgetFields({
  form,
}: {
  form: UseFormReturn<UserValues, unknown, CreateUser | UpdateUser>;
}) {
  const t = useTranslations("users.form");
  const { errors } = form.formState;
  return (
    <fieldset className="grid gap-3 rounded-md border p-4">
      <legend className="sr-only">{t("budget")}</legend>
      <p aria-hidden="true" className="grid">
        <span className="font-medium">{t("budget")}</span>
        <span className="text-sm text-ink-muted">{t("budgetText")}</span>
      </p>
      <div className="grid gap-4 sm:grid-cols-3">
        {MONEY_FIELDS.map((name) => (
          <Field key={name} label={t(name)} error={errors[name]?.message}>
            {(control) => <Input {...control} {...form.register(name)} inputMode="decimal" />}
          </Field>
        ))}
      </div>
    </fieldset>
  );
}
