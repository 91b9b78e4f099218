import { z } from "zod";

/** RFC 3339 in UTC, as times stand in every reply. */
export const Timestamp = z.iso.datetime().meta({ description: "RFC 3339, UTC" });
export type Timestamp = z.infer<typeof Timestamp>;

/** Milliseconds since 1970 → `2026-11-20T20:17:00.000Z`. */
export function toTimestamp(at: number): string {
  return new Date(at).toISOString();
}
