"use client";

import { useTranslations } from "use-intl";
import { OPTION_KEYS, type OptionField, optionFields } from "@/components/channels/channel-options";
import { Field, FormAlert } from "../../forms/field";
import { Input, NativeSelect, SelectOptions, Textarea } from "../../ui/input";
import { PairFields } from "./pair-fields";
import type { ChannelForm } from "./use-channel-form";

/** Not translated: the first line of every PEM certificate. */
const PEM_START = "-----BEGIN CERTIFICATE-----";

/** One field per option of the provider; an empty field means the provider's default. */
export function OptionFields({ form: { draft, fieldErrors, change } }: { form: ChannelForm }) {
  const t = useTranslations("channels.form");
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 font-medium">{t("options")}</legend>
      <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        {optionFields(draft.provider).map((field) => (
          <Field
            key={field.name}
            label={t(`option.${OPTION_KEYS[field.name]}`)}
            hint={t(`optionHint.${OPTION_KEYS[field.name]}`)}
            error={fieldErrors[`options.${field.name}`]}
            className={field.kind === "certificate" ? "sm:col-span-2" : undefined}
          >
            {(control) => (
              <OptionControl
                field={field}
                control={control}
                value={draft.options[field.name] ?? ""}
                onChange={(text) => change({ options: { ...draft.options, [field.name]: text } })}
              />
            )}
          </Field>
        ))}
      </div>
      <PairFields
        texts={{
          title: t("voices"),
          hint: t("voicesHint"),
          name: t("voiceFrom"),
          value: t("voiceTo"),
          add: t("addVoice"),
          remove: (name) => t("removeVoice", { name }),
        }}
        pairs={draft.voices}
        errors={Object.entries(fieldErrors).flatMap(([name, message]) =>
          name.startsWith("options.voices") && message ? [message] : [],
        )}
        onChange={(voices) => change({ voices })}
      />
      <FormAlert error={fieldErrors.options} />
    </fieldset>
  );
}

function OptionControl({
  field,
  control,
  value,
  onChange,
}: {
  field: OptionField;
  control: object;
  value: string;
  onChange(text: string): void;
}) {
  const t = useTranslations("channels.form");
  const input = {
    ...control,
    value,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  const text = { ...input, autoComplete: "off", spellCheck: false } as const;
  switch (field.kind) {
    case "choice":
    case "switch":
      return (
        <NativeSelect {...input}>
          <option value="">{t("optionDefault")}</option>
          <SelectOptions
            of={
              field.kind === "choice"
                ? field.values.map((one) => [one, typeof one === "number" ? t("hertz", { rate: one }) : one])
                : [
                    ["true", t("optionOn")],
                    ["false", t("optionOff")],
                  ]
            }
          />
        </NativeSelect>
      );
    case "number":
    case "text":
      return (
        <Input
          {...text}
          inputMode={field.kind === "number" ? "decimal" : undefined}
          placeholder={field.kind === "text" ? field.example : t("optionDefault")}
        />
      );
    case "certificate":
      return <Textarea {...text} rows={3} placeholder={PEM_START} className="max-h-60 font-mono text-sm" />;
    default:
      return field satisfies never;
  }
}
