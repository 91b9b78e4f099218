import { LRUCache } from "lru-cache";
import { DAY_MS } from "../contracts/durations";
import { AppError } from "../errors";
import type { Clock } from "../ports/clock";
import type { MaybePromise, SharedReplies } from "../ports/shared-state";
import type { KeyAndOwnerIds, UsageRecord } from "../ports/store";

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
  /** Resolves to the reply of the original request; null when that request stored no reply: call `begin` again. */
  | { kind: "repeat"; reply: Promise<StoredReply | null> };

/** Replies by API key and `Idempotency-Key`: of this process, and through `share` of all instances. */
export interface Idempotency {
  /** Throws `invalid` when the key was used with another request. Returns a promise only where replies are shared. */
  begin(caller: KeyAndOwnerIds, idempotencyKey: string, requestDigest: string): MaybePromise<IdempotentStart>;
  /** True while a request with that key runs or its reply is stored, so that `begin` would return `repeat`. */
  has(caller: KeyAndOwnerIds, idempotencyKey: string): boolean;
  /** Like `has`, for the other instances; also false while their state is unknown. */
  isKnownElsewhere(caller: KeyAndOwnerIds, idempotencyKey: string): Promise<boolean>;
  /** Connects these replies with those of other instances. */
  share(replies: SharedReplies): void;
}

type FirstStart = Extract<IdempotentStart, { kind: "first" }>;

const RETENTION_MS = DAY_MS;
export const MAX_STORED_REPLY_BYTES = 8 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const ENTRY_BYTES = 1_000;

/** Larger replies are not shared: a repeat that reaches another instance runs the request again. */
const MAX_SHARED_BYTES = 4 * 1024 * 1024;

function usedElsewhere(): AppError {
  return new AppError(
    "invalid",
    "This Idempotency-Key was used with another request; use a new one for each request.",
  );
}

const encodeReply = (reply: StoredReply): string =>
  JSON.stringify({ ...reply, body: Buffer.from(reply.body).toString("base64") });

function decodeReply(text: string): StoredReply {
  // A cast, because only `encodeReply` of an instance with the same secret writes this text.
  const stored = JSON.parse(text) as Omit<StoredReply, "body"> & { body: string };
  return { ...stored, body: Buffer.from(stored.body, "base64") };
}

interface Entry {
  digest: string;
  reply: Promise<StoredReply | null>;
  bytes: number;
}

type Entries = LRUCache<string, Entry>;

/**
 * Stored replies of all owners, together at most `maxBytes`. Above that the owner with the most bytes loses the replies
 * used least recently, so that no owner can evict the replies of an owner who stores less.
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
        ttlResolution: 0,
        // Lets `dropExpired` find expired replies.
        allowStale: true,
        perf: { now: () => clock.monotonic() },
      });
      owners.set(ownerId, entries);
    }
    return entries;
  }

  /** Deletes the replies that have expired, up to the first of each owner that has not, least recently used first. */
  function dropExpired(): void {
    for (const [id, entries] of owners) {
      for (const name of entries.rkeys()) {
        if (entries.getRemainingTTL(name) >= 0) break;
        entries.delete(name);
      }
      if (entries.size === 0) owners.delete(id);
    }
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
    get: (ownerId: string, name: string) => owners.get(ownerId)?.get(name, { allowStale: false }),
    put(ownerId: string, name: string, entry: Entry) {
      dropExpired();
      entriesOf(ownerId).set(name, entry);
      evict();
    },
  };
}

/** Claims a request that is new in this process among all instances, and connects its result with theirs. */
async function beginShared(
  replies: SharedReplies,
  start: FirstStart,
  owner: string,
  name: string,
  digest: string,
): Promise<IdempotentStart> {
  const found = await replies.claim(owner, name, digest);
  if (found === "different") {
    start.discard();
    throw usedElsewhere();
  }
  if (found === "elsewhere") {
    const reply = replies.wait(owner, name).then((text) => {
      const stored = text === null ? null : decodeReply(text);
      if (stored === null) start.discard();
      else start.store(stored);
      return stored;
    });
    return { kind: "repeat", reply };
  }
  return {
    kind: "first",
    store(reply) {
      start.store(reply);
      if (reply.body.byteLength > MAX_SHARED_BYTES) replies.discard(owner, name);
      else replies.store(owner, name, digest, encodeReply(reply));
    },
    discard() {
      start.discard();
      replies.discard(owner, name);
    },
  };
}

export function createIdempotency(clock: Clock, maxBytes = MAX_BYTES): Idempotency {
  const stored = createReplyStore(clock, maxBytes);
  /** Requests in progress; never evicted. */
  const running = new Map<string, Entry>();
  let shared: SharedReplies | null = null;

  const nameOf = ({ key }: KeyAndOwnerIds, idempotencyKey: string): string => `${key.id}\n${idempotencyKey}`;
  const find = (caller: KeyAndOwnerIds, name: string) =>
    running.get(name) ?? stored.get(caller.owner.id, name);

  return {
    share(replies) {
      shared = replies;
    },

    has: (caller, idempotencyKey) => find(caller, nameOf(caller, idempotencyKey)) !== undefined,

    isKnownElsewhere: async (caller, idempotencyKey) =>
      (await shared?.has(caller.owner.id, nameOf(caller, idempotencyKey))) ?? false,

    begin(caller, idempotencyKey, digest) {
      const name = nameOf(caller, idempotencyKey);
      const known = find(caller, name);
      if (known !== undefined) {
        if (known.digest === digest) return { kind: "repeat", reply: known.reply };
        throw usedElsewhere();
      }
      let finish: (reply: StoredReply | null) => void = () => undefined;
      const reply = new Promise<StoredReply | null>((resolve) => {
        finish = resolve;
      });
      const entry: Entry = { digest, reply, bytes: ENTRY_BYTES };
      running.set(name, entry);
      const end = (kept: StoredReply | null): void => {
        // Only the first call has an effect: `name` may by now belong to a later request.
        if (running.get(name) !== entry) return;
        running.delete(name);
        if (kept !== null)
          stored.put(caller.owner.id, name, { ...entry, bytes: ENTRY_BYTES + kept.body.byteLength });
        finish(kept);
      };
      const start: FirstStart = { kind: "first", store: end, discard: () => end(null) };
      return shared === null ? start : beginShared(shared, start, caller.owner.id, name, digest);
    },
  };
}
