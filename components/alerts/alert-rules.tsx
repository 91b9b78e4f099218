"use client";

import { PlusIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { type ComponentProps, useEffect, useRef } from "react";
import { useFieldArray, useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { loadPart } from "@/lib/client/load-part";
import { useUnsaved } from "@/lib/client/unsaved";
import { useApi } from "@/lib/client/use-api";
import type { Settings, VersionedSettings } from "@/lib/contracts/console/settings";
import { CallError } from "../forms/call-error";
import { Form } from "../forms/form";
import { useSchemaResolver } from "../forms/schema-resolver";
import { emptyToNull, FormTextField, VERBATIM } from "../forms/text-field";
import { useSaveForm } from "../forms/use-save-form";
import { Button } from "../ui/button";
import { Label } from "../ui/input";
import { leaveRow } from "../ui/leave-row";
import { Notice } from "../ui/notice";
import { Section } from "../ui/section";
import { Skeleton } from "../ui/skeleton";
import { toast } from "../ui/toast";
import { type RulesForm, ThresholdField } from "./threshold-field";

type Rules = Settings["alerts"];

const loadSchema = () => import("@/lib/contracts/console/settings").then((one) => one.Settings.shape.alerts);
/** Threshold fields and their message keys. */
const THRESHOLDS = [
  ["channel_open_minutes", "channel"],
  ["error_rate_percent", "errors"],
  ["disk_free_percent", "disk"],
] as const;
// Names every field; the assertion only restores the names, which Object.keys returns as strings.
const FIELDS = Object.keys({
  channel_open_minutes: true,
  error_rate_percent: true,
  disk_free_percent: true,
  budgets: true,
  rules: true,
  webhook_url: true,
  slack_url: true,
} satisfies Record<keyof Rules, true>) as (keyof Rules)[];

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The rules of alerts and the webhooks that receive them. */
export function AlertRules() {
  const t = useTranslations("alerts.rules");
  const { data, error, mutate } = useApi(api.readSettings);
  return (
    <Section title={t("title")} text={t("text")}>
      {error && !data ? (
        <CallError error={error} onRetry={() => void mutate()} />
      ) : !data ? (
        <div aria-busy="true" className="grid min-h-112 content-start gap-4">
          {[0, 1, 2, 3].map((row) => (
            <Skeleton key={row} className="h-9 w-72" />
          ))}
        </div>
      ) : (
        <RulesFields
          settings={data}
          onSaved={(saved) => void mutate(saved, { revalidate: false })}
          onStale={async () => (await mutate()) ?? data}
        />
      )}
    </Section>
  );
}

interface RulesFormProps {
  settings: VersionedSettings;
  onSaved(saved: VersionedSettings): void;
  /** The settings were changed elsewhere: returns the newest version. */
  onStale(): Promise<VersionedSettings>;
}

function RulesFields(props: RulesFormProps) {
  const t = useTranslations("alerts.rules");
  const common = useTranslations("common");
  const { form, onSubmit, error, isStale } = useRulesForm(props);
  const { isSubmitting, isDirty } = form.formState;
  return (
    <Form onSubmit={onSubmit} noValidate className="grid max-w-form gap-5">
      <CallError error={error} />
      {isStale ? <Notice tone="warn" isLive title={t("stale")} /> : null}
      {THRESHOLDS.map(([name, key]) => (
        <ThresholdField key={name} form={form} name={name} label={t(key)} unit={t(`${key}Unit`)} />
      ))}
      <Label className="flex items-center gap-2 font-normal">
        <input
          type="checkbox"
          {...form.register("budgets")}
          className="size-4 accent-ink pointer-coarse:size-5"
        />
        {t("budgets")}
      </Label>
      <ScopedRules form={form} />
      {(["webhook", "slack"] as const).map((kind) => (
        <FormTextField
          key={kind}
          form={form}
          name={`${kind}_url`}
          options={{ setValueAs: emptyToNull }}
          label={t(kind)}
          hint={t(`${kind}Hint`)}
          isOptional
          // A saved URL is shown masked, so it can only be replaced as a whole.
          onFocus={({ currentTarget: field }) => {
            if (field.value === props.settings.alerts[`${kind}_url`]) field.select();
          }}
          type="url"
          inputMode="url"
          placeholder={t(`${kind}Placeholder`)}
          {...VERBATIM}
        />
      ))}
      <Button type="submit" className="w-fit" isBusy={isSubmitting} disabled={!isDirty}>
        {common("save")}
      </Button>
    </Form>
  );
}

function useRulesForm({ settings, onSaved, onStale }: RulesFormProps) {
  const t = useTranslations("alerts.rules");
  const form: RulesForm = useForm<Rules>({
    resolver: useSchemaResolver(loadSchema),
    defaultValues: settings.alerts,
  });
  const { reset, getValues } = form;
  const { isDirty, dirtyFields } = form.formState;
  // A string, whose changes the effect notices: react-hook-form changes `dirtyFields` in place.
  const dirtyNames = FIELDS.filter((name) => dirtyFields[name] === true).join();
  /** The settings that the form was last filled from. */
  const base = useRef(settings);
  // Saving sends all rules under the newest version, so untouched fields must follow changes made elsewhere.
  useEffect(() => {
    if (settings === base.current) return;
    const before = base.current.alerts;
    const isEdited = (name: keyof Rules) =>
      name === "rules" ? !isSame(getValues(name), before[name]) : dirtyNames.split(",").includes(name);
    // A field was changed both here and elsewhere: the form keeps its version, so that saving reports the conflict.
    if (isDirty && FIELDS.some((name) => isEdited(name) && !isSame(before[name], settings.alerts[name])))
      return;
    base.current = settings;
    reset(settings.alerts, { keepDirtyValues: true });
  }, [settings, reset, getValues, isDirty, dirtyNames]);
  useUnsaved(isDirty, t("title"));

  const saving = useSaveForm(form, {
    fields: FIELDS,
    fieldOf: (path) => path.replace(/^alerts\./, ""),
    save: async (alerts) => {
      const sent = structuredClone(getValues());
      const saved = await callApi(api.updateSettings, { body: { alerts, version: base.current.version } });
      base.current = saved;
      const entered = structuredClone(getValues());
      form.reset(saved.alerts);
      // What was entered while saving stays in the form, to be saved next.
      for (const name of FIELDS)
        if (!isSame(entered[name], sent[name])) form.setValue(name, entered[name], { shouldDirty: true });
      onSaved(saved);
      toast.success(t("saved"));
    },
    reload: async () => {
      base.current = await onStale();
      return base.current.alerts;
    },
  });
  return { form, ...saving };
}

// Loaded on demand: few installations have rules of single models or API keys.
const ScopedRuleRow = dynamic(
  () => loadPart(() => import("./scoped-rule-row").then((one) => one.ScopedRuleRow)),
  {
    loading: () => <li className="h-44 sm:h-40" />,
  },
);

/** Rules of single models and API keys, each with its own thresholds. */
function ScopedRules({ form }: { form: RulesForm }) {
  const t = useTranslations("alerts.rules");
  const addButton = useRef<HTMLButtonElement>(null);
  const { control, getValues, formState } = form;
  const { fields, append, remove } = useFieldArray({ control, name: "rules" });
  const { data: models } = useApi(api.listModels);
  const duplicate = formState.errors.rules?.root ?? formState.errors.rules;
  const addModelRule = () => {
    const [error_rate_percent, channel_open_minutes] = getValues([
      "error_rate_percent",
      "channel_open_minutes",
    ]);
    append({ scope: "model", model: "", error_rate_percent, channel_open_minutes });
  };
  const addKeyRule = () => {
    const [error_rate_percent, budgets] = getValues(["error_rate_percent", "budgets"]);
    append({ scope: "key", key_id: "", error_rate_percent, budgets });
  };
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 text-sm font-medium">{t("scoped")}</legend>
      <p className="text-sm text-ink-muted">{t("scopedText")}</p>
      <datalist id="alert-rule-models">
        {models?.items.map((model) => (
          <option key={model.name} value={model.name} />
        ))}
      </datalist>
      {fields.length === 0 ? null : (
        <ul className="divide-y rounded-md border bg-panel">
          {fields.map((field, index) => (
            <ScopedRuleRow
              key={field.id}
              form={form}
              index={index}
              onRemove={(row) => {
                leaveRow(row, "button", addButton.current);
                remove(index);
              }}
            />
          ))}
        </ul>
      )}
      <p role="alert" className={duplicate?.message ? "text-sm text-bad" : "hidden"}>
        {duplicate?.message ? t("duplicate") : null}
      </p>
      <div className="flex flex-wrap gap-2">
        <AddButton ref={addButton} onClick={addModelRule}>
          {t("addModel")}
        </AddButton>
        <AddButton onClick={addKeyRule}>{t("addKey")}</AddButton>
      </div>
    </fieldset>
  );
}

function AddButton({ children, ...props }: ComponentProps<typeof Button>) {
  return (
    <Button variant="outline" size="sm" {...props}>
      <PlusIcon aria-hidden="true" />
      {children}
    </Button>
  );
}
