import type { Limits } from "../../contracts/limits";
import type { ChannelProbe } from "../../ports/channel-probe";
import type { Clock } from "../../ports/clock";
import type { EmbeddingModel } from "../../ports/embedding-model";
import type { CallOptions, SpeechModel } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { trimEndOf } from "../../text/clean-text";
import type { UpstreamClient } from "../outbound/create";

/** What an upstream provider implements for the registry. */
export interface UpstreamProvider {
  operations: readonly ("speech" | "embeddings")[];
  defaultBaseUrl: string;
  /** Throws `invalid` with `issues`. */
  checkOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown>;
  speech?(channel: ChannelRecord): SpeechModel;
  embedding?(channel: ChannelRecord): EmbeddingModel;
  probe(channel: ChannelRecord): ChannelProbe;
}

export interface UpstreamSettings {
  client: UpstreamClient;
  clock: Clock;
  limits: Pick<Limits, "speechFirstByteMs">;
  /** The channel's current key, decrypted; null when it has none. */
  decryptKey(channel: ChannelRecord): string | null;
}

/** Limit of a speech reply, in decoded bytes. */
export const MAX_SPEECH_BYTES = 64 * 1024 * 1024;

const BYTES_PER_NUMBER = 32;
/** No model in use makes longer vectors. */
const MAX_KNOWN_DIMENSIONS = 4_096;

/** Limit of an embeddings reply, in decoded bytes: 1 MiB + inputs × dimensions × 32. */
export function maxEmbeddingBytes(texts: number, dimensions: number | undefined): number {
  return 1024 * 1024 + texts * Math.max(dimensions ?? 0, MAX_KNOWN_DIMENSIONS) * BYTES_PER_NUMBER;
}

/**
 * Milliseconds to wait for the first byte of a later segment's reply; the first segment has the call's own deadline.
 */
const NEXT_SEGMENT_MS = 30_000;

/** The call's options for its segment `index`. */
export function optionsOfSegment(
  { clock }: UpstreamSettings,
  index: number,
  options: CallOptions,
): CallOptions {
  return index === 0 ? options : { ...options, firstByteBy: clock.monotonic() + NEXT_SEGMENT_MS };
}

/** `base` with `version` appended where it has no path. */
export function withVersion(base: string, version: string): string {
  return new URL(base).pathname === "/" ? `${trimEndOf(base, /\//)}${version}` : base;
}

/** Encodes a text as one path segment; `.` and `..` are encoded too, since they would change the path. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(/^\.{1,2}$/, (dots) => dots.replaceAll(".", "%2E"));
}

/** A model's name as path segments, separated by slashes (`tunedModels/x`). */
export function encodePath(name: string): string {
  return name.split("/").map(encodeSegment).join("/");
}
