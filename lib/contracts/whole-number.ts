import { z } from "zod";

/** A whole number from `least` to `most`, both included; each violated rule has its own message. */
export function wholeNumber(least: number, most: number) {
  return z
    .int("Must be a whole number.")
    .min(least, `Must be ${least} or more.`)
    .max(most, `Must be ${most} or less.`);
}
