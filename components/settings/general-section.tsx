"use client";

import { Fragment, type ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { VersionedSettings } from "@/lib/contracts/console/settings";
import { dollarsOrNull } from "../forms/limit-values";
import { CopyButton } from "../ui/copy-button";
import { NumberField, SwitchField } from "./fields";
import { FormSection } from "./form-section";
import { SearchedSection } from "./search";
import { useSettingsPage } from "./settings-page-context";
import { useSettingsForm } from "./use-settings-form";

const SWITCHES = ["self_use_mode", "self_registration", "demo_site"] as const;

type Values = Record<(typeof SWITCHES)[number], boolean> & { registration_budget_usd: string };

const PLAN = {
  read: (settings: VersionedSettings): Values => ({
    self_use_mode: settings.self_use_mode,
    self_registration: settings.self_registration,
    registration_budget_usd: settings.registration_budget_usd ?? "",
    demo_site: settings.demo_site,
  }),
  write: ({ registration_budget_usd: budget, ...switches }: Values): Record<string, unknown> => ({
    ...switches,
    registration_budget_usd: dollarsOrNull(budget),
  }),
};
/** Leaves out the owner's settings, which the server refuses from an admin. */
const ADMIN_PLAN = {
  ...PLAN,
  write(values: Values) {
    const { demo_site: _ownerOnly, ...rest } = PLAN.write(values);
    return rest;
  },
};

export function GeneralSection() {
  return (
    <>
      <UsageMode />
      <Address />
    </>
  );
}

function UsageMode() {
  const t = useTranslations("settings");
  const { isOwner } = useSettingsPage();
  const form = useSettingsForm(isOwner ? PLAN : ADMIN_PLAN);
  // Also shown while it has an unsaved change: an error of a hidden field would prevent saving.
  const showsBudget = form.values.self_registration || form.changed.includes("registration_budget_usd");
  return (
    <FormSection form={form} title={t("usage.title")} text={t("usage.text")}>
      {SWITCHES.map((name) => (
        <Fragment key={name}>
          <SwitchField form={form} name={name} hint={t(`usage.${name}`)} isOwnerOnly={name === "demo_site"} />
          {name === "self_registration" && showsBudget ? (
            <NumberField
              form={form}
              name="registration_budget_usd"
              unit={t("usage.dollarsMonthly")}
              hint={t("usage.registration_budget_usd")}
            />
          ) : null}
        </Fragment>
      ))}
    </FormSection>
  );
}

function Address() {
  const t = useTranslations("settings.address");
  const { facts } = useSettingsPage();
  return (
    <SearchedSection title={t("title")} text={t("text")}>
      <dl className="grid gap-3">
        <Fact name={t("base")}>
          {facts.base_url === null ? (
            <>
              {t("baseUnset")}
              <span className="block text-sm text-ink-muted">{t("baseHint")}</span>
            </>
          ) : (
            <span className="flex items-center gap-1">
              <code className="break-all">{facts.base_url}</code>
              <CopyButton value={facts.base_url} name={t("copy")} />
            </span>
          )}
        </Fact>
        <Fact name={t("store")}>{t(facts.store)}</Fact>
        <Fact name={t("timeZone")}>{facts.time_zone}</Fact>
        <Fact name={t("version")}>
          <span className="tabular">{facts.version}</span>
        </Fact>
      </dl>
    </SearchedSection>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-6 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <dt className="text-ink-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
