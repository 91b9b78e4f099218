"use client";

import { XIcon } from "lucide-react";
import { type ComponentProps, type Ref, useImperativeHandle } from "react";
import { useController, useWatch } from "react-hook-form";
import { useTranslations } from "use-intl";
import { useChoice } from "../forms/record-choices";
import { RecordSelect } from "../forms/record-select";
import { FormField, FormTextField, VERBATIM } from "../forms/text-field";
import { Button } from "../ui/button";
import { Label } from "../ui/input";
import { type RulesForm, ThresholdField } from "./threshold-field";

/** The rule of one model or API key. */
export function ScopedRuleRow({
  form,
  index,
  onRemove,
}: {
  form: RulesForm;
  index: number;
  onRemove(row: Element | null): void;
}) {
  const t = useTranslations("alerts.rules");
  const rule = useWatch({ control: form.control, name: `rules.${index}` });
  const key = useChoice("keys", rule.scope === "key" ? rule.key_id : "");
  const name = rule.scope === "model" ? rule.model : (key?.name ?? "");
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
        <KeyField form={form} index={index} />
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

/** The API key of a rule; it may have been deleted. */
function KeyField({ form, index }: { form: RulesForm; index: number }) {
  const t = useTranslations("alerts.rules");
  const name = `rules.${index}.key_id` as const;
  const { field } = useController({ control: form.control, name });
  return (
    <FormField form={form} name={name} label={t("key")}>
      {/* The event handlers of `register` would read the value of the control itself: a button has none. */}
      {({ onChange: _, onBlur: _onBlur, ref: _ref, ...control }) => (
        <FocusableSelect
          {...control}
          ref={field.ref}
          kind="keys"
          label={t("key")}
          value={field.value}
          onValueChange={(id) =>
            form.setValue(name, id, { shouldDirty: true, shouldTouch: true, shouldValidate: true })
          }
          fixed={[{ value: "", name: t("keyNone") }]}
        />
      )}
    </FormField>
  );
}

/** Gives the form something to focus, whichever control the select is. */
function FocusableSelect({
  ref,
  ...props
}: ComponentProps<typeof RecordSelect> & { ref: Ref<{ focus(): void }> }) {
  const { id = "" } = props;
  useImperativeHandle(ref, () => ({ focus: () => document.getElementById(id)?.focus() }), [id]);
  return <RecordSelect {...props} />;
}
