import type { Kysely } from "kysely";
import type { Topic } from "../ports/store";
import type { Tables } from "./schema";

/** Records that the current write makes a topic stale. */
export type Touch = (topic: Topic) => void;

/** What a repository works on: the store itself, or one open transaction. */
export interface Scope {
  /** For reads; inside a transaction it sees the transaction's own writes. */
  readonly read: Kysely<Tables>;
  /** For reads of possibly many rows: off the event loop on SQLite, the same as `read` elsewhere. */
  readonly scan: Kysely<Tables>;
  /**
   * Runs `work` in a write transaction of its own, or in the open one. Topics touched get a new revision in the same
   * commit; listeners are notified after it.
   */
  write<T>(work: (db: Kysely<Tables>, touch: Touch) => Promise<T>): Promise<T>;
}
