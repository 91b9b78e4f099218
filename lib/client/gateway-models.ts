import { failureOfResponse, GatewayError } from "./gateway-error";
import { type Pricing, pricingOf } from "./pricing";

/** Prices of a model in dollars per million units; null: not charged by that unit. */
export interface Prices {
  inputTokens: number | null;
  inputCharacters: number | null;
  outputTokens: number | null;
  outputSeconds: number | null;
}

/** A model the visitor may call; the page is served with the list. */
export interface GatewayModel {
  name: string;
  description: string;
  prices: Prices;
  /** Served by engines built in alone: free where no price is set. */
  isBuiltIn: boolean;
  /** Speech: longest text in code points. */
  maxCharacters: number | null;
  defaultVoice: string | null;
  /** Embeddings: the vector's own length. */
  dimensions: number | null;
  canShorten: boolean;
}

export interface GatewayVoice {
  name: string;
  gender: "female" | "male" | "neutral";
  /** A word of character; empty when none is told. */
  description: string;
  family: "gemini" | "openai" | "engine";
  /** BCP-47; empty: all of the model's. */
  languages: string[];
  /** The models it belongs to; empty: not told. */
  models: string[];
}

type Json = Readonly<Record<string, unknown>>;

function record(value: unknown): Json {
  // An object of unknown fields, each of which is checked when read.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(record) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

async function getJson(path: string, key: string): Promise<Json> {
  const response = await fetch(path, {
    headers: { authorization: `Bearer ${key}` },
    cache: "no-store",
  });
  if (!response.ok) throw new GatewayError(await failureOfResponse(response));
  return record(await response.json());
}

function genderOf(value: unknown): GatewayVoice["gender"] {
  return value === "female" || value === "male" ? value : "neutral";
}

function familyOf(value: unknown): GatewayVoice["family"] {
  return value === "gemini" || value === "openai" ? value : "engine";
}

/** Reads `GET /v1/audio/voices`; a name that several models share is one voice of all of them. */
export function readVoices(body: unknown): GatewayVoice[] {
  const voices = new Map<string, GatewayVoice>();
  const source = record(body);
  for (const one of list(source.voices)) {
    const name = text(one.name) || text(one.id);
    if (name === "") continue;
    const models = texts(one.models);
    const known = voices.get(name);
    if (known) known.models.push(...models);
    else {
      voices.set(name, {
        name,
        gender: genderOf(one.gender),
        description: text(one.description),
        family: familyOf(one.family),
        languages: texts(one.languages),
        models: [...models],
      });
    }
  }
  return [...voices.values()];
}

/** The voices of the models this key may use. Throws GatewayError. */
export async function listVoices(key: string): Promise<GatewayVoice[]> {
  return readVoices(await getJson("/v1/audio/voices", key));
}

const MILLION = 1_000_000;

/** Whether a model has prices, is free, or has none yet. */
export function pricingOfModel({ prices, isBuiltIn }: Pick<GatewayModel, "prices" | "isBuiltIn">): Pricing {
  return pricingOf(Object.values(prices), isBuiltIn);
}

/**
 * Dollars of a call by a model's prices, for the eye alone: the books are the server's. Audio tokens are 25 a second,
 * as Gemini counts them.
 */
export function estimateCost(
  prices: Prices,
  used: { inputTokens: number; characters: number; seconds: number },
): number {
  const parts: [number | null, number][] = [
    [prices.inputTokens, used.inputTokens],
    [prices.inputCharacters, used.characters],
    [prices.outputTokens, used.seconds * 25],
    [prices.outputSeconds, used.seconds],
  ];
  return parts.reduce((sum, [price, units]) => sum + ((price ?? 0) * units) / MILLION, 0);
}

/** Code points of a text: what the service counts as characters. */
export function codePoints(words: string): number {
  let count = 0;
  for (const _ of words) count += 1;
  return count;
}

const WIDE = /[\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\u3040-\u30FF]/gu;

/**
 * What a text will cost before it is spoken: about four characters a token and 15 characters a second in alphabets,
 * one token and a quarter of a second a character in Chinese, Japanese and Korean.
 */
export function estimateSpeech(words: string): { inputTokens: number; characters: number; seconds: number } {
  const characters = codePoints(words.trim());
  const wide = words.match(WIDE)?.length ?? 0;
  const narrow = characters - wide;
  return {
    inputTokens: Math.ceil(narrow / 4 + wide),
    characters,
    seconds: narrow / 15 + wide / 4,
  };
}
