import type { Channel, ModelOperation, Provider, UpstreamModels } from "../../lib/contracts/console/channels";
import type { Model } from "../../lib/contracts/console/models";
import { numberText } from "../forms/limit-values";
import { type NamedText, type OptionTexts, readOptions } from "./channel-options";

/** Providers and common variants of them that have a name in the catalogues, in display order. */
export const NAMED_PRESETS = ["compatible", "openai", "gemini", "elevenlabs", "azure"] as const;

/** Starting point of a new channel: a provider or a common variant of one. */
export type Preset = (typeof NAMED_PRESETS)[number] | (string & {});

export interface ModelRow {
  /** ID of the row, not of the model. */
  id: string;
  upstream: string;
  /** The public name. */
  name: string;
  operation: ModelOperation | null;
  isOn: boolean;
  /** Added by hand: its upstream name can be edited. */
  isManual: boolean;
}

/** A stored upstream key, by its ID, or a new one as it is typed. */
export type DraftKey =
  | { kind: "stored"; id: string; display: string; label: string }
  | { kind: "new"; id: string; text: string; label: string };

export const TIMEOUTS = ["connect_ms", "first_byte_ms", "idle_ms", "total_ms"] as const;

/** State of the channel form as typed; an empty string means the default. */
export interface ChannelDraft {
  preset: Preset | null;
  provider: string;
  baseUrl: string;
  keys: DraftKey[];
  models: ModelRow[];
  name: string;
  /** False while the name is derived from the provider or the address. */
  isNameEdited: boolean;
  weight: string;
  rpm: string;
  concurrency: string;
  /** In seconds. */
  timeouts: Record<(typeof TIMEOUTS)[number], string>;
  headers: NamedText[];
  /** Dynamic batching of concurrent embedding requests. */
  batching: boolean;
  /** The provider's other options by field, as typed. */
  options: OptionTexts;
  voices: NamedText[];
}

let rowCount = 0;
/** An ID for a row of the form, unique on this page. */
export function nextRowId(): string {
  rowCount += 1;
  return `row-${rowCount}`;
}

export const emptyKey = (): DraftKey => ({ kind: "new", id: nextRowId(), text: "", label: "" });

export const NEW_CHANNEL: ChannelDraft = {
  preset: null,
  provider: "",
  baseUrl: "",
  keys: [],
  models: [],
  name: "",
  isNameEdited: false,
  weight: "1",
  rpm: "",
  concurrency: "",
  timeouts: { connect_ms: "", first_byte_ms: "", idle_ms: "", total_ms: "" },
  headers: [],
  batching: true,
  options: {},
  voices: [],
};

/** The presets to choose from, most common first, then the remaining providers under their own names. */
export function presetsOf(providers: readonly Provider[]): { preset: Preset; provider: Provider }[] {
  const names = new Set(providers.map((provider) => provider.name));
  const presets: readonly Preset[] = NAMED_PRESETS.filter((preset) => names.has(providerOf(preset)));
  const others = [...names].filter((name) => !presets.includes(name));
  return [...presets, ...others].flatMap((preset) => {
    const provider = providers.find(({ name }) => name === providerOf(preset));
    return provider ? [{ preset, provider }] : [];
  });
}

/** The `openai` provider serves three presets. */
function providerOf(preset: Preset): string {
  return isSelfHosted(preset) ? "openai" : preset;
}

/** OpenAI's protocol at an address that only the operator knows. */
const isSelfHosted = (preset: Preset | null) => preset === "compatible" || preset === "azure";

/** True when the preset has no default address and none was entered: an empty address would mean the provider's own. */
export function isAddressMissing(draft: ChannelDraft): boolean {
  return isSelfHosted(draft.preset) && draft.baseUrl.trim() === "";
}

