"use client";

import { RotateCcwIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { VersionedSettings } from "@/lib/contracts/console/settings";
import type { LIMIT_RULES } from "../../lib/contracts/limits";
import { useAmounts } from "../charts/use-amounts";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Input } from "../ui/input";
import { SentenceGap } from "../ui/sentence-gap";
import { FormSection } from "./form-section";
import { useSearched } from "./search";
import { useSettingsPage } from "./settings-page-context";
import { typedNumber, useSettingsForm } from "./use-settings-form";

type LimitName = keyof typeof LIMIT_RULES;
/** The units in which a field may show a limit, by the limit's unit in the contract. */
interface FieldUnit {
  bytes: "kilobytes" | "megabytes";
  milliseconds: "seconds";
  count: "count";
}
type Fields = {
  readonly [Name in LimitName]: { group: Group; unit: FieldUnit[(typeof LIMIT_RULES)[Name]["unit"]] };
};

const GROUPS = ["size", "caller", "time", "upstream"] as const;
type Group = (typeof GROUPS)[number];

/**
 * Group and unit of each field, in the page's order. The limits are not imported, to keep their zod schemas out of the
 * browser bundle.
 */
const FIELDS: Fields = {
  jsonBodyBytes: { group: "size", unit: "megabytes" },
  embeddingsBodyBytes: { group: "size", unit: "megabytes" },
  consoleBodyBytes: { group: "size", unit: "kilobytes" },
  keyBodiesBytes: { group: "size", unit: "megabytes" },
  allBodiesBytes: { group: "size", unit: "megabytes" },
  attemptsPerCall: { group: "caller", unit: "count" },
  wrongKeysPerMinute: { group: "caller", unit: "count" },
  loginAttemptsPerMinute: { group: "caller", unit: "count" },
  connectionsPerAddress: { group: "caller", unit: "count" },
  headersTimeoutMs: { group: "time", unit: "seconds" },
  gatewayUploadMs: { group: "time", unit: "seconds" },
  consoleUploadMs: { group: "time", unit: "seconds" },
  callMs: { group: "time", unit: "seconds" },
  idleMs: { group: "time", unit: "seconds" },
  readerIdleMs: { group: "time", unit: "seconds" },
  speechFirstByteMs: { group: "upstream", unit: "seconds" },
  embeddingsFirstByteMs: { group: "upstream", unit: "seconds" },
  upstreamConnectMs: { group: "upstream", unit: "seconds" },
  upstreamTlsMs: { group: "upstream", unit: "seconds" },
};

// Type assertion: `Object.keys` returns string[].
const LIMIT_NAMES = Object.keys(FIELDS) as LimitName[];

/** Size of each field unit in the unit of its limit: bytes, milliseconds or a count. */
const FACTOR = { kilobytes: 1024, megabytes: 1024 * 1024, seconds: 1_000, count: 1 } as const;

type Values = Record<LimitName, string>;

const factorOf = (name: LimitName) => FACTOR[FIELDS[name].unit];
const shown = (name: LimitName, value: number) => String(value / factorOf(name));

const PLAN = {
  read: ({ limits }: VersionedSettings): Values =>
    // Type assertion: `fromEntries` loses the keys; there is one entry per limit.
    Object.fromEntries(
      LIMIT_NAMES.map((name) => {
        const value = limits[name];
        return [name, value === undefined ? "" : shown(name, value)];
      }),
    ) as Values,
  write: (values: Values) => {
    const set = LIMIT_NAMES.filter((name) => values[name].trim() !== "");
    const entries = set.map((name) => {
      const typed = typedNumber(values[name]);
      return [name, typeof typed === "number" ? Math.round(typed * factorOf(name)) : typed];
    });
    return { limits: Object.fromEntries(entries) };
  },
  factorOf,
};

const limitName = (name: string): LimitName => LIMIT_NAMES.find((one) => one === name) ?? "callMs";

