import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { SpeechCall } from "../../lib/client/speech-call";

/** One recording of the speech playground, as kept in this browser. */
export interface Take {
  id: string;
  userId: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  call: SpeechCall;
  /** 24 kHz mono s16, in this machine's byte order. */
  samples: Int16Array<ArrayBuffer>;
  /** `stopped` by the listener, `cut` by a fault after the first sound. */
  state: "whole" | "stopped" | "cut";
  durationMs: number;
  firstSoundMs: number | null;
  totalMs: number;
  inputTokens: number | null;
  outputTokens: number | null;
  channel: string | null;
  requestId: string | null;
}

/** Over plain http (a console on the LAN) browsers hide `crypto.randomUUID`. */
export function newTakeId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (one) => one.toString(36)).join("");
}

interface TakesSchema extends DBSchema {
  takes: { key: string; value: Take; indexes: { byUser: [string, number] } };
}

const DATABASE = "patchbay-takes";
/** The oldest takes of a user leave when there are more than this many, or more bytes of sound. */
const MOST_TAKES = 40;
const MOST_BYTES = 256 * 1024 * 1024;

let opened: Promise<IDBPDatabase<TakesSchema>> | null = null;

function database(): Promise<IDBPDatabase<TakesSchema>> {
  opened ??= openDB<TakesSchema>(DATABASE, 1, {
    upgrade(db) {
      db.createObjectStore("takes", { keyPath: "id" }).createIndex("byUser", ["userId", "createdAt"]);
    },
    // Sign-out deletes the database, in this tab or another: an open connection would hold that up.
    blocking(_current, _blocked, event) {
      opened = null;
      // The event's target is the connection that stands in the way.
      (event.target as IDBDatabase).close();
    },
    terminated() {
      opened = null;
    },
  });
  return opened;
}

const rangeOf = (userId: string) => IDBKeyRange.bound([userId, 0], [userId, Number.MAX_SAFE_INTEGER]);

/** A user's takes in this browser, newest first. Empty where the browser keeps nothing (private windows). */
export async function listTakes(userId: string): Promise<Take[]> {
  try {
    return (await (await database()).getAllFromIndex("takes", "byUser", rangeOf(userId))).reverse();
  } catch {
    opened = null;
    return [];
  }
}

/** Which of the takes (newest first) leave when there are too many, or too many bytes of sound. */
export function surplusOf(takes: readonly Take[]): Take[] {
  let bytes = 0;
  return takes.filter((take, at) => {
    bytes += take.samples.byteLength;
    return at >= MOST_TAKES || (at > 0 && bytes > MOST_BYTES);
  });
}

/** Keeps a take; resolves to false where the browser keeps nothing. */
export async function keepTake(take: Take): Promise<boolean> {
  try {
    const db = await database();
    await db.put("takes", take);
    const surplus = surplusOf(await listTakes(take.userId));
    await Promise.all(surplus.map((one) => db.delete("takes", one.id)));
    return true;
  } catch {
    opened = null;
    return false;
  }
}

export async function deleteTake(id: string): Promise<void> {
  await (await database()).delete("takes", id);
}

/** Forgets every take in this browser, whoever made it: called at sign-out. Never throws. */
export async function clearTakes(): Promise<void> {
  try {
    await (await database()).clear("takes");
  } catch {
    opened = null;
  }
}
