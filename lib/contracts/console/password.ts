import { z } from "zod";
import { codePoints } from "../code-points";
import { boundedText, utf8Length } from "../text";

/** Shortest password on any instance; `PATCHBAY_PASSWORD_MIN` may raise it. */
export const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 256;
/** Longer passwords are refused before hashing. */
const MAX_PASSWORD_BYTES = 1024;

/** Length in code points after NFC, the form in which passwords are counted and hashed. */
export function passwordLength(password: string): number {
  return codePoints(password.normalize("NFC"));
}

/** An existing password: only its size is checked. */
export const Password = z
  .string()
  .min(1, "Must not be empty.")
  .refine((text) => utf8Length(text) <= MAX_PASSWORD_BYTES, `Must have at most ${MAX_PASSWORD_BYTES} bytes.`)
  // JSON Schema cannot limit bytes; this many characters always fit, and no stored password is longer.
  .meta({ maxLength: MAX_PASSWORD_LENGTH, format: "password" });

/** A password being chosen. The server also refuses common ones, the username and the product's name. */
export const NewPassword = Password.refine(
  (text) => passwordLength(text) >= MIN_PASSWORD_LENGTH,
  `Must have at least ${MIN_PASSWORD_LENGTH} characters.`,
)
  .refine(
    (text) => passwordLength(text) <= MAX_PASSWORD_LENGTH,
    `Must have at most ${MAX_PASSWORD_LENGTH} characters.`,
  )
  .meta({
    minLength: MIN_PASSWORD_LENGTH,
    description:
      "Counted in NFC. The instance may ask for more characters; common passwords, the username and the e-mail address are refused.",
  });

export const RepeatedPassword = boundedText(0, MAX_PASSWORD_LENGTH * 4).meta({
  description: "The password once more",
});
