import type {
  Channel,
  CreateChannel,
  DraftChannel,
  ModelOperation,
  Provider,
  UpdateChannel,
  UpstreamModels,
} from "../../lib/contracts/console/channels";
import type { Model } from "../../lib/contracts/gateway/models";

/** What one may start from: a provider, or a common case of one. */
export type Preset = "compatible" | "openai" | "azure" | "gemini" | "elevenlabs" | (string & {});

export interface ModelRow {
  /** Of the row, not of the model. */
  id: string;
  upstream: string;
  /** The public name. */
  name: string;
  operation: ModelOperation | null;
  isOn: boolean;
  /** Written by hand: its upstream's name can be edited. */
  isOwn: boolean;
}

/** A key that stands (by its id), or one that is being written. */
export type DraftKey =
  | { kind: "kept"; id: string; display: string }
  | { kind: "new"; id: string; text: string };

export const TIMEOUTS = ["connect_ms", "first_byte_ms", "idle_ms", "total_ms"] as const;

/** The form of a channel as it is typed; an empty text means the default. */
export interface ChannelDraft {
  preset: Preset | null;
  provider: string;
  baseUrl: string;
  keys: DraftKey[];
  models: ModelRow[];
  name: string;
  /** Follows provider and address until somebody writes one. */
  isNameOwn: boolean;
  weight: string;
  rpm: string;
  concurrency: string;
  /** In seconds. */
  timeouts: Record<(typeof TIMEOUTS)[number], string>;
  headers: { id: string; name: string; value: string }[];
  coalescing: boolean;
  /** JSON of the provider's other options. */
  options: string;
}

let rows = 0;
/** Names a row of the form; unique in this page. */
export function rowId(): string {
  rows += 1;
  return `row-${rows}`;
}

export const emptyKey = (): DraftKey => ({ kind: "new", id: rowId(), text: "" });

export const NEW_CHANNEL: ChannelDraft = {
  preset: null,
  provider: "",
  baseUrl: "",
  keys: [],
  models: [],
  name: "",
  isNameOwn: false,
  weight: "1",
  rpm: "",
  concurrency: "",
  timeouts: { connect_ms: "", first_byte_ms: "", idle_ms: "", total_ms: "" },
  headers: [],
  coalescing: true,
  options: "",
};

/** What can be picked, the most common first; providers that no case is known of stand last under their own names. */
export function presetsOf(providers: readonly Provider[]): { preset: Preset; provider: Provider }[] {
  const known = new Set(providers.map((one) => one.name));
  const cases = ["compatible", "openai", "gemini", "elevenlabs", "azure"].filter((one) =>
    known.has(providerOf(one)),
  );
  const others = [...known].filter((name) => !cases.includes(name));
  return [...cases, ...others].flatMap((preset) => {
    const provider = providers.find((one) => one.name === providerOf(preset));
    return provider ? [{ preset, provider }] : [];
  });
}

/** OpenAI's protocol serves three cases. */
function providerOf(preset: Preset): string {
  return hasOwnAddress(preset) ? "openai" : preset;
}

/** A server of one's own: OpenAI's protocol at an address that only the operator knows. */
const hasOwnAddress = (preset: Preset | null) => preset === "compatible" || preset === "azure";

/** True where no address stands though none can be guessed: left out it would mean the provider's own. */
export function lacksAddress(draft: ChannelDraft): boolean {
  return hasOwnAddress(draft.preset) && draft.baseUrl.trim() === "";
}

/** The draft once a case was picked: its address is filled in where it has one. */
export function withPreset(draft: ChannelDraft, preset: Preset, provider: Provider): ChannelDraft {
  return {
    ...draft,
    preset,
    provider: provider.name,
    baseUrl: hasOwnAddress(preset) ? "" : (provider.default_base_url ?? ""),
    keys: draft.keys.length > 0 ? draft.keys : [emptyKey()],
    models: [],
  };
}

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");

const seconds = (ms: number | undefined) => (ms === undefined ? "" : String(ms / 1_000));

/** A saved channel as the form shows it; `models` tell what each is for. */
export function draftOf(channel: Channel, models: readonly Model[]): ChannelDraft {
  const { coalescing, ...options } = channel.options;
  const operationOf = (name: string) => models.find((model) => model.name === name)?.operation ?? null;
  return {
    preset: channel.provider,
    provider: channel.provider,
    baseUrl: channel.base_url ?? "",
    keys: channel.keys.map(({ id, display }) => ({ kind: "kept", id, display })),
    models: channel.models.map((model) => ({
      id: rowId(),
      upstream: model.upstream_name,
      name: model.name,
      operation: operationOf(model.name),
      isOn: true,
      isOwn: false,
    })),
    name: channel.name,
    isNameOwn: true,
    weight: String(channel.weight),
    rpm: channel.rpm === null ? "" : String(channel.rpm),
    concurrency: channel.concurrency === null ? "" : String(channel.concurrency),
    timeouts: {
      connect_ms: seconds(channel.timeouts.connect_ms),
      first_byte_ms: seconds(channel.timeouts.first_byte_ms),
      idle_ms: seconds(channel.timeouts.idle_ms),
      total_ms: seconds(channel.timeouts.total_ms),
    },
    headers: Object.entries(channel.headers).map(([name, value]) => ({ id: rowId(), name, value })),
    coalescing: coalescing !== false,
    options: Object.keys(options).length > 0 ? JSON.stringify(options, null, 2) : "",
  };
}

