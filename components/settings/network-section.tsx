"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { VersionedSettings } from "@/lib/contracts/console/settings";
import { Field } from "../forms/field";
import { Button } from "../ui/button";
import { Textarea } from "../ui/input";
import { Notice } from "../ui/notice";
import { RelativeTime } from "../ui/relative-time";
import { FormSection, OwnerOnly } from "./form-section";
import { PrivateUpstreams } from "./private-upstreams";
import { SearchedField, SearchedSection } from "./search";
import { useSettingsPage, WhileShown } from "./settings-page-context";
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

const MetricsDialog = dynamic(() => import("./metrics-dialogs").then((one) => one.MetricsDialog), {
  ssr: false,
});
const RemoveTokenDialog = dynamic(() => import("./metrics-dialogs").then((one) => one.RemoveTokenDialog), {
  ssr: false,
});

/** The token that protects /metrics; the owner can generate, rotate and remove it. */
function MetricsToken() {
  const t = useTranslations("settings.metrics");
  const { facts, isOwner } = useSettingsPage();
  const [dialog, setDialog] = useState<"generate" | "remove" | null>(null);
  const { token, made_at } = facts.metrics;
  return (
    <SearchedSection title={t("title")} text={t("text")} status={isOwner ? null : <OwnerOnly />}>
      <div className="grid gap-4">
        <p className="max-w-prose">
          {token === "environment" ? (
            t("environment")
          ) : made_at === null ? (
            t("none")
          ) : (
            <RelativeTime at={made_at} phrase={(when) => t("console", { when })} />
          )}
        </p>
        {isOwner && token !== "environment" ? (
          <div className="flex flex-wrap gap-2">
            <Button variant="outline" onClick={() => setDialog("generate")}>
              {token === null ? t("generate") : t("rotate")}
            </Button>
            {token === null ? null : (
              <Button variant="ghost" onClick={() => setDialog("remove")}>
                {t("remove")}
              </Button>
            )}
          </div>
        ) : null}
      </div>
      <WhileShown onHide={() => setDialog(null)}>
        {dialog === "generate" ? (
          <MetricsDialog isFirst={token === null} onClose={() => setDialog(null)} />
        ) : dialog === "remove" ? (
          <RemoveTokenDialog onClose={() => setDialog(null)} />
        ) : null}
      </WhileShown>
    </SearchedSection>
  );
}
