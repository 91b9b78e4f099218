import type { UseFormReturn } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { CreateUser, UpdateUser } from "@/lib/contracts/console/user";
import { Field } from "../forms/field";
import { Input } from "../ui/input";
import { type CALL_FIELDS, MONEY_FIELDS, type UserValues } from "./user-values";

type LimitName = (typeof CALL_FIELDS | typeof MONEY_FIELDS)[number];

/** Limits that hold for all keys of a user together, under a heading. */
export function LimitFields({
  form,
  title,
  text,
  names,
}: {
  form: UseFormReturn<UserValues, unknown, CreateUser | UpdateUser>;
  title: string;
  text: string;
  names: readonly LimitName[];
}) {
  const t = useTranslations("users.form");
  const { errors } = form.formState;
  const isMoney = (name: LimitName) => MONEY_FIELDS.some((one) => one === name);
  return (
    <fieldset className="grid gap-3 rounded-md border p-4">
      <legend className="sr-only">{title}</legend>
      <p aria-hidden="true" className="grid">
        <span className="font-medium">{title}</span>
        <span className="text-sm text-ink-muted">{text}</span>
      </p>
      <div className="grid gap-4 sm:grid-cols-3">
        {names.map((name) => (
          <Field key={name} label={t(name)} error={errors[name]?.message}>
            {(control) => (
              <Input
                {...control}
                {...form.register(name)}
                inputMode={isMoney(name) ? "decimal" : "numeric"}
              />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
  );
}
