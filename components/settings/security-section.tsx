"use client";

import Link from "next/link";
import { useId } from "react";
import { useTranslations } from "use-intl";
import type { VersionedSettings } from "@/lib/contracts/console/settings";
import { numberText } from "../forms/limit-values";
import { Checkbox } from "../ui/checkbox";
import { Notice } from "../ui/notice";
import { SentenceGap } from "../ui/sentence-gap";
import { NumberField, OwnerOnly } from "./fields";
import { FormSection } from "./form-section";
import { SearchedField } from "./search";
import { useSettingsPage } from "./settings-page-context";
import { typedNumber, useSettingsForm } from "./use-settings-form";

export function SecuritySection() {
  return (
    <>
      <TwoFactor />
      <Sessions />
      <Passwords />
    </>
  );
}

const ROLES = ["owner", "admin", "member"] as const;
const ROLES_PLAN = {
  read: (settings: VersionedSettings) => ({
    two_factor_roles: ROLES.filter((role) => settings.two_factor_roles.includes(role)) as readonly string[],
  }),
  write: (values: { two_factor_roles: readonly string[] }) => values,
};

function TwoFactor() {
  const t = useTranslations("settings");
  const id = useId();
  const { isOwner, hasTwoFactor } = useSettingsPage();
  const form = useSettingsForm(ROLES_PLAN);
  const chosen = form.values.two_factor_roles;
  const error = form.fieldErrors.two_factor_roles;
  const roleName = (name: string) => t(`field.${ROLES.find((role) => role === name) ?? "member"}`);
  const own = isOwner ? "owner" : "admin";
  return (
    <FormSection
      form={form}
      title={t("twoFactor.title")}
      text={t("twoFactor.text")}
      formatText={(_name, role) => roleName(role)}
    >
      <SearchedField texts={[t("field.two_factor_roles"), t("twoFactor.hint")]}>
        <fieldset className="grid gap-2" aria-describedby={`${id}-hint ${id}-error`}>
          <legend className="mb-1.5 text-sm font-medium">{t("field.two_factor_roles")}</legend>
          {ROLES.map((role) => (
            <RoleChoice
              key={role}
              role={role}
              isChosen={chosen.includes(role)}
              isInvalid={error !== undefined}
              onChange={(isChosen) =>
                form.set(
                  "two_factor_roles",
                  ROLES.filter((one) => (one === role ? isChosen : chosen.includes(one))),
                )
              }
            />
          ))}
          <p id={`${id}-hint`} className="max-w-prose text-sm text-ink-muted">
            {t("twoFactor.hint")}
          </p>
          <p id={`${id}-error`} role="alert" className={error ? "text-sm text-bad" : "hidden"}>
            {error}
          </p>
        </fieldset>
      </SearchedField>
      {!hasTwoFactor && chosen.includes(own) ? (
        <Notice tone="warn">
          {t("twoFactor.ownFirst")}
          <SentenceGap />
          <Link href="/account" className="text-ink underline underline-offset-4">
            {t("twoFactor.toAccount")}
          </Link>
        </Notice>
      ) : null}
    </FormSection>
  );
}

/** Whether 2FA is required of a role. Only the owner may change it for owners. */
function RoleChoice({
  role,
  isChosen,
  isInvalid,
  onChange,
}: {
  role: (typeof ROLES)[number];
  isChosen: boolean;
  isInvalid: boolean;
  onChange(isChosen: boolean): void;
}) {
  const t = useTranslations("settings.field");
  const id = useId();
  const { isOwner, isReadOnly } = useSettingsPage();
  const isOwnerOnly = role === "owner" && !isOwner;
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="flex w-fit cursor-pointer items-center gap-2.5 pointer-coarse:min-h-9">
        <Checkbox
          id={id}
          aria-invalid={isInvalid || undefined}
          checked={isChosen}
          disabled={isReadOnly || isOwnerOnly}
          onCheckedChange={(checked) => onChange(checked === true)}
        />
        {t(role)}
      </label>
      {isOwnerOnly ? <OwnerOnly /> : null}
    </div>
  );
}

const HOURS = ["admin_absolute", "admin_idle", "member_absolute", "member_idle"] as const;
type Hours = Record<(typeof HOURS)[number], string>;
const HOURS_PLAN = {
  read: ({ session_hours }: VersionedSettings): Hours => ({
    admin_absolute: String(session_hours.admin_absolute),
    admin_idle: String(session_hours.admin_idle),
    member_absolute: String(session_hours.member_absolute),
    member_idle: String(session_hours.member_idle),
  }),
  write: (values: Hours) => ({
    session_hours: Object.fromEntries(HOURS.map((name) => [name, typedNumber(values[name])])),
  }),
};

function Sessions() {
  const t = useTranslations("settings");
  const form = useSettingsForm(HOURS_PLAN);
  return (
    <FormSection form={form} title={t("sessions.title")} text={t("sessions.text")}>
      <div className="grid gap-5 sm:grid-cols-2">
        {HOURS.map((name) => (
          <NumberField key={name} form={form} name={name} unit={t("unit.hours")} />
        ))}
      </div>
      <p className="max-w-prose text-sm text-ink-muted">{t("sessions.hint")}</p>
    </FormSection>
  );
}

const PASSWORD_PLAN = {
  read: ({ password_minimum }: VersionedSettings) => ({ password_minimum: numberText(password_minimum) }),
  write: (values: { password_minimum: string }) => ({
    password_minimum: typedNumber(values.password_minimum),
  }),
};

function Passwords() {
  const t = useTranslations("settings");
  const { facts } = useSettingsPage();
  const form = useSettingsForm(PASSWORD_PLAN);
  return (
    <FormSection
      form={form}
      title={t("password.title")}
      text={t("password.text")}
      formatText={(_name, text) => text || String(facts.password_minimum)}
    >
      <NumberField
        form={form}
        name="password_minimum"
        unit={t("unit.characters")}
        hint={t("password.hint", { count: facts.password_minimum })}
        placeholder={String(facts.password_minimum)}
      />
    </FormSection>
  );
}
