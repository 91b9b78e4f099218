"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { useApiCache } from "@/lib/client/use-api";
import type { CacheFigures, VersionedSettings } from "@/lib/contracts/console/settings";
import { useAmounts } from "../charts/use-amounts";
import { numberText } from "../forms/limit-values";
import { Button } from "../ui/button";
import { lazyPart } from "../ui/lazy-part";
import { Notice } from "../ui/notice";
import { toast } from "../ui/toast";
import { NumberField, SwitchField } from "./fields";
import { FormSection } from "./form-section";
import { useSettingsPage, WhileShown } from "./settings-page-context";
import { typedNumber, useSettingsForm } from "./use-settings-form";

const ConfirmDialog = lazyPart(() => import("../forms/confirm-dialog").then((one) => one.ConfirmDialog));

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
const RECORDS_PLAN = {
  read: ({ retention_days, rejection_retention_days, keep_prompts }: VersionedSettings): RecordValues => ({
    usage: numberText(retention_days.usage),
    rejection_retention_days: numberText(rejection_retention_days),
    keep_prompts,
    prompts: numberText(retention_days.prompts),
  }),
  write: (values: RecordValues) => ({
    retention_days: { usage: typedNumber(values.usage), prompts: typedNumber(values.prompts) },
    rejection_retention_days: typedNumber(values.rejection_retention_days),
    keep_prompts: values.keep_prompts,
  }),
};

function Records() {
  const t = useTranslations("settings");
  const form = useSettingsForm(RECORDS_PLAN);
  return (
    <FormSection
      form={form}
      title={t("records.title")}
      text={t("records.text")}
      formatText={(_name, text) => (text === "" ? t("value.never") : `${text} ${t("unit.days")}`)}
    >
      <NumberField form={form} name="usage" unit={t("unit.days")} hint={t("records.keepHint")} />
      <NumberField
        form={form}
        name="rejection_retention_days"
        unit={t("unit.days")}
        hint={t("records.rejectionHint")}
      />
      <SwitchField form={form} name="keep_prompts" hint={t("records.keep_prompts")} />
      {form.values.keep_prompts ? (
        <Notice tone="warn" title={t("records.warnTitle")}>
          {t("records.warnText")}
        </Notice>
      ) : null}
      <NumberField form={form} name="prompts" unit={t("unit.days")} hint={t("records.promptsHint")} />
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
  return (
    <FormSection
      form={form}
      title={t("caches.title")}
      text={t("caches.text")}
      formatText={(_name, text) => `${text} MB`}
    >
      <div className="grid gap-5 sm:grid-cols-2">
        <NumberField
          form={form}
          name="embeddings_mb"
          unit="MB"
          hint={<Figures figures={facts.caches.embeddings} />}
        />
        <NumberField
          form={form}
          name="speech_mb"
          unit="MB"
          hint={<Figures figures={facts.caches.speech} />}
        />
      </div>
      <p className="max-w-prose text-sm text-ink-muted">{t("caches.hint")}</p>
      <SwitchField form={form} name="share_caches" hint={t("caches.share")} />
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
