import { invalidAnswer } from "./failure";

/** What upstreams answer is read leniently: these narrow `unknown` without asking for more than is needed. */

export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | null {
  // Object.entries of an array would make sense to nobody who asks for fields.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

const MOST_TOKENS = 1e9;

/** A count that can be believed; null for −1, "5", 1e308, 1.5 and what is absent (BAD-INPUTS N-154). */
export function asCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS
    ? value
    : null;
}

/** Throws `upstream_invalid` for what is not UTF-8 or not JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalidAnswer("what is not JSON", error instanceof SyntaxError ? undefined : error);
  }
}

/** As `parseJson`; null instead of throwing. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The bytes of standard base64. Throws `upstream_invalid` where a character does not belong or one is missing. */
export function decodeBase64(text: string): Buffer {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const expected = Math.floor(((text.length - padding) * 3) / 4);
  const bytes = Buffer.from(text, "base64");
  // Buffer leaves out what it cannot read and stops at the first '='.
  if (bytes.length !== expected || (text.length - padding) % 4 === 1) {
    throw invalidAnswer("with invalid base64");
  }
  return bytes;
}
