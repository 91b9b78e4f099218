"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { useApiCache } from "@/lib/client/use-api";
import type { CacheFigures, VersionedSettings } from "@/lib/contracts/console/settings";
import { useAmounts } from "../charts/use-amounts";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { toast } from "../ui/toast";
import { NumberField, SwitchField } from "./fields";
import { type FormatValue, FormSection } from "./form-section";
import { useSettingsPage, WhileShown } from "./settings-page-context";
import { typedNumber, useSettingsForm } from "./use-settings-form";

const ConfirmDialog = dynamic(() => import("../forms/confirm-dialog").then((one) => one.ConfirmDialog), {
  ssr: false,
});

export function DataSection() {
  return (
    <>
      <Records />
      <Caches />
    </>
  );
}

interface RecordValues {
  usage: string;
  rejection_retention_days: string;
  prompts: string;
  keep_prompts: boolean;
  [name: string]: string | boolean;
}
const RECORD_FIELDS = ["usage", "rejection_retention_days", "prompts", "keep_prompts"] as const;
const days = (count: number | null) => (count === null ? "" : String(count));
const RECORDS_PLAN = {
  read: ({ retention_days, rejection_retention_days, keep_prompts }: VersionedSettings): RecordValues => ({
    usage: days(retention_days.usage),
    rejection_retention_days: days(rejection_retention_days),
    keep_prompts,
    prompts: days(retention_days.prompts),
  }),
  write: (values: RecordValues) => ({
    retention_days: { usage: typedNumber(values.usage), prompts: typedNumber(values.prompts) },
    rejection_retention_days: typedNumber(values.rejection_retention_days),
    keep_prompts: values.keep_prompts,
  }),
};

function Records() {
  const t = useTranslations("settings");
  const { isReadOnly } = useSettingsPage();
  const form = useSettingsForm(RECORDS_PLAN);
  const formatValue: FormatValue = (_name, value) =>
    typeof value === "boolean"
      ? t(value ? "value.on" : "value.off")
      : value === ""
        ? t("value.never")
        : `${String(value)} ${t("unit.days")}`;
  return (
    <FormSection
      form={form}
      title={t("records.title")}
      text={t("records.text")}
      nameOf={(name) => t(`field.${RECORD_FIELDS.find((one) => one === name) ?? "keep_prompts"}`)}
      formatValue={formatValue}
    >
      <NumberField
        label={t("field.usage")}
        unit={t("unit.days")}
        hint={t("records.keepHint")}
        value={form.values.usage}
        error={form.fieldErrors.usage}
        onChange={(value) => form.set("usage", value)}
      />
      <NumberField
        label={t("field.rejection_retention_days")}
        unit={t("unit.days")}
        hint={t("records.rejectionHint")}
        value={form.values.rejection_retention_days}
        error={form.fieldErrors.rejection_retention_days}
        onChange={(value) => form.set("rejection_retention_days", value)}
      />
      <SwitchField
        label={t("field.keep_prompts")}
        hint={t("records.keep_prompts")}
        isOn={form.values.keep_prompts}
        onChange={(isOn) => form.set("keep_prompts", isOn)}
        disabled={isReadOnly}
      />
      {form.values.keep_prompts ? (
        <Notice tone="warn" title={t("records.warnTitle")}>
          {t("records.warnText")}
        </Notice>
      ) : null}
      <NumberField
        label={t("field.prompts")}
        unit={t("unit.days")}
        hint={t("records.keepHint")}
        value={form.values.prompts}
        error={form.fieldErrors.prompts}
        onChange={(value) => form.set("prompts", value)}
      />
    </FormSection>
  );
}

interface CacheValues {
  embeddings_mb: string;
  speech_mb: string;
  share_caches: boolean;
  [name: string]: string | boolean;
}
const CACHES_PLAN = {
  read: ({ caches, share_caches }: VersionedSettings): CacheValues => ({
    embeddings_mb: String(caches.embeddings_mb),
    speech_mb: String(caches.speech_mb),
    share_caches,
  }),
  write: (values: CacheValues) => ({
    caches: {
      embeddings_mb: typedNumber(values.embeddings_mb),
      speech_mb: typedNumber(values.speech_mb),
    },
    share_caches: values.share_caches,
  }),
};

function Caches() {
  const t = useTranslations("settings");
  const { facts, isReadOnly } = useSettingsPage();
  const form = useSettingsForm(CACHES_PLAN);
  const cache = (name: "embeddings_mb" | "speech_mb", figures: CacheFigures) => (
    <NumberField
      label={t(`field.${name}`)}
      unit="MB"
      hint={<Figures figures={figures} />}
      value={form.values[name]}
      error={form.fieldErrors[name]}
      onChange={(value) => form.set(name, value)}
    />
  );
  return (
    <FormSection
      form={form}
      title={t("caches.title")}
      text={t("caches.text")}
      nameOf={(name) =>
        t(
          `field.${name === "speech_mb" ? "speech_mb" : name === "share_caches" ? "share_caches" : "embeddings_mb"}`,
        )
      }
      formatValue={(_name, value) =>
        typeof value === "boolean" ? t(value ? "value.on" : "value.off") : `${String(value)} MB`
      }
    >
      <div className="grid gap-5 sm:grid-cols-2">
        {cache("embeddings_mb", facts.caches.embeddings)}
        {cache("speech_mb", facts.caches.speech)}
      </div>
      <p className="max-w-prose text-sm text-ink-muted">
        {t("caches.hint")} {t("caches.here")}
      </p>
      <SwitchField
        label={t("field.share_caches")}
        hint={t("caches.share")}
        isOn={form.values.share_caches}
        onChange={(isOn) => form.set("share_caches", isOn)}
        disabled={isReadOnly}
      />
      {isReadOnly ? null : <ClearCaches />}
    </FormSection>
  );
}

/** Empties the caches at once, after a confirmation. */
function ClearCaches() {
  const t = useTranslations("settings");
  const { reload } = useApiCache();
  const [isClearing, setClearing] = useState(false);
  return (
    <>
      <Button variant="outline" className="w-fit" onClick={() => setClearing(true)}>
        {t("caches.clear")}
      </Button>
      <WhileShown onHide={() => setClearing(false)}>
        {isClearing ? (
          <ConfirmDialog
            title={t("caches.clearTitle")}
            text={t("caches.clearText")}
            action={t("caches.clearAction")}
            onClose={() => setClearing(false)}
            onConfirm={async () => {
              await callApi(api.clearCaches);
              await reload(api.readInstanceFacts);
              toast.success(t("caches.cleared"));
              setClearing(false);
            }}
          />
        ) : null}
      </WhileShown>
    </>
  );
}

function Figures({ figures }: { figures: CacheFigures }) {
  const t = useTranslations("settings.caches");
  const { bytes, share } = useAmounts();
  if (figures.limit_bytes === 0) return t("off");
  const lookups = figures.hits + figures.misses;
  if (lookups === 0) return t("noCalls");
  return (
    <span className="tabular">
      {t("figures", {
        entries: figures.entries,
        used: bytes(figures.bytes),
        limit: bytes(figures.limit_bytes),
        rate: share(figures.hits / lookups),
      })}
    </span>
  );
}
