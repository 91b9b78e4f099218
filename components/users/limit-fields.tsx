import type { UseFormReturn } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { CreateUser, UpdateUser } from "@/lib/contracts/console/user";
import { Field } from "../forms/field";
import { BUDGET_FIELDS, type LimitValues } from "../forms/limit-values";
import { Input } from "../ui/input";
import type { UserValues } from "./user-values";

/** A group of limits that apply to all of a user's keys together. */
export function LimitFields({
  form,
  title,
  text,
  names,
}: {
  form: UseFormReturn<UserValues, unknown, CreateUser | UpdateUser>;
  title: string;
  text: string;
  names: readonly (keyof LimitValues)[];
}) {
  const t = useTranslations("users.form");
  const { errors } = form.formState;
  const isBudget = (name: keyof LimitValues) => BUDGET_FIELDS.some((one) => one === name);
  return (
    <fieldset className="grid gap-3 rounded-md border p-4">
      <legend className="sr-only">{title}</legend>
      <p aria-hidden="true" className="grid">
        <span className="font-medium">{title}</span>
        <span className="text-sm text-ink-muted">{text}</span>
      </p>
      <div className="grid gap-4 sm:grid-cols-3 sm:items-end">
        {names.map((name) => (
          <Field key={name} label={t(name)} error={errors[name]?.message}>
            {(control) => (
              <Input
                {...control}
                {...form.register(name)}
                inputMode={isBudget(name) ? "decimal" : "numeric"}
              />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
  );
}
