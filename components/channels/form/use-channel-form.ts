"use client";

import { type Dispatch, type SetStateAction, useCallback, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import {
  type ChannelDraft,
  duplicateNameRows,
  hostOf,
  isAddressMissing,
  type ModelRow,
  mergeListedModels,
  NEW_CHANNEL,
  type Preset,
  withPreset,
} from "@/components/channels/channel-draft";
import { invalidOptions, type OptionField } from "@/components/channels/channel-options";
import { draftRequest } from "@/components/channels/channel-request";
import { draftFingerprint } from "@/components/channels/draft-fingerprint";
import { mergeDraft } from "@/components/channels/merge-draft";
import { useTestCalls } from "@/components/channels/use-test-call";
import { isApiError } from "@/lib/client/api-error";
import type { Provider } from "@/lib/contracts/console/channels";
import { type FieldErrors, fieldErrorsOf, limitErrors, pairErrors } from "./form-errors";
import { targetToAllow, useConnection } from "./use-connection";

/** Fields in the "Advanced" section. */
const ADVANCED = ["weight", "rpm", "concurrency", "timeouts", "headers", "options"];

const isAdvanced = (field: string) => ADVANCED.includes(field.split(".", 1)[0] ?? "");

/** Changing one of these makes the upstream's last answer stale. */
const CONNECTION_FIELDS = ["baseUrl", "keys", "headers", "options", "voices", "provider"] as const;

/** State of the channel form: draft, upstream connection, errors. `channelId` null: a new channel. */
export function useChannelForm(channelId: string | null, before: ChannelDraft = NEW_CHANNEL) {
  const { draft, setDraft, pickPreset, rebase, isDirty } = useDraft(before);
  const errors = useFormErrors(draft);
  const { clearErrors } = errors;
  const testCalls = useTestCalls();
  const { forget } = testCalls;
  const { changedRows, changeRow } = useRowChanges(setDraft, errors.setFieldErrors, forget);
  const { connection, connect, reset, setPrivate } = useConnection((models) =>
    setDraft((now) => ({ ...now, models: mergeListedModels(now.models, models, channelId === null) })),
  );
  /** Forgets what the upstream answered. */
  const forgetAnswers = useCallback(() => {
    reset();
    forget();
  }, [reset, forget]);

  const change = useCallback(
    (patch: Partial<ChannelDraft>) => {
      setDraft((now) => ({ ...now, ...patch }));
      if (CONNECTION_FIELDS.some((name) => name in patch)) forgetAnswers();
      clearErrors();
    },
    [setDraft, forgetAnswers, clearErrors],
  );

  const pick = (preset: Preset, provider: Provider, name: string) => {
    pickPreset(preset, provider, name);
    forgetAnswers();
    clearErrors();
  };

  /** Takes over what was changed elsewhere; the user's own changes stay. */
  const continueOn = (newest: ChannelDraft) => {
    rebase(newest);
    forgetAnswers();
    clearErrors();
  };

  const showFailure = (failure: unknown) => {
    const target = targetToAllow(failure);
    if (target !== null) setPrivate(target);
    else errors.showFailure(failure);
  };

  /** Lists the upstream's models. */
  const testConnection = async () => {
    if (!errors.checkConnection()) return;
    // A self-hosted server is named after its host until the user enters a name.
    if (!draft.isNameEdited && draft.preset === "compatible")
      setDraft((now) => ({ ...now, name: hostOf(now.baseUrl) || now.name }));
    const refusal = await connect(draftRequest(draft, channelId));
    if (refusal) showFailure(refusal);
  };

  return {
    draft,
    isDirty,
    setDraft,
    change,
    changeRow,
    testCalls,
    pick,
    continueOn,
    fieldErrors: errors.fieldErrors,
    error: errors.error,
    setError: errors.setError,
    showFailure,
    check: () => errors.check(changedRows.current),
    connection,
    testConnection,
    showsAdvanced: errors.showsAdvanced,
    setShowsAdvanced: errors.setShowsAdvanced,
  };
}

export type ChannelForm = ReturnType<typeof useChannelForm>;

/** The draft, and whether it has user input. `before`: the draft without user input. */
function useDraft(before: ChannelDraft) {
  const [draft, setDraft] = useState(before);
  /** The draft without user input; for a new channel it includes the preset's defaults. */
  const [initial, setInitial] = useState(before);
  const pickPreset = (preset: Preset, provider: Provider, name: string) => {
    setDraft((now) => ({ ...withPreset(now, preset, provider), ...(now.isNameEdited ? {} : { name }) }));
    setInitial(withPreset(before, preset, provider));
  };
  const rebase = (newest: ChannelDraft) => {
    setDraft((now) => mergeDraft(initial, now, newest));
    setInitial(newest);
  };
  return {
    draft,
    setDraft,
    pickPreset,
    rebase,
    isDirty: draftFingerprint(draft) !== draftFingerprint(initial),
  };
}

/** Changes of model rows. A change clears the row's error, and its test if the upstream name or operation changed. */
function useRowChanges(
  setDraft: Dispatch<SetStateAction<ChannelDraft>>,
  setFieldErrors: Dispatch<SetStateAction<FieldErrors>>,
  forgetTest: (id: string) => void,
) {
  /** IDs of changed model rows, newest last. */
  const changedRows = useRef<string[]>([]);
  const changeRow = useCallback(
    (id: string, patch: Partial<ModelRow>) => {
      changedRows.current = [...changedRows.current.filter((other) => other !== id), id];
      setDraft((now) => ({
        ...now,
        models: now.models.map((row) => (row.id === id ? { ...row, ...patch } : row)),
      }));
      if ("upstream" in patch || "operation" in patch) forgetTest(id);
      setFieldErrors(({ [id]: _, ...others }) => others);
    },
    [setDraft, setFieldErrors, forgetTest],
  );
  return { changedRows, changeRow };
}

/** What an option's field accepts. */
function useOptionRule() {
  const fieldError = useTranslations("common.fieldError");
  const t = useTranslations("channels.form.optionRule");
  return (field: OptionField): string => {
    switch (field.kind) {
      case "number":
        return t("number", { least: field.min, most: field.max });
      case "text":
        return t("text", { example: field.example });
      case "certificate":
        return t("certificate");
      case "choice":
      case "switch":
        return fieldError("required");
      default:
        return field satisfies never;
    }
  };
}

/** Errors of the form, each shown at its field if it has one. Opens "Advanced" when one of its fields has an error. */
function useFormErrors(draft: ChannelDraft) {
  const fieldError = useTranslations("common.fieldError");
  const t = useTranslations("channels");
  const ruleOf = useOptionRule();
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({});
  const [error, setError] = useState<unknown>(null);
  const [showsAdvanced, setShowsAdvanced] = useState(false);

  const clearErrors = useCallback(() => {
    setFieldErrors({});
    setError(null);
  }, []);

  /** Shows errors at their fields; true where there are none. */
  const showFound = (found: FieldErrors): boolean => {
    setFieldErrors(found);
    if (Object.keys(found).some(isAdvanced)) setShowsAdvanced(true);
    return Object.keys(found).length === 0;
  };

  /** Shows an error of the server. */
  const showFailure = (failure: unknown) => {
    const issues = isApiError(failure) ? failure.issues : [];
    const found = issues.length > 0 ? fieldErrorsOf(issues, draft, fieldError) : null;
    if (found) showFound(found);
    else setError(failure);
  };

  /** Errors of the connection fields that can be found without the server. */
  const connectionErrors = (): FieldErrors => ({
    ...(isAddressMissing(draft)
      ? { base_url: t(draft.preset === "azure" ? "form.baseUrlMissingAzure" : "form.baseUrlMissing") }
      : {}),
    ...Object.fromEntries(
      invalidOptions(draft.provider, draft.options).map((field) => [`options.${field.name}`, ruleOf(field)]),
    ),
    ...pairErrors(draft, fieldError),
  });

  return {
    fieldErrors,
    setFieldErrors,
    error,
    setError,
    clearErrors,
    showFailure,
    showsAdvanced,
    setShowsAdvanced,
    /** True when the connection fields have no error. */
    checkConnection: () => showFound(connectionErrors()),
    /** True when the form has no error that can be found without the server. */
    check: (changedRows: readonly string[]): boolean => {
      const name = draft.name.trim() === "" ? { name: fieldError("required") } : {};
      const duplicates = duplicateNameRows(draft, changedRows).map((id) => [id, t("form.repeatedName")]);
      return showFound({
        ...name,
        ...limitErrors(draft, fieldError),
        ...connectionErrors(),
        ...Object.fromEntries(duplicates),
      });
    },
  };
}
