import { createHmac } from "node:crypto";
import type { Clock } from "../../../lib/ports/clock";
import type { Store } from "../../../lib/ports/store";
import { NOW } from "../../support/factories";

/** A separate, empty database to open stores on, with direct access to its tables. */
export interface TestDatabase {
  kind: Store["kind"];
  /** Opens one more store, as another process would; closed with the database. */
  open(options?: { instanceId?: string; clock?: Clock }): Promise<Store>;
  /** Runs a statement directly; rows are lists of values in the order of the columns. */
  raw(sql: string): Promise<unknown[][]>;
  /** Closes the open stores and removes the database. */
  remove(): Promise<void>;
}

/** Gives a store's audit log the key of these tests, as the server does. */
export async function startAudit(store: Store): Promise<void> {
  store.setAuditKey((purpose, value) =>
    createHmac("sha256", `key of ${purpose}`).update(value).digest("base64url"),
  );
  await store.transaction((tx) => tx.audit.startChain(NOW));
}

export type NewTestDatabase = () => Promise<TestDatabase>;

/** The values of fulfilled promises, and the error codes of rejected ones. */
export async function outcomesOf<T>(work: readonly Promise<T>[]): Promise<{ values: T[]; codes: string[] }> {
  const settled = await Promise.allSettled(work);
  return {
    values: settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    codes: settled.flatMap((one) =>
      one.status === "rejected" ? [String(one.reason?.code ?? one.reason)] : [],
    ),
  };
}

/** Starts `count` concurrent calls. */
export function concurrently<T>(count: number, work: (index: number) => Promise<T>): Promise<T>[] {
  return Array.from({ length: count }, (_, index) => work(index));
}
