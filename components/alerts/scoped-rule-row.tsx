"use client";

import { XIcon } from "lucide-react";
import { useWatch } from "react-hook-form";
import { useTranslations } from "use-intl";
import { FormField, FormTextField, VERBATIM } from "../forms/text-field";
import { Button } from "../ui/button";
import { Label, NativeSelect, SelectOptions } from "../ui/input";
import { type RulesForm, ThresholdField } from "./threshold-field";

/** The rule of one model or API key. */
export function ScopedRuleRow({
  form,
  index,
  keys,
  onRemove,
}: {
  form: RulesForm;
  index: number;
  keys: readonly { id: string; name: string }[];
  onRemove(row: Element | null): void;
}) {
  const t = useTranslations("alerts.rules");
  const rule = useWatch({ control: form.control, name: `rules.${index}` });
  const name = rule.scope === "model" ? rule.model : (keys.find((key) => key.id === rule.key_id)?.name ?? "");
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 gap-y-4 p-4">
      {rule.scope === "model" ? (
        <FormTextField
          form={form}
          name={`rules.${index}.model`}
          label={t("model")}
          list="alert-rule-models"
          {...VERBATIM}
        />
      ) : (
        <FormField form={form} name={`rules.${index}.key_id`} label={t("key")}>
          {(control) => (
            <NativeSelect {...control}>
              <option value="">{t("keyNone")}</option>
              {/* The selected key may be deleted, or beyond the list's first page. */}
              <SelectOptions of={keys.map((key) => [key.id, key.name])} selected={rule.key_id || undefined} />
            </NativeSelect>
          )}
        </FormField>
      )}
      <Button
        variant="ghost"
        size="icon-sm"
        aria-label={t("remove", { name })}
        onClick={(event) => onRemove(event.currentTarget.parentElement)}
        className="mt-6.5"
      >
        <XIcon />
      </Button>
      <div className="col-span-full flex flex-wrap gap-x-8 gap-y-4">
        <ThresholdField
          form={form}
          name={`rules.${index}.error_rate_percent`}
          label={t("scopedErrors")}
          unit={t("errorsUnit")}
        />
        {rule.scope === "model" ? (
          <ThresholdField
            form={form}
            name={`rules.${index}.channel_open_minutes`}
            label={t("scopedChannel")}
            unit={t("channelUnit")}
          />
        ) : (
          <Label className="flex h-9 items-center gap-2 font-normal sm:mt-6.5">
            <input
              type="checkbox"
              {...form.register(`rules.${index}.budgets`)}
              className="size-4 accent-ink pointer-coarse:size-5"
            />
            {t("scopedBudgets")}
          </Label>
        )}
      </div>
    </li>
  );
}
