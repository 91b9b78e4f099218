import { z } from "zod";

/** A whole number from `min` to `max`, both included; each violated rule has its own message. */
export function wholeNumber(min: number, max: number) {
  return z
    .int("Must be a whole number.")
    .min(min, `Must be ${min} or more.`)
    .max(max, `Must be ${max} or less.`);
}