export function LimitsSection() {
  const t = useTranslations("settings");
  const { decimal } = useAmounts();
  const { facts } = useSettingsPage();
  const form = useSettingsForm(PLAN);
  const withUnit = (name: LimitName, text: string) => {
    const number = typedNumber(text);
    const shownNumber = typeof number === "number" ? decimal(number) : text;
    const unit = FIELDS[name].unit;
    return unit === "count" ? shownNumber : `${shownNumber} ${t(`limits.unit.${unit}`)}`;
  };
  const defaultOf = (name: LimitName) => withUnit(name, shown(name, facts.base_limits[name]));
  return (
    <FormSection
      form={form}
      title={t("limits.title")}
      text={t("limits.text")}
      nameOf={(name) => t(`limits.name.${limitName(name)}`)}
      formatText={(name, text) =>
        text === "" ? defaultOf(limitName(name)) : withUnit(limitName(name), text)
      }
    >
      {GROUPS.map((group) => (
        <fieldset key={group} className="not-has-[[data-match]]:hidden">
          <legend className="text-sm font-medium text-ink-muted">{t(`limits.group.${group}`)}</legend>
          <div className="divide-y">
            {LIMIT_NAMES.filter((name) => FIELDS[name].group === group).map((name) => (
              <LimitRow
                key={name}
                name={name}
                value={form.values[name]}
                base={shown(name, facts.base_limits[name])}
                defaultText={defaultOf(name)}
                error={form.fieldErrors[name]}
                onChange={(value) => form.set(name, value)}
              />
            ))}
          </div>
        </fieldset>
      ))}
    </FormSection>
  );
}

interface LimitRowProps {
  name: LimitName;
  value: string;
  /** The default in the field's unit. */
  base: string;
  /** The default with its unit. */
  defaultText: string;
  error: string | undefined;
  onChange(value: string): void;
}

/** One limit; empty means its default, which is the placeholder. */
function LimitRow(props: LimitRowProps) {
  const { name, value, defaultText, error } = props;
  const t = useTranslations("settings.limits");
  const id = `limit-${name}`;
  const searched = useSearched(t(`name.${name}`), t(`hint.${name}`));
  return (
    <div
      {...searched}
      className={cn(
        "grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-2.5",
        searched.hidden && "hidden",
      )}
    >
      <div className="grid">
        <label htmlFor={id} className={value === "" ? undefined : "font-medium"}>
          {t(`name.${name}`)}
        </label>
        <span id={`${id}-hint`} className="text-sm text-ink-muted">
          {t(`hint.${name}`)}
          <SentenceGap />
          <span className="whitespace-nowrap">{t("default", { value: defaultText })}</span>
        </span>
      </div>
      <LimitInput id={id} {...props} />
      <p id={`${id}-error`} role="alert" className={error ? "col-span-2 text-sm text-bad" : "hidden"}>
        {error}
      </p>
    </div>
  );
}

/** The value in its unit, and the button that resets it to the default. */
function LimitInput({ id, name, value, base, defaultText, error, onChange }: LimitRowProps & { id: string }) {
  const t = useTranslations("settings.limits");
  const unit = FIELDS[name].unit;
  return (
    <div className="flex items-center gap-2">
      <Button
        variant="ghost"
        size="icon-sm"
        className={value === "" ? "invisible" : undefined}
        aria-label={t("resetNamed", { name: t(`name.${name}`), value: defaultText })}
        title={t("reset")}
        onClick={() => {
          onChange("");
          // The button is hidden without a value, so the focus moves to the field.
          document.getElementById(id)?.focus();
        }}
      >
        <RotateCcwIcon />
      </Button>
      <Input
        id={id}
        inputMode="decimal"
        autoComplete="off"
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-hint ${id}-error`}
        className="w-24 text-right tabular"
        placeholder={base}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <span aria-hidden="true" className="w-8 text-sm text-ink-muted">
        {unit === "count" ? null : t(`unit.${unit}`)}
      </span>
    </div>
  );
}
