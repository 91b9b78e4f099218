"use client";

import { XIcon } from "lucide-react";
import { type Control, type FieldErrors, get, type UseFormRegister, useWatch } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { Settings } from "@/lib/contracts/console/settings";
import { Field } from "../forms/field";
import { Button } from "../ui/button";
import { Input, Label, NativeSelect } from "../ui/input";
import { numberOrNull } from "./field-values";

type Rules = Settings["alerts"];

interface RuleRowProps {
  index: number;
  control: Control<Rules>;
  register: UseFormRegister<Rules>;
  errors: FieldErrors<Rules>;
  keys: readonly { id: string; name: string }[];
  onRemove(): void;
}

/** The rule of one model or API key. */
export function ScopedRuleRow({ index, control, register, errors, keys, onRemove }: RuleRowProps) {
  const t = useTranslations("alerts.rules");
  const rule = useWatch({ control, name: `rules.${index}` });
  const messageOf = (field: string): string | undefined => {
    const error: { message?: string } | undefined = get(errors, `rules.${index}.${field}`);
    return error?.message;
  };
  const name = rule.scope === "model" ? rule.model : (keys.find((key) => key.id === rule.key_id)?.name ?? "");
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 gap-y-4 p-4">
      {rule.scope === "model" ? (
        <Field label={t("model")} error={messageOf("model")}>
          {(field) => (
            <Input
              {...field}
              {...register(`rules.${index}.model`)}
              list="alert-rule-models"
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
      ) : (
        <Field label={t("key")} error={messageOf("key_id")}>
          {(field) => (
            <NativeSelect {...field} {...register(`rules.${index}.key_id`)}>
              <option value="">{t("keyNone")}</option>
              {/* A key that is deleted, or beyond the list's first page. */}
              {rule.key_id === "" || keys.some((key) => key.id === rule.key_id) ? null : (
                <option value={rule.key_id}>{rule.key_id}</option>
              )}
              {keys.map((key) => (
                <option key={key.id} value={key.id}>
                  {key.name}
                </option>
              ))}
            </NativeSelect>
          )}
        </Field>
      )}
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={t("remove", { name })}
        onClick={onRemove}
        className="mt-6.5"
      >
        <XIcon />
      </Button>
      <div className="col-span-full flex flex-wrap gap-x-8 gap-y-4">
        <Field label={t("scopedErrors")} error={messageOf("error_rate_percent")}>
          {(field) => (
            <span className="flex items-center gap-2">
              <Input
                {...field}
                {...register(`rules.${index}.error_rate_percent`, { setValueAs: numberOrNull })}
                inputMode="numeric"
                autoComplete="off"
                className="w-16 tabular"
              />
              <span aria-hidden="true" className="text-sm text-ink-muted">
                {t("errorsUnit")}
              </span>
            </span>
          )}
        </Field>
        {rule.scope === "model" ? (
          <Field label={t("scopedChannel")} error={messageOf("channel_open_minutes")}>
            {(field) => (
              <span className="flex items-center gap-2">
                <Input
                  {...field}
                  {...register(`rules.${index}.channel_open_minutes`, { setValueAs: numberOrNull })}
                  inputMode="numeric"
                  autoComplete="off"
                  className="w-16 tabular"
                />
                <span aria-hidden="true" className="text-sm text-ink-muted">
                  {t("channelUnit")}
                </span>
              </span>
            )}
          </Field>
        ) : (
          <Label className="flex h-9 items-center gap-2 font-normal sm:mt-6.5">
            <input
              type="checkbox"
              {...register(`rules.${index}.budgets`)}
              className="size-4 accent-ink pointer-coarse:size-5"
            />
            {t("scopedBudgets")}
          </Label>
        )}
      </div>
    </li>
  );
}
