"use client";

import { ChevronRightIcon } from "lucide-react";
import { useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { CreateKey, KeyLimit } from "@/lib/contracts/console/api-keys";
import { Field } from "../forms/field";
import { Input } from "../ui/input";
import { type KeyValues, unknownModels } from "./key-values";

const COUNTS = ["rpm", "tpm", "concurrency"] as const;
const MONEY = ["daily", "monthly", "total"] as const;
const LISTS = ["models", "addresses"] as const;

/** What bounds a key; folded away, since most keys need none of it. */
export function KeyLimits({
  form,
  isOpen,
  onOpen,
  setBy,
  modelNames,
  hidesBudgets,
}: {
  form: UseFormReturn<KeyValues, unknown, CreateKey>;
  isOpen: boolean;
  onOpen(isOpen: boolean): void;
  /** Says of a limit that somebody of a higher role set it. */
  setBy(limit: KeyLimit): string | null;
  modelNames: readonly string[];
  hidesBudgets: boolean;
}) {
  const t = useTranslations("apiKeys.form");
  const { errors } = form.formState;
  const [isTyping, setTyping] = useState(false);
  const unknown = unknownModels(form.watch("models"), modelNames, isTyping);
  return (
    <details
      open={isOpen}
      onToggle={(event) => onOpen(event.currentTarget.open)}
      className="group rounded-md border"
    >
      <summary className="flex list-none items-start gap-2 rounded-md px-4 py-3 [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon
          aria-hidden="true"
          className="mt-0.75 size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
        />
        <span className="grid">
          <span className="font-medium">{t("limits")}</span>
          <span className="text-sm text-ink-muted">
            {hidesBudgets ? t("limitsTextPlain") : t("limitsText")}
          </span>
        </span>
      </summary>
      <div className="grid gap-5 border-t p-4">
        <div className="grid gap-4 sm:grid-cols-3">
          {COUNTS.map((name) => (
            <Field key={name} label={t(name)} hint={setBy(name)} error={errors[name]?.message}>
              {(control) => <Input {...control} {...form.register(name)} inputMode="numeric" />}
            </Field>
          ))}
        </div>
        {hidesBudgets ? null : (
          <div className="grid gap-4 sm:grid-cols-3">
            {MONEY.map((name) => (
              <Field
                key={name}
                label={t(name)}
                hint={setBy(`budget.${name}_usd`)}
                error={errors[name]?.message}
              >
                {(control) => <Input {...control} {...form.register(name)} inputMode="decimal" />}
              </Field>
            ))}
          </div>
        )}
        {LISTS.map((name) => (
          <Field
            key={name}
            label={t(name)}
            hint={
              <>
                {t(`${name}Hint`)} {setBy(`allowed_${name}`)}
                {name === "models" ? <UnknownModels names={unknown} /> : null}
              </>
            }
            error={errors[name]?.message}
          >
            {(control) => (
              <Input
                {...control}
                {...form.register(name, { onBlur: () => setTyping(false) })}
                onFocus={() => setTyping(true)}
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
              />
            )}
          </Field>
        ))}
      </div>
    </details>
  );
}

/** Models may come after the key that is for them, so this is no fault. */
function UnknownModels({ names }: { names: readonly string[] }) {
  const t = useTranslations("apiKeys.form");
  return (
    <span role="status" className="block break-words text-warn">
      {names.length > 0 ? t("modelsUnknown", { names: names.join(", ") }) : null}
    </span>
  );
}
