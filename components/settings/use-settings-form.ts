"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { useApiCache } from "@/lib/client/use-api";
import type { UpdateSettings, VersionedSettings } from "@/lib/contracts/console/settings";
import { useErrorText } from "../forms/call-error";
import { decimalText } from "../forms/limit-values";
import { ruleText } from "../forms/rule-text";
import { toast } from "../ui/toast";
import { useSettingsPage } from "./settings-page-context";

export type FieldValue = string | boolean | readonly string[];
export type FieldValues = Record<string, FieldValue>;

/** One form of the settings: how its fields are read from the settings and written back. */
interface FormPlan<Values extends FieldValues> {
  read(settings: VersionedSettings): Values;
  /** Invalid numbers are sent as typed: the server reports them at their field. */
  write(values: Values): Record<string, unknown>;
  /** Size of the field's unit in the server's unit (KB in bytes: 1024); default 1. */
  factorOf?(name: keyof Values & string): number;
}

export interface SettingsForm<Values extends FieldValues> {
  values: Values;
  /** The stored values. */
  saved: Values;
  changed: readonly (keyof Values & string)[];
  fieldErrors: Readonly<Partial<Record<string, string>>>;
  error: unknown;
  /** A changed field was also changed elsewhere. */
  isStale: boolean;
  isBusy: boolean;
  set(name: keyof Values & string, value: FieldValue): void;
  save(nameOf: (field: string) => string): Promise<void>;
  discard(): void;
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The number in a field; null if empty; the text if it is not a number. */
export function typedNumber(text: string): number | string | null {
  const typed = decimalText(text);
  if (typed === "") return null;
  return Number.isFinite(Number(typed)) ? Number(typed) : typed;
}

/**
 * State of one form. It holds only changed fields, so that changes made elsewhere show at once and are never
 * overwritten unseen. On a version conflict the request is repeated on top of the newest settings, unless one of its
 * own fields was changed there.
 */
export function useSettingsForm<Values extends FieldValues>(plan: FormPlan<Values>): SettingsForm<Values> {
  const t = useTranslations("settings");
  const fieldError = useTranslations("common.fieldError");
  const { settings } = useSettingsPage();
  const { sendDraft, undo } = useSendSettings(plan);
  const [draft, setDraft] = useState<Partial<Values>>({});
  /** The stored value of each field when it was first changed. */
  const [bases, setBases] = useState<Partial<Values>>({});
  const [fieldErrors, setFieldErrors] = useState<Record<string, string>>({});
  const [state, setState] = useState<{ error: unknown; isBusy: boolean }>({ error: null, isBusy: false });
  const saved = plan.read(settings);
  // A field that has the stored value again leaves the draft and follows later changes of the stored value. While a
  // request is running the draft stays as it is.
  const [kept, isKept] = withoutSame(draft, saved);
  if (!isKept && !state.isBusy) setDraft(kept);
  const values: Values = { ...saved, ...draft };
  // Type assertion: `Object.keys` returns string[].
  const changed = (Object.keys(saved) as (keyof Values & string)[]).filter(
    (name) => !isSame(values[name], saved[name]),
  );
  const isStale = changed.some((name) => name in bases && !isSame(bases[name], saved[name]));

  return {
    values,
    saved,
    changed,
    fieldErrors,
    ...state,
    isStale,
    set(name, value) {
      if (!changed.includes(name)) setBases((before) => ({ ...before, [name]: saved[name] }));
      // Type assertion: each control passes the type of its own field.
      setDraft((before) => ({ ...before, [name]: value }) as Partial<Values>);
      setFieldErrors(({ [name]: _removed, ...rest }) => rest);
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
        const next = await sendDraft({ draft, saved, changed, version: settings.version });
        setState({ error: null, isBusy: false });
        // The form now shows the newest stored values and that it is stale: saving again overwrites them knowingly.
        if (next === null) return;
        const now = plan.read(next);
        // Keeps what was entered while the request was sent, on top of what is saved now.
        setDraft((typed) => {
          const later = Object.entries(typed).filter(([name, value]) => !isSame(value, draft[name]));
          // Type assertion: `fromEntries` loses the keys.
          return Object.fromEntries(later) as Partial<Values>;
        });
        setBases(now);
        // Undo leaves fields that were not changed here as they were saved elsewhere in the meantime.
        const replaced = Object.fromEntries(changed.map((name) => [name, saved[name]]));
        const before: Values = { ...now, ...replaced };
        const action = { label: t("undo"), onClick: () => void undo(before, next.version, names) };
        toast.success(t("savedNames", { names }), { action });
      } catch (failure) {
        const found = fieldErrorsOf(failure, Object.keys(saved), (name, message) =>
          ruleText(fieldError, message, plan.factorOf?.(name)),
        );
        if (found) setFieldErrors(found);
        setState({ error: found ? null : failure, isBusy: false });
      }
    },
  };
}

/** The fields of a draft that differ from the stored values, and whether all of its fields do. */
function withoutSame<Values extends FieldValues>(
  draft: Partial<Values>,
  saved: Values,
): [Partial<Values>, boolean] {
  const all = Object.entries(draft);
  const differing = all.filter(([name, value]) => !isSame(value, saved[name]));
  // Type assertion: `fromEntries` loses the keys.
  return [Object.fromEntries(differing) as Partial<Values>, differing.length === all.length];
}

interface Draft<Values extends FieldValues> {
  draft: Partial<Values>;
  /** The stored values. */
  saved: Values;
  changed: readonly (keyof Values & string)[];
  version: number;
}

/** The requests of a form. Each stores the server's answer in the cache. */
function useSendSettings<Values extends FieldValues>(plan: FormPlan<Values>) {
  const t = useTranslations("settings");
  const errorText = useErrorText();
  const { write } = useApiCache();

  const cache = async (next: VersionedSettings) => {
    await write(api.readSettings, {}, next);
    return next;
  };
  const send = (values: Values, version: number) => {
    // Type assertion: invalid numbers are sent as typed, and the server refuses them.
    const body = { ...plan.write(values), version } as UpdateSettings;
    return callApi(api.updateSettings, { body }).then(cache);
  };

  return {
    /**
     * Sends the draft, on top of the newest settings if the version is stale. Resolves to null, saving nothing, if one
     * of the draft's fields was changed there.
     */
    async sendDraft({ draft, saved, changed, version }: Draft<Values>): Promise<VersionedSettings | null> {
      try {
        return await send({ ...saved, ...draft }, version);
      } catch (failure) {
        if (!isApiError(failure, "conflict")) throw failure;
      }
      const newest = await callApi(api.readSettings).then(cache);
      const now = plan.read(newest);
      if (changed.some((name) => !isSame(now[name], saved[name]))) return null;
      return send({ ...now, ...draft }, newest.version);
    },
    async undo(before: Values, version: number, names: string) {
      try {
        await send(before, version);
        toast.success(t("undone", { names }));
      } catch (failure) {
        toast.error(errorText(failure).message);
      }
    },
  };
}

/** The server's issues as error texts by field; null for other errors and for issues without a field here. */
function fieldErrorsOf(
  failure: unknown,
  fields: readonly string[],
  textOf: (field: string, message: string) => string,
): Record<string, string> | null {
  if (!isApiError(failure) || failure.issues.length === 0) return null;
  const errors: Record<string, string> = {};
  for (const issue of failure.issues) {
    const field = issue.path.split(".").findLast((part) => fields.includes(part));
    if (field === undefined) return null;
    errors[field] ??= textOf(field, issue.message);
  }
  return errors;
}
