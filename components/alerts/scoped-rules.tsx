"use client";

import { PlusIcon } from "lucide-react";
import dynamic from "next/dynamic";
import type { ReactNode } from "react";
import { useFieldArray } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import { Button } from "../ui/button";
import type { RulesForm } from "./threshold-field";

// Few installations have such rules.
const ScopedRuleRow = dynamic(() => import("./scoped-rule-row").then((one) => one.ScopedRuleRow), {
  loading: () => <li className="h-44 sm:h-40" />,
});

const KEYS = { query: { limit: 100 } } as const;

/** Rules of single models and API keys, each with its own thresholds. */
export function ScopedRules({ form }: { form: RulesForm }) {
  const t = useTranslations("alerts.rules");
  const { control, getValues, formState } = form;
  const { fields, append, remove } = useFieldArray({ control, name: "rules" });
  const { data: models } = useApi(api.listModels);
  const { data: keys } = useApi(api.listKeys, KEYS);
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
              keys={keys?.items ?? []}
              onRemove={() => remove(index)}
            />
          ))}
        </ul>
      )}
      <p role="alert" className={duplicate?.message ? "text-sm text-bad" : "hidden"}>
        {duplicate?.message ? t("duplicate") : null}
      </p>
      <div className="flex flex-wrap gap-2">
        <AddButton onClick={addModelRule}>{t("addModel")}</AddButton>
        <AddButton onClick={addKeyRule}>{t("addKey")}</AddButton>
      </div>
    </fieldset>
  );
}

function AddButton({ onClick, children }: { onClick(): void; children: ReactNode }) {
  return (
    <Button variant="outline" size="sm" onClick={onClick}>
      <PlusIcon aria-hidden="true" />
      {children}
    </Button>
  );
}
