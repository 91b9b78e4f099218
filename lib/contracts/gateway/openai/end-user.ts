import { z } from "zod";
import { codePoints } from "../../code-points";

const MAX_CHARACTERS = 1_024;

/** The caller's own ID for its end user, which is stored in the ledger entry. */
export const EndUser = z
  .string({ error: "must be a string" })
  .refine((user) => codePoints(user) <= MAX_CHARACTERS, "may have at most 1,024 characters")
  .refine((user) => !user.includes("\0"), "must not contain a NUL character")
  .meta({ maxLength: MAX_CHARACTERS });
