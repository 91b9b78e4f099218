"use client";

import { useState } from "react";
import { toast } from "sonner";
import { useSWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { SETTINGS_PATH } from "@/components/settings/use-settings";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type { VersionedSettings } from "@/lib/contracts/console/settings";
import { useErrorText } from "../forms/error-text";
import { ruleText } from "../forms/rule-text";
import { useSettingsPage } from "./settings-page-context";

export type FieldValue = string | boolean | readonly string[];
export type FieldValues = Record<string, FieldValue>;

/** One form of the settings: how its fields are read from them, and what is sent back. */
export interface FormPlan<Values extends FieldValues> {
  read(settings: VersionedSettings): Values;
  /** Numbers that are none are sent as they were typed: the server names them. */
  write(values: Values): Record<string, unknown>;
  /** How many of the server's units one of the field's own is (KiB over bytes: 1024); default 1. */
  factorOf?(name: keyof Values & string): number;
}

export interface SettingsForm<Values extends FieldValues> {
  values: Values;
  /** As the settings have them. */
  saved: Values;
  changed: readonly (keyof Values & string)[];
  fieldErrors: Readonly<Partial<Record<string, string>>>;
  error: unknown;
  isStale: boolean;
  isBusy: boolean;
  set(name: keyof Values & string, value: FieldValue): void;
  save(nameOf: (field: string) => string): Promise<void>;
  discard(): void;
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** A number as it was typed; empty: null. */
export function typedNumber(text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

/**
 * The state of one form: only what was touched is kept here, so a change made elsewhere shows at once and is never
 * overwritten unseen. After a stale version the change is sent again when nobody touched the same fields.
 */
export function useSettingsForm<Values extends FieldValues>(plan: FormPlan<Values>): SettingsForm<Values> {
  const t = useTranslations("settings");
  const fieldError = useTranslations("common.fieldError");
  const errorText = useErrorText();
  const { settings } = useSettingsPage();
  const { mutate } = useSWRConfig();
  const [draft, setDraft] = useState<Partial<Values>>({});
  /** What stood there when each field was first touched. */
  const [bases, setBases] = useState<Partial<Values>>({});
  const [fieldErrors, setFieldErrors] = useState<Record<string, string>>({});
  const [state, setState] = useState<{ error: unknown; isBusy: boolean }>({ error: null, isBusy: false });
  const saved = plan.read(settings);
  const values: Values = { ...saved, ...draft };
  // The names of `saved` are those of the form.
  const changed = (Object.keys(saved) as (keyof Values & string)[]).filter(
    (name) => !isSame(values[name], saved[name]),
  );
  const isStale = changed.some((name) => name in bases && !isSame(bases[name], saved[name]));

  const keep = async (next: VersionedSettings) => {
    await mutate(SETTINGS_PATH, next, { revalidate: false });
    return next;
  };
  const send = (of: Values, version: number) =>
    api.patch<VersionedSettings>(SETTINGS_PATH, { ...plan.write(of), version }).then(keep);

  const sendOver = async (): Promise<VersionedSettings | null> => {
    try {
      return await send(values, settings.version);
    } catch (failure) {
      if (!isApiError(failure, "conflict")) throw failure;
      const fresh = await api.get<VersionedSettings>(SETTINGS_PATH).then(keep);
      const now = plan.read(fresh);
      if (changed.some((name) => !isSame(now[name], saved[name]))) return null;
      return send({ ...now, ...draft }, fresh.version);
    }
  };

  const undo = async (before: Values, version: number, names: string) => {
    try {
      await send(before, version);
      toast.success(t("undone", { names }));
    } catch (failure) {
      toast.error(errorText(failure).message);
    }
  };

  const place = (failure: unknown): boolean => {
    if (!isApiError(failure) || failure.issues.length === 0) return false;
    const found: Record<string, string> = {};
    for (const issue of failure.issues) {
      const field = issue.path.split(".").findLast((part) => part in saved);
      if (field === undefined) return false;
      found[field] ??= ruleText(fieldError, issue.message, plan.factorOf?.(field));
    }
    setFieldErrors(found);
    return true;
  };

  return {
    values,
    saved,
    changed,
    fieldErrors,
    ...state,
    isStale,
    set(name, value) {
      if (!changed.includes(name)) setBases((before) => ({ ...before, [name]: saved[name] }));
      // `value` is of the field's own kind: each control is bound to its field.
      setDraft((before) => ({ ...before, [name]: value }) as Partial<Values>);
      setFieldErrors(({ [name]: _gone, ...rest }) => rest);
    },
    discard() {
      setDraft({});
      setFieldErrors({});
      setState({ error: null, isBusy: false });
    },
    async save(nameOf) {
      const names = changed.map(nameOf).join(", ");
      setState({ error: null, isBusy: true });
      setFieldErrors({});
      try {
        const next = await sendOver();
        setState({ error: null, isBusy: false });
        // The fields' new state shows, and with it that they are stale: the next press is meant.
        if (next === null) return;
        setDraft({});
        const action = { label: t("undo"), onClick: () => void undo(saved, next.version, names) };
        toast.success(t("savedNames", { names }), { action });
      } catch (failure) {
        setState({ error: place(failure) ? null : failure, isBusy: false });
      }
    },
  };
}
