import type {
  Channel,
  CreateChannel,
  DraftChannel,
  UpdateChannel,
} from "../../lib/contracts/console/channels";
import { decimalText, numberOrNull } from "../forms/limit-values";
import { type ChannelDraft, servedRows, TIMEOUTS } from "./channel-draft";
import { writeOptions } from "./channel-options";

/** The provider's options for the request. */
function optionsOf(draft: ChannelDraft): Record<string, unknown> {
  const batching = draft.batching ? {} : { batching: false };
  return { ...writeOptions(draft.provider, draft.options, draft.voices), ...batching };
}

type SentKey = NonNullable<UpdateChannel["keys"]>[number];

/** Keys for the request. Text with spaces or line breaks is several keys, whose labels are numbered from 2 on. */
function keysOf(draft: ChannelDraft): SentKey[] {
  return draft.keys.flatMap((key): SentKey[] => {
    const label = key.label.trim();
    if (key.kind === "stored") return [{ id: key.id, label: label || null }];
    const texts = key.text.split(/\s+/u).filter(Boolean);
    if (label === "") return texts;
    return texts.map((text, index) => ({ key: text, label: index === 0 ? label : `${label} ${index + 1}` }));
  });
}

/** Keys without labels, for requests that save nothing. */
const draftKeysOf = (draft: ChannelDraft): NonNullable<DraftChannel["keys"]> =>
  keysOf(draft).map((key) => {
    if (typeof key === "string") return key;
    return "id" in key ? { id: key.id } : key.key;
  });

const headersOf = (draft: ChannelDraft) =>
  Object.fromEntries(
    draft.headers
      .filter((header) => header.name.trim() !== "")
      .map((header) => [header.name.trim(), header.value]),
  );

function timeoutsOf(draft: ChannelDraft) {
  const set = TIMEOUTS.filter((name) => draft.timeouts[name].trim() !== "");
  return Object.fromEntries(
    set.map((name) => [name, Math.round(Number(decimalText(draft.timeouts[name])) * 1_000)]),
  );
}

/** Null for an empty field: the provider's own address. */
const addressOf = (draft: ChannelDraft) => draft.baseUrl.trim() || null;

/** Request for listing models or testing; `channelId`: the saved channel whose stored keys may be used. */
export function draftRequest(draft: ChannelDraft, channelId: string | null): DraftChannel {
  return {
    ...(channelId === null ? {} : { channel_id: channelId }),
    provider: draft.provider,
    base_url: addressOf(draft),
    keys: draftKeysOf(draft),
    timeouts: timeoutsOf(draft),
    headers: headersOf(draft),
    options: optionsOf(draft),
  };
}

function commonRequest(draft: ChannelDraft) {
  return {
    name: draft.name.trim(),
    weight: Number(draft.weight.trim() || "1"),
    rpm: numberOrNull(draft.rpm),
    concurrency: numberOrNull(draft.concurrency),
  };
}

function upstreamRequest(draft: ChannelDraft) {
  return {
    base_url: addressOf(draft),
    models: servedRows(draft).map((row) => ({
      name: row.name.trim(),
      upstream_name: row.upstream.trim(),
      ...(row.operation === null ? {} : { operation: row.operation }),
    })),
    timeouts: timeoutsOf(draft),
    headers: headersOf(draft),
    options: optionsOf(draft),
  };
}

export function createRequest(draft: ChannelDraft): CreateChannel {
  // A new channel has no stored keys.
  const keys = keysOf(draft).flatMap((key) => (typeof key === "string" || !("id" in key) ? [key] : []));
  return { ...commonRequest(draft), ...upstreamRequest(draft), provider: draft.provider, keys };
}

/** The request that saves a changed channel. For a built-in engine, it has only the fields that may be changed. */
export function updateRequest(draft: ChannelDraft, before: Channel): UpdateChannel {
  const common = { ...commonRequest(draft), version: before.version };
  if (before.embedded) return common;
  return { ...common, ...upstreamRequest(draft), keys: keysOf(draft) };
}
