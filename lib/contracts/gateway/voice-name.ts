import { z } from "zod";
import { codePoints } from "../code-points";

/** Most characters of a speaker's or a voice's name. */
export const MAX_NAME_LENGTH = 200;

/** A voice name or ID, which is stored in the ledger entry; a channel that cannot list its voices accepts any. */
export const VoiceName = z
  .string()
  .min(1, "must name a voice")
  .refine((name) => codePoints(name) <= MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`)
  .meta({ maxLength: MAX_NAME_LENGTH });