/** The provider's options as they are sent; null: the text is no JSON object. */
export function optionsOf(draft: ChannelDraft): Record<string, unknown> | null {
  const own = draft.coalescing ? {} : { coalescing: false };
  if (draft.options.trim() === "") return own;
  try {
    const read: unknown = JSON.parse(draft.options);
    if (typeof read !== "object" || read === null || Array.isArray(read)) return null;
    return { ...read, ...own };
  } catch {
    return null;
  }
}

/** Keys as they are sent; a pasted list is several. */
export function keysOf(draft: ChannelDraft): (string | { id: string })[] {
  return draft.keys.flatMap((key): (string | { id: string })[] =>
    key.kind === "kept" ? [{ id: key.id }] : key.text.split(/\s+/u).filter(Boolean),
  );
}

const headersOf = (draft: ChannelDraft) =>
  Object.fromEntries(
    draft.headers.filter((one) => one.name.trim() !== "").map((one) => [one.name.trim(), one.value]),
  );

const numberOrNull = (text: string) => (text.trim() === "" ? null : Number(text));

function timeoutsOf(draft: ChannelDraft) {
  const given = TIMEOUTS.filter((name) => draft.timeouts[name].trim() !== "");
  return Object.fromEntries(given.map((name) => [name, Math.round(Number(draft.timeouts[name]) * 1_000)]));
}

/** Null where the field is empty: the provider's own. */
const addressOf = (draft: ChannelDraft) => draft.baseUrl.trim() || null;

/** The part of a draft that reaches the upstream; `channelId`: the channel that is being changed. */
export function draftRequest(draft: ChannelDraft, channelId: string | null): DraftChannel {
  return {
    ...(channelId === null ? {} : { channel_id: channelId }),
    provider: draft.provider,
    base_url: addressOf(draft),
    keys: keysOf(draft),
    timeouts: timeoutsOf(draft),
    headers: headersOf(draft),
    options: optionsOf(draft) ?? {},
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

/** Rows that are served, in the form's order: a fault of `models.2` is the third of these. */
export const servedRows = (draft: ChannelDraft): ModelRow[] => draft.models.filter((row) => row.isOn);

/**
 * Rows whose public name another row has as well, by their ids, one of each name: the one that was changed last
 * (`changed`, the newest at the end), else the last of them.
 */
export function repeatedRows(draft: ChannelDraft, changed: readonly string[]): string[] {
  const byName = new Map<string, string[]>();
  for (const { name, id } of servedRows(draft)) {
    if (name.trim() !== "") byName.set(name.trim(), [...(byName.get(name.trim()) ?? []), id]);
  }
  return [...byName.values()].flatMap((ids) => {
    if (ids.length < 2) return [];
    const newest = [...changed].reverse().find((id) => ids.includes(id));
    return newest ?? ids.at(-1) ?? [];
  });
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
    options: optionsOf(draft) ?? {},
  };
}

export function createRequest(draft: ChannelDraft): CreateChannel {
  // A new channel keeps nothing: all its keys are texts.
  const keys = keysOf(draft).filter((key) => typeof key === "string");
  return { ...commonRequest(draft), ...upstreamRequest(draft), provider: draft.provider, keys };
}

/** Of an engine built in only what may be changed goes out. */
export function updateRequest(draft: ChannelDraft, before: Channel): UpdateChannel {
  const common = { ...commonRequest(draft), version: before.version };
  if (before.embedded) return common;
  return { ...common, ...upstreamRequest(draft), keys: keysOf(draft) };
}

/**
 * The rows after an upstream told its list: what stood there stays as it is; new ones that speak or embed are ticked when
 * the channel is new and their number leaves no doubt.
 */
export function withListed(
  before: readonly ModelRow[],
  listed: NonNullable<UpstreamModels["models"]>,
  ticksNew: boolean,
): ModelRow[] {
  const known = new Set(before.map((row) => row.upstream));
  const fresh = listed.filter((one) => !known.has(one.name));
  const able = fresh.filter((one) => one.operation !== null);
  const rest = fresh.filter((one) => one.operation === null);
  return [
    ...before.filter((row) => row.upstream !== ""),
    ...[...able, ...rest].map((one) => ({
      id: rowId(),
      upstream: one.name,
      name: one.name,
      operation: one.operation,
      isOn: ticksNew && one.operation !== null,
      isOwn: false,
    })),
  ];
}
