import { codePoints } from "../contracts/code-points";
import { isRecord } from "../contracts/is-record";
import { failureOfResponse, GatewayError } from "./gateway-error";
import { type Pricing, pricingOf } from "./pricing";

/** Prices of a model in dollars per million units; null: not charged by that unit. */
interface Prices {
  inputTokens: number | null;
  inputCharacters: number | null;
  outputTokens: number | null;
  outputSeconds: number | null;
}

/** A model that the signed-in user may call; the page is rendered with the list. */
export interface GatewayModel {
  name: string;
  description: string;
  prices: Prices;
  /** Served only by built-in engines: free where no price is set. */
  isBuiltIn: boolean;
  /** Served only by the built-in classic synthesisers, whose voice names are aliases. */
  isClassic: boolean;
  /** Speech: maximum text length in code points. */
  maxCharacters: number | null;
  defaultVoice: string | null;
  /** Speech: a channel follows instructions. */
  takesInstructions: boolean;
  /** Speech: the catalogues whose names are the upstreams' own voices; other catalogues' names are aliases. */
  ownFamilies: GatewayVoice["family"][];
  /** Embeddings: the native number of dimensions. */
  dimensions: number | null;
  canShorten: boolean;
  /** Embeddings: the model has task types: it can embed queries and documents of a retrieval differently. */
  hasTaskTypes: boolean;
}

export interface GatewayVoice {
  name: string;
  gender: "female" | "male" | "neutral";
  /** A short description of its style; empty when unknown. */
  description: string;
  family: "gemini" | "openai" | "engine";
  /** BCP-47 tags; empty: all languages of the model. */
  languages: string[];
  /** Names of the models that have it; empty: unknown. */
  models: string[];
}

type Json = Readonly<Record<string, unknown>>;

/** The fields of an object, each of which is checked when read. */
function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(record) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** Reads the reply of `GET /v1/audio/voices`. A name that means different voices occurs once for each. */
export function readVoices(body: unknown): GatewayVoice[] {
  return list(record(body).voices).flatMap((one) => {
    const { gender, family } = one;
    const name = text(one.name) || text(one.id);
    if (name === "") return [];
    return {
      name,
      gender: gender === "female" || gender === "male" ? gender : "neutral",
      description: text(one.description),
      family: family === "gemini" || family === "openai" ? family : "engine",
      languages: texts(one.languages),
      models: texts(one.models),
    };
  });
}

/** The voices of a model, each name once; a voice without models belongs to every model. */
export function voicesOfModel(voices: readonly GatewayVoice[], model: string): GatewayVoice[] {
  const byName = new Map<string, GatewayVoice>();
  for (const voice of voices) {
    if (voice.models.length > 0 && !voice.models.includes(model)) continue;
    const key = voice.name.toLowerCase();
    byName.set(key, byName.get(key) ?? voice);
  }
  return [...byName.values()];
}

/** The voices of the models this key may use. Throws GatewayError. */
export async function listVoices(key: string): Promise<GatewayVoice[]> {
  const response = await fetch("/v1/audio/voices", {
    headers: { authorization: `Bearer ${key}` },
    cache: "no-store",
  });
  if (!response.ok) throw new GatewayError(await failureOfResponse(response));
  return readVoices(await response.json());
}

const MILLION = 1_000_000;

/** Whether a model has prices, is free, or has no prices yet. */
export function pricingOfModel({ prices, isBuiltIn }: Pick<GatewayModel, "prices" | "isBuiltIn">): Pricing {
  return pricingOf(Object.values(prices), isBuiltIn);
}

/**
 * Estimated cost of a call in dollars by a model's prices; the usage ledger has the exact cost. Without `outputTokens`,
 * audio tokens are 25 per second, as Gemini counts them.
 */
export function estimateCost(
  prices: Prices,
  used: { inputTokens: number; characters: number; seconds: number; outputTokens?: number },
): number {
  const parts: [number | null, number][] = [
    [prices.inputTokens, used.inputTokens],
    [prices.inputCharacters, used.characters],
    [prices.outputTokens, used.outputTokens ?? used.seconds * 25],
    [prices.outputSeconds, used.seconds],
  ];
  return parts.reduce((sum, [price, units]) => sum + ((price ?? 0) * units) / MILLION, 0);
}

const WIDE = /[\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\u3040-\u30FF]/gu;

/** Seconds that a character takes beyond those of a letter: a digit is read as a word, an ideograph is a syllable. */
const LONGER: readonly (readonly [characters: RegExp, seconds: number])[] = [
  [/\p{Nd}/gu, 4 / 15],
  [/\p{Script=Han}/gu, 3 / 15],
  [/\p{Script=Hangul}/gu, 1 / 15],
  [/[\u3040-\u30FF]/gu, 0.5 / 15],
];

/**
 * Estimates the usage of a text: about 4 characters per token in alphabets, 1 in Chinese, Japanese and Korean; 15 letters
 * per second, with the weights of lib/text/spoken-length.ts for characters that take longer.
 */
export function estimateSpeech(text: string): { inputTokens: number; characters: number; seconds: number } {
  const characters = codePoints(text.trim());
  const wide = text.match(WIDE)?.length ?? 0;
  const narrow = characters - wide;
  const longer = LONGER.reduce(
    (sum, [longOnes, seconds]) => sum + (text.match(longOnes)?.length ?? 0) * seconds,
    0,
  );
  return {
    inputTokens: Math.ceil(narrow / 4 + wide),
    characters,
    seconds: characters / 15 + longer,
  };
}
