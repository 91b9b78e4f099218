import { z } from "zod";
import { codePoints } from "./code-points";

// Control and format characters (zero-width, direction overrides), line separators and lone surrogates: with them, two
// different names can look the same.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * `INVISIBLE` as the content of a character class for JSON Schema patterns, since not every tool supports `\p{…}`.
 * Lone surrogates are omitted: UTF-8 cannot encode them. Characters beyond the BMP are literal, because JavaScript and
 * Python escape them differently. Unicode 17.
 */
export const INVISIBLE_CLASS =
  "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890-\\u0891\\u08e2\\u180e\\u200b-\\u200f" +
  "\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb\u{110bd}\u{110cd}\u{13430}-\u{1343f}" +
  "\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0001}\u{e0020}-\u{e007f}";

/** The characters that `trim()` removes; `\s` is a different set in other languages. */
export const WHITE_CLASS = "\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

/** JSON Schema pattern of a string that has a character other than white space, and no NUL. */
export const WORDS_PATTERN = `^[^\\u0000]*[^\\u0000${WHITE_CLASS}][^\\u0000]*$`;

/** JSON Schema pattern of a string on one line: no control characters. */
export const ONE_LINE_PATTERN = "^[^\\u0000-\\u001f\\u007f]*$";

/** Patterns of an IPv4 octet and of a port from 1 on, without leading zeros. */
export const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
export const PORT =
  "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";

const label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
/** A host in a URL: an address, or a name whose last label begins with a letter (otherwise it is parsed as IPv4). */
export const HOST = `(?:(?:${label}\\.)*[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?\\.?|(?:${OCTET}\\.){3}${OCTET}|\\[${unanchored(z.regexes.ipv6)}\\])`;

function unanchored({ source }: RegExp): string {
  return `(?:${source.replace(/^\^|\$$/g, "")})`;
}

/** Makes a pattern case-insensitive: JSON Schema patterns have no flags. */
export function caseless(pattern: string): string {
  return pattern.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

/**
 * A string of `min` to `max` code points, as JSON Schema counts them. (`z.string().max` counts UTF-16 units and would
 * reject strings that the published schema allows.)
 */
export function boundedText(min: number, max: number) {
  return z
    .string()
    .refine((text) => text.length >= min && (text.length >= min * 2 || codePoints(text) >= min), {
      error: min === 1 ? "Must not be empty." : `Must have at least ${min} characters.`,
      abort: true,
    })
    .refine((text) => text.length <= max || (text.length <= max * 2 && codePoints(text) <= max), {
      // Formatted on an error, not at import: each `toLocaleString` creates a formatter, about 1 ms for each schema.
      error: () => `Must have at most ${max.toLocaleString("en")} characters.`,
      abort: true,
    })
    .meta(min === 0 ? { maxLength: max } : { minLength: min, maxLength: max });
}

/** `boundedText` without control characters: IDs, labels and search terms. */
export function boundedLine(min: number, max: number) {
  return boundedText(min, max)
    .refine((text) => ONE_LINE.test(text), "Must not contain control characters.")
    .meta({ pattern: ONE_LINE_PATTERN });
}
const ONE_LINE = new RegExp(ONE_LINE_PATTERN);

/** One line of display text: NFC, trimmed, 1 to `max` code points, no invisible characters. */
export function displayText(max: number) {
  const visible = `[^${WHITE_CLASS}${INVISIBLE_CLASS}]`;
  return z
    .string()
    .transform((text) => text.normalize("NFC").trim())
    .pipe(
      z
        .string()
        .min(1, "Must not be empty.")
        .refine((text) => codePoints(text) <= max, `Must have at most ${max} characters.`)
        .refine(
          (text) => !INVISIBLE.test(text),
          "Must not contain control, zero-width or direction characters.",
        ),
    )
    .meta({
      pattern: `^[${WHITE_CLASS}]*${visible}(?:[^${INVISIBLE_CLASS}]{0,${max - 2}}${visible})?[${WHITE_CLASS}]*$`,
      description: `One line of 1 to ${max} characters; white space around it is cut off`,
    });
}