/** The draft after choosing a preset, with the preset's address where it has one. */
export function withPreset(draft: ChannelDraft, preset: Preset, provider: Provider): ChannelDraft {
  return {
    ...draft,
    preset,
    provider: provider.name,
    baseUrl: isSelfHosted(preset) ? "" : (provider.default_base_url ?? ""),
    keys: draft.keys.length > 0 ? draft.keys : [emptyKey()],
    models: [],
  };
}

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");

/** A channel's provider, or the variant of OpenAI's protocol that its address shows. */
export function presetOfChannel({
  provider,
  base_url,
  embedded,
}: Pick<Channel, "provider" | "base_url" | "embedded">): Preset {
  if (embedded) return "embedded";
  const host = hostOf(base_url ?? "");
  if (provider !== "openai" || host === "" || host === "api.openai.com") return provider;
  return host.endsWith(".azure.com") ? "azure" : "compatible";
}

const seconds = (ms: number | undefined) => (ms === undefined ? "" : String(ms / 1_000));

/** A saved channel as a draft; `models` provides the operation of each model. */
export function draftOf(channel: Channel, models: readonly Model[]): ChannelDraft {
  const { batching, ...options } = channel.options;
  const { texts, voices } = readOptions(channel.provider, options);
  const operationOf = (name: string) => models.find((model) => model.name === name)?.operation ?? null;
  return {
    preset: presetOfChannel(channel),
    provider: channel.provider,
    baseUrl: channel.base_url ?? "",
    keys: channel.keys.map(({ id, display, label }) => ({ kind: "stored", id, display, label: label ?? "" })),
    models: channel.models.map((model) => ({
      id: nextRowId(),
      upstream: model.upstream_name,
      name: model.name,
      operation: operationOf(model.name),
      isOn: true,
      isManual: false,
    })),
    name: channel.name,
    isNameEdited: true,
    weight: String(channel.weight),
    rpm: numberText(channel.rpm),
    concurrency: numberText(channel.concurrency),
    timeouts: {
      connect_ms: seconds(channel.timeouts.connect_ms),
      first_byte_ms: seconds(channel.timeouts.first_byte_ms),
      idle_ms: seconds(channel.timeouts.idle_ms),
      total_ms: seconds(channel.timeouts.total_ms),
    },
    headers: Object.entries(channel.headers).map(([name, value]) => ({ id: nextRowId(), name, value })),
    batching: batching !== false,
    options: texts,
    voices: voices.map((pair) => ({ ...pair, id: nextRowId() })),
  };
}

/** The selected rows in form order; an issue at `models.2` refers to the third of these. */
export const servedRows = (draft: ChannelDraft): ModelRow[] => draft.models.filter((row) => row.isOn);

/**
 * For each public name that several rows have, the ID of the row to mark: the most recently changed one (`changed`:
 * IDs, newest last), else the last one.
 */
export function duplicateNameRows(draft: ChannelDraft, changed: readonly string[]): string[] {
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

/** In a longer list no model is preselected, because an operator wants only a few of them. */
const MAX_SELECTED = 20;

/**
 * The rows after the upstream has listed its models: existing rows stay unchanged, new models are appended, those with
 * a known operation first. With `selectsNew`, new models with a known operation are selected, unless the list is long.
 */
export function mergeListedModels(
  before: readonly ModelRow[],
  listed: NonNullable<UpstreamModels["models"]>,
  selectsNew: boolean,
): ModelRow[] {
  const known = new Set(before.map((row) => row.upstream));
  const selects = selectsNew && listed.length <= MAX_SELECTED;
  const added = listed.filter((model) => !known.has(model.name));
  const supported = added.filter((model) => model.operation !== null);
  const others = added.filter((model) => model.operation === null);
  return [
    ...before.filter((row) => row.upstream !== ""),
    ...[...supported, ...others].map((model) => ({
      id: nextRowId(),
      upstream: model.name,
      name: model.name,
      operation: model.operation,
      isOn: selects && model.operation !== null,
      isManual: false,
    })),
  ];
}
