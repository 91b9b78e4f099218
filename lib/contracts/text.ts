import { z } from "zod";

// Control and format characters (zero-width, direction overrides), line separators and lone surrogates: in a name
// they make two different things look the same.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Code points, as people count characters. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** One line of text to be shown: NFC, trimmed, 1 to `max` code points, nothing invisible in it. */
export function shownText(max: number) {
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
          "Must not hold control, zero-width or direction characters.",
        ),
    );
}
