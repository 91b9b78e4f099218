import type { UpstreamProviderName } from "@/lib/contracts/console/channels";
import { decimalText } from "../forms/limit-values";

// The form fields of a channel's `options`, by provider. lib/contracts/console/channel-options.ts has their rules.

/** A field's `name` is a path in `options`: `voice_settings.style`. */
export type OptionField = { name: OptionName } & (
  | { kind: "choice"; values: readonly (string | number)[] }
  | { kind: "switch" }
  | { kind: "number"; min: number; max: number }
  | { kind: "text"; pattern: RegExp; example: string }
  | { kind: "certificate" }
);

type OptionName = keyof typeof OPTION_KEYS;

/** The typed text of each field; a missing or empty text means the provider's default. */
export type OptionTexts = Readonly<Partial<Record<OptionName, string>>>;

/** A row of the form: a header's name and value, or a caller's voice name (`*`: all others) and the upstream's. */
export interface NamedText {
  id: string;
  name: string;
  value: string;
}

/** Message keys by field. */
export const OPTION_KEYS = {
  azure_api_version: "azure_api_version",
  authentication: "authentication",
  speech_format: "speech_format",
  sample_rate: "sample_rate",
  stream_format: "stream_format",
  list_voices: "list_voices",
  encoding_format: "encoding_format",
  dimensions: "dimensions",
  streaming: "streaming",
  speech_form: "speech_form",
  "voice_settings.stability": "stability",
  "voice_settings.similarity_boost": "similarity_boost",
  "voice_settings.style": "style",
  "voice_settings.use_speaker_boost": "use_speaker_boost",
  enable_logging: "enable_logging",
  max_batch: "max_batch",
  ca: "ca",
} as const;

const DIMENSIONS: OptionField = { name: "dimensions", kind: "choice", values: ["send", "shorten"] };
const COMMON: readonly OptionField[] = [
  { name: "max_batch", kind: "number", min: 1, max: 2_048 },
  { name: "ca", kind: "certificate" },
];
const share = (name: OptionName): OptionField => ({ name, kind: "number", min: 0, max: 1 });

const FIELDS: Readonly<Record<string, readonly OptionField[]>> = {
  openai: [
    {
      name: "azure_api_version",
      kind: "text",
      pattern: /^\d{4}-\d{2}-\d{2}(?:-preview)?$/,
      example: "2024-10-21",
    },
    { name: "authentication", kind: "choice", values: ["bearer", "api-key"] },
    { name: "speech_format", kind: "choice", values: ["pcm", "wav"] },
    {
      name: "sample_rate",
      kind: "choice",
      values: [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
    },
    { name: "stream_format", kind: "choice", values: ["audio", "sse"] },
    { name: "list_voices", kind: "switch" },
    { name: "encoding_format", kind: "choice", values: ["base64", "float"] },
    DIMENSIONS,
  ],
  gemini: [
    { name: "streaming", kind: "switch" },
    { name: "speech_form", kind: "choice", values: ["parts", "prompt"] },
    DIMENSIONS,
  ],
  elevenlabs: [
    share("voice_settings.stability"),
    share("voice_settings.similarity_boost"),
    share("voice_settings.style"),
    { name: "voice_settings.use_speaker_boost", kind: "switch" },
    { name: "sample_rate", kind: "choice", values: [16_000, 22_050, 24_000, 44_100] },
    { name: "enable_logging", kind: "switch" },
  ],
} satisfies Record<UpstreamProviderName, readonly OptionField[]>;

/** The option fields of a provider, common ones last. */
export const optionFields = (provider: string): readonly OptionField[] => [
  ...(FIELDS[provider] ?? []),
  ...COMMON,
];

function valueAt(options: Readonly<Record<string, unknown>>, path: string): unknown {
  return path.split(".").reduce<unknown>((at, key) => {
    // Type assertion: any object can be read by string keys.
    return typeof at === "object" && at !== null ? (at as Record<string, unknown>)[key] : undefined;
  }, options);
}

/** Stored options as field texts. */
export function readOptions(
  provider: string,
  options: Readonly<Record<string, unknown>>,
): { texts: OptionTexts; voices: Omit<NamedText, "id">[] } {
  const texts: Partial<Record<OptionName, string>> = {};
  for (const { name } of optionFields(provider)) {
    const value = valueAt(options, name);
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      texts[name] = String(value);
  }
  const table = valueAt(options, "voices");
  const voices =
    typeof table === "object" && table !== null
      ? Object.entries(table).map(([name, value]) => ({ name, value: String(value) }))
      : [];
  return { texts, voices };
}

function typedValue(field: OptionField, text: string): unknown {
  switch (field.kind) {
    case "switch":
      return text === "true";
    case "number":
      return Number(decimalText(text));
    case "choice":
      return field.values.find((value) => String(value) === text);
    case "text":
    case "certificate":
      return text;
    default:
      return field satisfies never;
  }
}

/** Field texts as options for a request; empty ones are left out. */
export function writeOptions(
  provider: string,
  texts: OptionTexts,
  voices: readonly NamedText[],
): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  const nested: Record<string, Record<string, unknown>> = {};
  for (const field of optionFields(provider)) {
    const text = texts[field.name]?.trim() ?? "";
    if (text === "") continue;
    const [first = "", second] = field.name.split(".");
    const value = typedValue(field, text);
    if (second === undefined) options[first] = value;
    else nested[first] = { ...nested[first], [second]: value };
  }
  const table = voices
    .map(({ name, value }) => [name.trim(), value.trim()] as const)
    .filter(([name, value]) => name !== "" && value !== "");
  return {
    ...options,
    ...nested,
    ...(table.length > 0 ? { voices: Object.fromEntries(table) } : {}),
  };
}

/** The fields whose text is not a valid value. Empty texts are valid. */
export function invalidOptions(provider: string, texts: OptionTexts): OptionField[] {
  return optionFields(provider).filter((field) => {
    const text = texts[field.name]?.trim() ?? "";
    if (text === "") return false;
    switch (field.kind) {
      case "number": {
        const value = Number(decimalText(text));
        const isWhole = field.name !== "max_batch" || Number.isInteger(value);
        return !isWhole || !(value >= field.min && value <= field.max);
      }
      case "text":
        return !field.pattern.test(text);
      case "certificate":
        return !/^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----$/.test(text);
      case "choice":
      case "switch":
        return false;
      default:
        return field satisfies never;
    }
  });
}
