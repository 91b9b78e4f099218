"use client";

import { useTranslations } from "use-intl";
import type { VersionedSettings } from "@/lib/contracts/console/settings";
import { Field } from "../forms/field";
import { Textarea } from "../ui/input";
import { Notice } from "../ui/notice";
import { FormSection } from "./form-section";
import { MetricsToken } from "./metrics-token";
import { PrivateUpstreams } from "./private-upstreams";
import { SearchedField } from "./search";
import { useSettingsForm } from "./use-settings-form";

export function NetworkSection() {
  return (
    <>
      <PrivateUpstreams />
      <Origins />
      <MetricsToken />
    </>
  );
}

const linesOf = (text: string) =>
  text
    .split(/[\s,]+/)
    .map((line) => line.replace(/\/$/, ""))
    .filter((line) => line !== "");

const PLAN = {
  read: ({ cors_origins }: VersionedSettings) => ({ cors_origins: cors_origins.join("\n") }),
  write: (values: { cors_origins: string }) => ({ cors_origins: linesOf(values.cors_origins) }),
};

function Origins() {
  const t = useTranslations("settings");
  const form = useSettingsForm(PLAN);
  const error = form.fieldErrors.cors_origins;
  return (
    <FormSection
      form={form}
      title={t("origins.title")}
      text={t("origins.text")}
      nameOf={() => t("field.cors_origins")}
      formatValue={(_name, value) => linesOf(String(value)).join(", ") || t("value.none")}
    >
      <SearchedField texts={[t("field.cors_origins")]}>
        <Field
          label={t("field.cors_origins")}
          hint={t("origins.hint")}
          {...(error === undefined ? {} : { error })}
        >
          {(control) => (
            <Textarea
              {...control}
              rows={3}
              spellCheck={false}
              autoCapitalize="none"
              autoComplete="off"
              className="font-mono"
              value={form.values.cors_origins}
              onChange={(event) => form.set("cors_origins", event.target.value)}
            />
          )}
        </Field>
      </SearchedField>
      {form.values.cors_origins.trim() === "" ? null : <Notice tone="warn">{t("origins.warn")}</Notice>}
    </FormSection>
  );
}
