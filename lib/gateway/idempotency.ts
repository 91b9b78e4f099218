import { LRUCache } from "lru-cache";
import { AppError } from "../errors";
import type { Clock } from "../ports/clock";
import type { UsageRecord } from "../ports/store";

/** A whole reply as it went out the first time. */
export interface KeptReply {
  status: number;
  headers: Record<string, string | string[]>;
  body: Uint8Array;
  /** The row of the call that made it; null when it made none. */
  row: UsageRecord | null;
}

export type IdempotentStart =
  /** Nobody has asked before: run it, then call one of the two. */
  | { kind: "first"; keep(reply: KeptReply): void; forget(): void }
  /** The reply of the earlier one, now or when it is there; null: it was not kept, so ask again. */
  | { kind: "repeat"; reply: Promise<KeptReply | null> };

/** Replies by API key and `Idempotency-Key` (CONTRACT §8); one per process. */
export interface Idempotency {
  /** Throws AppError `invalid` when that key was used with another request. */
  begin(keyId: string, idempotencyKey: string, requestDigest: string): IdempotentStart;
  /** Whether a request with that key runs, or its reply is stored: whether `begin` would not give `first`. */
  knows(keyId: string, idempotencyKey: string): boolean;
}

const KEPT_MS = 24 * 3_600_000;
export const MAX_REPLY_BYTES = 8 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const ENTRY_BYTES = 1_000;

interface Entry {
  digest: string;
  reply: Promise<KeptReply | null>;
  bytes: number;
}

export function createIdempotency(clock: Clock): Idempotency {
  const entries = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    sizeCalculation: (entry) => entry.bytes,
    ttl: KEPT_MS,
    perf: { now: () => clock.monotonic() },
  });
  /** Running ones must not be thrown out for room. */
  const running = new Map<string, Entry>();

  const nameOf = (keyId: string, idempotencyKey: string): string => `${keyId}\n${idempotencyKey}`;

  return {
    knows(keyId, idempotencyKey) {
      const name = nameOf(keyId, idempotencyKey);
      return running.has(name) || entries.has(name);
    },

    begin(keyId, idempotencyKey, digest) {
      const name = nameOf(keyId, idempotencyKey);
      const known = running.get(name) ?? entries.get(name);
      if (known !== undefined) {
        if (known.digest === digest) return { kind: "repeat", reply: known.reply };
        throw new AppError(
          "invalid",
          "This Idempotency-Key was used with another request; use a new one for each request.",
        );
      }
      let finish: (reply: KeptReply | null) => void = () => undefined;
      const reply = new Promise<KeptReply | null>((resolve) => {
        finish = resolve;
      });
      running.set(name, { digest, reply, bytes: ENTRY_BYTES });
      const end = (kept: KeptReply | null): void => {
        running.delete(name);
        if (kept !== null) entries.set(name, { digest, reply, bytes: ENTRY_BYTES + kept.body.byteLength });
        finish(kept);
      };
      return { kind: "first", keep: end, forget: () => end(null) };
    },
  };
}
