import type { ModelRecord } from "../../ports/store";

/** Date on which the prices below were checked; the console shows it beside prefilled prices. */
export const PRICE_LIST_DATE = "2026-11-20";

type Known = Pick<ModelRecord, "operation"> &
  Partial<Omit<ModelRecord, "prices">> & { prices: ModelRecord["prices"] };

const NANO = 1_000_000_000;

/** Dollars per million units as nano-dollars per million units. */
function dollars(prices: {
  tokens?: number;
  characters?: number;
  audioTokens?: number;
}): ModelRecord["prices"] {
  const nano = (amount: number | undefined) => (amount === undefined ? null : Math.round(amount * NANO));
  return {
    inputPerMillionTokens: nano(prices.tokens),
    inputPerMillionCharacters: nano(prices.characters),
    outputPerMillionTokens: nano(prices.audioTokens),
    outputPerMillionSeconds: null,
  };
}

const OPENAI_EMBEDDING = {
  operation: "embeddings",
  maxInputTokens: 8_192,
  batching: true,
  cacheable: true,
} as const;
const OPENAI_SPEECH = { operation: "speech", maxCharacters: 4_096, defaultVoice: "alloy" } as const;
const GEMINI_SPEECH = {
  operation: "speech",
  maxCharacters: 32_000,
  // The upstream's context is 32,768 tokens minus the text; one second of audio is 25 tokens.
  maxAudioSeconds: 655,
  defaultVoice: "Kore",
} as const;

const ELEVENLABS_SPEECH = { operation: "speech" } as const;

/** Public list prices of common upstream models by upstream name; editable per model once created. */
const LIST: Readonly<Record<string, Known>> = {
  "text-embedding-3-small": {
    ...OPENAI_EMBEDDING,
    dimensions: 1_536,
    canShorten: true,
    prices: dollars({ tokens: 0.02 }),
  },
  "text-embedding-3-large": {
    ...OPENAI_EMBEDDING,
    dimensions: 3_072,
    canShorten: true,
    prices: dollars({ tokens: 0.13 }),
  },
  "text-embedding-ada-002": {
    ...OPENAI_EMBEDDING,
    dimensions: 1_536,
    canShorten: false,
    prices: dollars({ tokens: 0.1 }),
  },
  "gemini-embedding-001": {
    operation: "embeddings",
    maxInputTokens: 2_048,
    batching: true,
    cacheable: true,
    dimensions: 3_072,
    canShorten: true,
    prices: dollars({ tokens: 0.15 }),
  },
  "tts-1": { ...OPENAI_SPEECH, prices: dollars({ characters: 15 }) },
  "tts-1-hd": { ...OPENAI_SPEECH, prices: dollars({ characters: 30 }) },
  "gpt-4o-mini-tts": { ...OPENAI_SPEECH, prices: dollars({ tokens: 0.6, audioTokens: 12 }) },
  "gemini-2.5-flash-preview-tts": { ...GEMINI_SPEECH, prices: dollars({ tokens: 0.5, audioTokens: 10 }) },
  "gemini-2.5-pro-preview-tts": { ...GEMINI_SPEECH, prices: dollars({ tokens: 1, audioTokens: 20 }) },
  // Pay-as-you-go rates of elevenlabs.io/pricing/api, as public price lists quote them.
  eleven_v3: { ...ELEVENLABS_SPEECH, maxCharacters: 5_000, prices: dollars({ characters: 100 }) },
  eleven_multilingual_v2: {
    ...ELEVENLABS_SPEECH,
    maxCharacters: 10_000,
    prices: dollars({ characters: 100 }),
  },
  eleven_flash_v2_5: { ...ELEVENLABS_SPEECH, maxCharacters: 40_000, prices: dollars({ characters: 50 }) },
  eleven_flash_v2: { ...ELEVENLABS_SPEECH, maxCharacters: 30_000, prices: dollars({ characters: 50 }) },
  eleven_turbo_v2_5: { ...ELEVENLABS_SPEECH, maxCharacters: 40_000, prices: dollars({ characters: 50 }) },
  eleven_turbo_v2: { ...ELEVENLABS_SPEECH, maxCharacters: 30_000, prices: dollars({ characters: 50 }) },
};

/** The listed model for an upstream name, ignoring vendor prefixes; null when unknown. */
function knownModel(upstreamName: string): Known | null {
  const bare = upstreamName.split("/").at(-1) ?? upstreamName;
  return (Object.hasOwn(LIST, bare) ? LIST[bare] : undefined) ?? null;
}

/** A new model's record before the operator's changes; prices are null when the list has none. */
export function draftModel(
  name: string,
  operation: ModelRecord["operation"],
  upstreamName: string,
  now: number,
): ModelRecord {
  const known = knownModel(upstreamName);
  const fits = known !== null && known.operation === operation ? known : null;
  return {
    aliases: [],
    description: "",
    prices: dollars({}),
    maxCharacters: operation === "speech" ? 32_000 : null,
    maxAudioSeconds: null,
    dimensions: null,
    canShorten: operation === "embeddings",
    maxInputTokens: operation === "embeddings" ? 8_192 : null,
    defaultVoice: null,
    cacheable: operation === "embeddings",
    batching: operation === "embeddings",
    enabled: true,
    version: 1,
    ...fits,
    name,
    operation,
    createdAt: now,
  };
}

/** The operation guessed from a model's name; null when the name does not say. */
export function operationByName(upstreamName: string): ModelRecord["operation"] | null {
  const known = knownModel(upstreamName);
  if (known !== null) return known.operation;
  if (/embed|bge|e5-|gte-|minilm/i.test(upstreamName)) return "embeddings";
  return /tts|speech|kokoro|piper|eleven/i.test(upstreamName) ? "speech" : null;
}
