import { LRUCache } from "lru-cache";
import { AppError } from "../errors";
import type { Clock } from "../ports/clock";
import type { UsageRecord } from "../ports/store";

/** A whole reply as it was first sent. */
export interface StoredReply {
  status: number;
  headers: Record<string, string | string[]>;
  body: Uint8Array;
  /** The usage row of the original call; null when it has none. */
  row: UsageRecord | null;
}

export type IdempotentStart =
  /** A new key: run the request, then call `store` or `discard`. */
  | { kind: "first"; store(reply: StoredReply): void; discard(): void }
  /** Resolves to the reply of the original request; null when it was not stored: begin again. */
  | { kind: "repeat"; reply: Promise<StoredReply | null> };

/** Replies by API key and `Idempotency-Key`; one per process. */
export interface Idempotency {
  /** Throws `invalid` when the key was used with another request. */
  begin(keyId: string, idempotencyKey: string, requestDigest: string): IdempotentStart;
  /** True while a request with that key runs or its reply is stored, so that `begin` would return `repeat`. */
  has(keyId: string, idempotencyKey: string): boolean;
}

const RETENTION_MS = 24 * 3_600_000;
export const MAX_REPLY_BYTES = 8 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const ENTRY_BYTES = 1_000;

interface Entry {
  digest: string;
  reply: Promise<StoredReply | null>;
  bytes: number;
}

export function createIdempotency(clock: Clock): Idempotency {
  const entries = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    sizeCalculation: (entry) => entry.bytes,
    ttl: RETENTION_MS,
    perf: { now: () => clock.monotonic() },
  });
  /** Requests in progress; never evicted. */
  const running = new Map<string, Entry>();

  const nameOf = (keyId: string, idempotencyKey: string): string => `${keyId}\n${idempotencyKey}`;

  return {
    has(keyId, idempotencyKey) {
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
      let finish: (reply: StoredReply | null) => void = () => undefined;
      const reply = new Promise<StoredReply | null>((resolve) => {
        finish = resolve;
      });
      running.set(name, { digest, reply, bytes: ENTRY_BYTES });
      const end = (kept: StoredReply | null): void => {
        running.delete(name);
        if (kept !== null) entries.set(name, { digest, reply, bytes: ENTRY_BYTES + kept.body.byteLength });
        finish(kept);
      };
      return { kind: "first", store: end, discard: () => end(null) };
    },
  };
}
