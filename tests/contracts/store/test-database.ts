import { createHmac } from "node:crypto";
import type { Clock } from "../../../lib/ports/clock";
import type { Store } from "../../../lib/ports/store";

/** The instant that these tests take for now; a Monday in September 2026. */
export const NOW = 1_790_000_000_000;

/** A database of its own, empty at first, on which stores are opened and behind whose back one can look. */
export interface Place {
  kind: Store["kind"];
  /** Opens one more store, as another process would; closed with the place. */
  open(options?: { instanceId?: string; clock?: Clock }): Promise<Store>;
  /** Runs a statement past the store; rows are lists of values in the order of the columns. */
  raw(sql: string): Promise<unknown[][]>;
  /** Closes what was opened and removes the database. */
  remove(): Promise<void>;
}

/** Gives a store's audit log the key of these tests, as the server does with its own. */
export async function startAudit(store: Store): Promise<void> {
  store.keyAudit((purpose, value) =>
    createHmac("sha256", `key of ${purpose}`).update(value).digest("base64url"),
  );
  await store.transaction((tx) => tx.audit.startChain(NOW));
}

export type NewPlace = () => Promise<Place>;

/** How many of the promises were kept, and the codes of the errors that broke the rest. */
export async function outcomesOf<T>(work: readonly Promise<T>[]): Promise<{ values: T[]; codes: string[] }> {
  const settled = await Promise.allSettled(work);
  return {
    values: settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    codes: settled.flatMap((one) =>
      one.status === "rejected" ? [String(one.reason?.code ?? one.reason)] : [],
    ),
  };
}

/** `count` calls that are under way together. */
export function together<T>(count: number, work: (index: number) => Promise<T>): Promise<T>[] {
  return Array.from({ length: count }, (_, index) => work(index));
}
