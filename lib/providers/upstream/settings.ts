import type { Clock } from "../../ports/clock";
import type { ChannelRecord } from "../../ports/store";
import { trimEndOf } from "../../text/trim-end";
import type { Outbound } from "../outbound/create";

/** What a provider of upstreams is made of. */
export interface UpstreamSettings {
  outbound: Outbound;
  clock: Clock;
  /** The key that a channel uses now, in the clear; null when it has none. */
  keyOf(channel: ChannelRecord): string | null;
}

/** Decoded bytes of a speech reply (RELIABILITY RB-6). */
export const MOST_SPEECH_BYTES = 64 * 1024 * 1024;
/** Of a list of models or voices. */
export const MOST_LIST_BYTES = 8 * 1024 * 1024;

const BYTES_A_NUMBER = 32;
/** No model in use makes longer vectors. */
const LONGEST_VECTOR = 4_096;

/** Decoded bytes of an embeddings reply: 1 MiB + inputs × dimensions × 32. */
export function mostEmbeddingBytes(texts: number, dimensions: number | undefined): number {
  return 1024 * 1024 + texts * Math.max(dimensions ?? 0, LONGEST_VECTOR) * BYTES_A_NUMBER;
}

/** What may follow the caller's first segment waits this long for its first byte. */
export const NEXT_SEGMENT_MS = 30_000;

/** `base` with `version` appended where it has no path of its own. */
export function withVersion(base: string, version: string): string {
  return new URL(base).pathname === "/" ? `${trimEndOf(base, /\//)}${version}` : base;
}

/** A model's name as path segments; slashes part them (`tunedModels/x`). */
export function encodePath(name: string): string {
  return name
    .split("/")
    .map((segment) => encodeURIComponent(segment).replace(/^\.{1,2}$/, (dots) => dots.replaceAll(".", "%2E")))
    .join("/");
}
