import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { SpeechCall } from "../../lib/client/speech-call";
import { MAX_TAKES } from "./max-takes";

/** A take: one generated recording of the speech playground, as stored in this browser. */
export interface Take {
  id: string;
  userId: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  call: SpeechCall;
  /** 24 kHz mono s16, in the byte order of this machine. */
  samples: Int16Array<ArrayBuffer>;
  /** `stopped` by the user, `cut` by an error after the first audio. */
  state: "complete" | "stopped" | "cut";
  durationMs: number;
  firstAudioMs: number | null;
  totalMs: number;
  inputTokens: number | null;
  outputTokens: number | null;
  channel: string | null;
  /** The audio came from the gateway's cache; absent in takes of older versions. */
  isCached?: boolean;
  requestId: string | null;
}

interface TakesSchema extends DBSchema {
  takes: { key: string; value: Take; indexes: { byUser: [string, number] } };
}

const DATABASE = "patchbay-takes";
/** Version 1 had other field names: see TakeV1. */
const DATABASE_VERSION = 2;
/** The oldest takes of a user are deleted above MAX_TAKES or this many bytes of audio. */
const MAX_BYTES = 256 * 1024 * 1024;

let opened: Promise<IDBPDatabase<TakesSchema>> | null = null;

function database(): Promise<IDBPDatabase<TakesSchema>> {
  opened ??= openDB<TakesSchema>(DATABASE, DATABASE_VERSION, {
    async upgrade(db, oldVersion, _newVersion, transaction) {
      if (oldVersion === 0) {
        db.createObjectStore("takes", { keyPath: "id" }).createIndex("byUser", ["userId", "createdAt"]);
        return;
      }
      for await (const cursor of transaction.objectStore("takes")) {
        // The schema has the types of version 2, but a database of version 1 holds takes of version 1.
        await cursor.update(upgradeTake(cursor.value as unknown as TakeV1));
      }
    },
    // Sign-out deletes the database, in this tab or another: an open connection would block that.
    blocking(_current, _blocked, event) {
      opened = null;
      // The target of the event is the blocking connection.
      (event.target as IDBDatabase).close();
    },
    terminated() {
      opened = null;
    },
  });
  return opened;
}

interface TakeV1 extends Omit<Take, "call" | "state" | "firstAudioMs"> {
  call: Omit<SpeechCall, "voices"> & { cast: SpeechCall["voices"] };
  state: "whole" | "stopped" | "cut";
  firstSoundMs: number | null;
}

function upgradeTake({ call: { cast, ...call }, state, firstSoundMs, ...take }: TakeV1): Take {
  return {
    ...take,
    call: { ...call, voices: cast },
    state: state === "whole" ? "complete" : state,
    firstAudioMs: firstSoundMs,
  };
}

const rangeOf = (userId: string) => IDBKeyRange.bound([userId, 0], [userId, Number.MAX_SAFE_INTEGER]);

/** A user's takes in this browser, newest first. Empty where the browser has no storage (private windows). */
export async function listTakes(userId: string): Promise<Take[]> {
  try {
    return (await (await database()).getAllFromIndex("takes", "byUser", rangeOf(userId))).reverse();
  } catch {
    opened = null;
    return [];
  }
}

/** The takes above the limits, to be deleted. `takes`: newest first. The newest take is always kept. */
function findSurplus(takes: readonly Take[]): Take[] {
  let bytes = 0;
  return takes.filter((take, at) => {
    bytes += take.samples.byteLength;
    return at >= MAX_TAKES || (at > 0 && bytes > MAX_BYTES);
  });
}

/** Stores a take; returns the IDs of the takes deleted for it, null where the browser has no storage. */
export async function saveTake(take: Take): Promise<string[] | null> {
  try {
    const db = await database();
    await db.put("takes", take);
    const surplus = findSurplus(await listTakes(take.userId));
    await Promise.all(surplus.map((one) => db.delete("takes", one.id)));
    return surplus.map((one) => one.id);
  } catch {
    opened = null;
    return null;
  }
}

export async function deleteTake(id: string): Promise<void> {
  await (await database()).delete("takes", id);
}

/** Deletes a user's takes in this browser. */
export async function deleteTakes(userId: string): Promise<void> {
  const { store, done } = (await database()).transaction("takes", "readwrite");
  const ids = await store.index("byUser").getAllKeys(rangeOf(userId));
  await Promise.all([...ids.map((id) => store.delete(id)), done]);
}

/** Deletes all takes in this browser, of every user: called at sign-out. Never throws. */
export async function clearTakes(): Promise<void> {
  try {
    await (await database()).clear("takes");
  } catch {
    opened = null;
  }
}
