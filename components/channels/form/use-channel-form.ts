"use client";

import { useCallback, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import {
  type ChannelDraft,
  draftRequest,
  hostOf,
  lacksAddress,
  type ModelRow,
  NEW_CHANNEL,
  optionsOf,
  type Preset,
  repeatedRows,
  withListed,
  withPreset,
} from "@/components/channels/channel-draft";
import { writtenIn } from "@/components/channels/channel-written";
import { isApiError } from "@/lib/client/api-error";
import type { Provider } from "@/lib/contracts/console/channels";
import { type Faults, placeFaults } from "./form-errors";
import { targetToAllow, useConnection } from "./use-connection";

/** Fields behind "Advanced". */
export const ADVANCED = ["weight", "rpm", "concurrency", "timeouts", "headers", "options"];

/** Changing one of these asks the upstream anew. */
const OF_CONNECTION = ["baseUrl", "keys", "headers", "options", "provider"] as const;

/** The form of a channel: what is typed, what the upstream said, what is wrong. `channelId` null: a new one. */
export function useChannelForm(channelId: string | null, before: ChannelDraft = NEW_CHANNEL) {
  const fieldError = useTranslations("common.fieldError");
  const t = useTranslations("channels");
  const [draft, setDraft] = useState(before);
  /** What the form began with: of a new channel, what its provider brings along. */
  const [began, setBegan] = useState(before);
  const [faults, setFaults] = useState<Faults>({});
  /** Ids of rows that were changed, the newest last. */
  const changedRows = useRef<string[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [showsAdvanced, setShowsAdvanced] = useState(false);
  const { connection, connect, forget, setPrivate } = useConnection((models) =>
    setDraft((now) => ({ ...now, models: withListed(now.models, models, channelId === null) })),
  );

  const change = useCallback(
    (patch: Partial<ChannelDraft>) => {
      setDraft((now) => ({ ...now, ...patch }));
      if (OF_CONNECTION.some((name) => name in patch)) forget();
      setFaults({});
      setError(null);
    },
    [forget],
  );

  const changeRow = (id: string, patch: Partial<ModelRow>) => {
    changedRows.current = [...changedRows.current.filter((one) => one !== id), id];
    setDraft((now) => ({
      ...now,
      models: now.models.map((row) => (row.id === id ? { ...row, ...patch } : row)),
    }));
    setFaults(({ [id]: _, ...others }) => others);
  };

  const pick = (preset: Preset, provider: Provider, name: string) => {
    setDraft((now) => ({ ...withPreset(now, preset, provider), ...(now.isNameOwn ? {} : { name }) }));
    setBegan(withPreset(before, preset, provider));
    forget();
    setFaults({});
    setError(null);
  };

  const show = (failure: unknown) => {
    const target = targetToAllow(failure);
    if (target !== null) return setPrivate(target);
    const issues = isApiError(failure) ? failure.issues : [];
    const placed = issues.length > 0 ? placeFaults(issues, draft, fieldError) : null;
    if (!placed) return setError(failure);
    setFaults(placed);
    if (ADVANCED.some((name) => placed[name])) setShowsAdvanced(true);
  };

  const showFound = (found: Faults): boolean => {
    setFaults(found);
    if (found.options) setShowsAdvanced(true);
    return Object.keys(found).length === 0;
  };

  /** What is wrong with the part that reaches the upstream, as far as it can be told without the server. */
  const connectionFaults = (): Faults => ({
    ...(lacksAddress(draft)
      ? { base_url: t(draft.preset === "azure" ? "form.baseUrlMissingAzure" : "form.baseUrlMissing") }
      : {}),
    ...(optionsOf(draft) === null ? { options: t("form.optionsFault") } : {}),
  });

  /** The faults that can be told without the server. */
  const check = (): boolean => {
    const named = draft.name.trim() === "" ? { name: fieldError("required") } : {};
    const repeated = repeatedRows(draft, changedRows.current).map((id) => [id, t("form.repeatedName")]);
    return showFound({ ...named, ...connectionFaults(), ...Object.fromEntries(repeated) });
  };

  const ask = async () => {
    if (!showFound(connectionFaults())) return;
    // A server of one's own is called by its address until somebody names it.
    if (!draft.isNameOwn && draft.preset === "compatible")
      setDraft((now) => ({ ...now, name: hostOf(now.baseUrl) || now.name }));
    const refusal = await connect(draftRequest(draft, channelId));
    if (refusal) show(refusal);
  };

  return {
    draft,
    isDirty: writtenIn(draft) !== writtenIn(began),
    setDraft,
    change,
    changeRow,
    pick,
    faults,
    error,
    setError,
    show,
    check,
    connection,
    ask,
    showsAdvanced,
    setShowsAdvanced,
  };
}

export type ChannelForm = ReturnType<typeof useChannelForm>;
