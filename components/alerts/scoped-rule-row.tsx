"use client";

import { XIcon } from "lucide-react";
import { useWatch } from "react-hook-form";
import { useTranslations } from "use-intl";
import { Field } from "../forms/field";
import { Button } from "../ui/button";
import { Input, Label, NativeSelect } from "../ui/input";
import { messageAt, type RulesForm, ThresholdField } from "./threshold-field";

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
  onRemove(): void;
}) {
  const t = useTranslations("alerts.rules");
  const { control, register } = form;
  const rule = useWatch({ control, name: `rules.${index}` });
  const name = rule.scope === "model" ? rule.model : (keys.find((key) => key.id === rule.key_id)?.name ?? "");
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 gap-y-4 p-4">
      {rule.scope === "model" ? (
        <ModelField form={form} index={index} register={register} />
      ) : (
        <KeyField form={form} index={index} register={register} rule={rule} keys={keys} />
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

/** The key that the rule is for. */
function KeyField({
  form,
  index,
  register,
  rule,
  keys,
}: {
  form: RulesForm;
  index: number;
  register: RulesForm["register"];
  rule: { key_id: string };
  keys: readonly { id: string; name: string }[];
}) {
  const t = useTranslations("alerts.rules");
  return (
    <Field label={t("key")} error={messageAt(form, `rules.${index}.key_id`)}>
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
  );
}

/** The model that the rule is for. */
function ModelField({
  form,
  index,
  register,
}: {
  form: RulesForm;
  index: number;
  register: RulesForm["register"];
}) {
  const t = useTranslations("alerts.rules");
  return (
    <Field label={t("model")} error={messageAt(form, `rules.${index}.model`)}>
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
  );
}
