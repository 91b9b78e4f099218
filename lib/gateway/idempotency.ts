import { LRUCache } from "lru-cache";
import { AppError } from "../errors";
import type { Clock } from "../ports/clock";
import type { KeyWithOwner, UsageRecord } from "../ports/store";

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

/** The API key and user of a request. */
interface Caller {
  key: Pick<KeyWithOwner["key"], "id">;
  owner: Pick<KeyWithOwner["owner"], "id">;
}

/** Replies by API key and `Idempotency-Key`; one per process. */
export interface Idempotency {
  /** Throws `invalid` when the key was used with another request. */
  begin(caller: Caller, idempotencyKey: string, requestDigest: string): IdempotentStart;
  /** True while a request with that key runs or its reply is stored, so that `begin` would return `repeat`. */
  has(caller: Caller, idempotencyKey: string): boolean;
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

type Entries = LRUCache<string, Entry>;

/**
 * Stored replies, at most `maxBytes`. Above that the owner with the most bytes loses its oldest, so that no owner can
 * evict the replies of one who stores less.
 */
function createReplyStore(clock: Clock, maxBytes: number) {
  const owners = new Map<string, Entries>();

  function entriesOf(ownerId: string): Entries {
    let entries = owners.get(ownerId);
    if (entries === undefined) {
      entries = new LRUCache<string, Entry>({
        maxSize: maxBytes,
        sizeCalculation: (entry) => entry.bytes,
        ttl: RETENTION_MS,
        perf: { now: () => clock.monotonic() },
      });
      owners.set(ownerId, entries);
    }
    return entries;
  }

  function evict(): void {
    for (;;) {
      let bytes = 0;
      let largest: [id: string, entries: Entries] | null = null;
      for (const one of owners) {
        bytes += one[1].calculatedSize;
        if (largest === null || one[1].calculatedSize > largest[1].calculatedSize) largest = one;
      }
      if (bytes <= maxBytes || largest === null) return;
      largest[1].pop();
      if (largest[1].size === 0) owners.delete(largest[0]);
    }
  }

  return {
    get: (ownerId: string, name: string) => owners.get(ownerId)?.get(name),
    put(ownerId: string, name: string, entry: Entry) {
      entriesOf(ownerId).set(name, entry);
      evict();
    },
  };
}

export function createIdempotency(clock: Clock, maxBytes = MAX_BYTES): Idempotency {
  const stored = createReplyStore(clock, maxBytes);
  /** Requests in progress; never evicted. */
  const running = new Map<string, Entry>();

  const nameOf = ({ key }: Caller, idempotencyKey: string): string => `${key.id}\n${idempotencyKey}`;
  const find = (caller: Caller, name: string) => running.get(name) ?? stored.get(caller.owner.id, name);

  return {
    has: (caller, idempotencyKey) => find(caller, nameOf(caller, idempotencyKey)) !== undefined,

    begin(caller, idempotencyKey, digest) {
      const name = nameOf(caller, idempotencyKey);
      const known = find(caller, name);
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
      const entry: Entry = { digest, reply, bytes: ENTRY_BYTES };
      running.set(name, entry);
      const end = (kept: StoredReply | null): void => {
        // A later request may run under the same name.
        if (running.get(name) !== entry) return;
        running.delete(name);
        if (kept !== null)
          stored.put(caller.owner.id, name, { ...entry, bytes: ENTRY_BYTES + kept.body.byteLength });
        finish(kept);
      };
      return { kind: "first", store: end, discard: () => end(null) };
    },
  };
}
