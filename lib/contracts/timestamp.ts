import { z } from "zod";

/** A time in a reply: RFC 3339 in UTC. */
export const Timestamp = z.iso.datetime().meta({ description: "RFC 3339, UTC" });

/** Unix time in milliseconds → `2026-11-20T20:17:00.000Z`. */
export function toTimestamp(at: number): string {
  return new Date(at).toISOString();
}

export const timestampOrNull = (at: number | null): string | null => (at === null ? null : toTimestamp(at));
