import { isRecord } from "../../contracts/is-record";
import { invalidAnswer } from "./failure";

/**
 * Upstream replies are read leniently: these functions narrow `unknown` and require no more than their callers need.
 */

export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | null {
  // Object.entries of an array would be meaningless to callers that expect fields.
  return isRecord(value) ? value : null;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

const MAX_TOKENS = 1e9;

/** A plausible count; null for −1, "5", 1e308, 1.5 and absent values. */
export function asCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS
    ? value
    : null;
}

/** The text without a byte order mark, which a reader of JSON may ignore (RFC 8259 §8.1). */
export function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Also removes a byte order mark. */
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Throws `upstream_invalid` for invalid UTF-8 or JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (error) {
    throw invalidAnswer("with data that is not JSON", error instanceof SyntaxError ? undefined : error);
  }
}

/** Like `parseJson`; null instead of throwing. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    return null;
  }
}

/** The length in bytes of decoded base64. Throws `upstream_invalid` for a length that no base64 has. */
export function decodedBase64Length(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  if ((text.length - padding) % 4 === 1) throw invalidAnswer("with invalid base64");
  return Math.floor(((text.length - padding) * 3) / 4);
}

/** The bytes of standard base64. Throws `upstream_invalid` for an invalid or missing character. */
export function decodeBase64(text: string): Buffer {
  const expected = decodedBase64Length(text);
  const bytes = Buffer.from(text, "base64");
  // Buffer skips invalid characters and stops at the first '='.
  if (bytes.length !== expected) throw invalidAnswer("with invalid base64");
  return bytes;
}
