import type { Kysely } from "kysely";
import type { Topic } from "../ports/store";
import { type ChangeFeed, raiseRevisions } from "./changes";
import type { RevisionTable, Tables } from "./schema";

/** Records that the current write makes a topic stale. */
type Touch = (topic: Topic) => void;

/** What a repository works on: the store itself, or one open transaction. */
export interface Scope {
  /** For reads; inside a transaction it sees the transaction's own writes. */
  readonly read: Kysely<Tables>;
  /**
   * For reads of possibly many rows: on SQLite in a worker thread, on PostgreSQL on connections with a longer time
   * limit; inside a transaction the same as `read`.
   */
  readonly scan: Kysely<Tables>;
  /** For sums that may take seconds. On SQLite in a thread of their own, so that the reads of `scan` do not wait. */
  readonly sums: Kysely<Tables>;
  /**
   * Runs `work` in a write transaction of its own, or in the open one. Topics touched get a new revision in the same
   * commit; listeners are notified after it.
   */
  write<T>(work: (db: Kysely<Tables>, touch: Touch) => Promise<T>): Promise<T>;
  /**
   * The same for `work` of one statement that touches no topic. On SQLite the statement is one message to the writer
   * thread, so that the write lock is never held while this thread is busy.
   */
  writeOne<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /**
   * Returns `load` with a cache: its result is kept until a commit of any process touches the topic. Inside a
   * transaction, returns `load` itself. All callers share the result and may not change it.
   */
  cacheUntilTouched<T>(topic: Topic, load: () => Promise<T>): () => Promise<T>;
}

/** Deletes the row with this ID; false when there is none. */
export function deleteById(
  scope: Scope,
  table: "keys" | "channels" | "invites" | "users",
  id: string,
  topics: readonly Topic[],
): Promise<boolean> {
  return scope.write(async (db, touch) => {
    const { numDeletedRows } = await db.deleteFrom(table).where("id", "=", id).executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) return false;
    for (const topic of topics) touch(topic);
    return true;
  });
}

/** The connections that a database provides. */
export interface Connections {
  read: Kysely<Tables>;
  scan: Kysely<Tables>;
  sums: Kysely<Tables>;
  /** Runs `work` in one exclusive write transaction; commits, or rolls back and throws. */
  writeTransaction<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** Runs `work`, which is one statement, in a write transaction of its own. */
  writeOne<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** Runs before the commit of a transaction that touched topics (PostgreSQL: NOTIFY). */
  announce?(db: Kysely<Tables>): Promise<void>;
}

/**
 * Runs `work` in one transaction, raises the revisions of its topics in the same commit and publishes them after it.
 */
export async function inTransaction<T>(
  connections: Connections,
  feed: ChangeFeed,
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  let raised: RevisionTable[] = [];
  const result = await connections.writeTransaction(async (db) => {
    const touched = new Set<Topic>();
    const inside: Scope = {
      read: db,
      scan: db,
      sums: db,
      writeOne: (nested) => nested(db),
      cacheUntilTouched: (_topic, load) => load,
      write: (nested) => nested(db, (topic) => touched.add(topic)),
    };
    const value = await work(inside);
    if (touched.size > 0) {
      raised = await raiseRevisions(db, touched);
      await connections.announce?.(db);
    }
    return value;
  });
  feed.committed(raised);
  return result;
}

/**
 * See `Scope.cacheUntilTouched`. The topic's revision is read each time, so that a change of another process counts at
 * once. A result is also dropped when the feed reports its topic: after a failover that lost commits, other rows may
 * have the same revision.
 */
function cacheUntilTouched<T>(
  read: Kysely<Tables>,
  feed: ChangeFeed,
  topic: Topic,
  load: () => Promise<T>,
): () => Promise<T> {
  let kept: { revision: number; result: Promise<T> } | null = null;
  feed.subscribe((topics) => {
    if (topics.has(topic)) kept = null;
  });
  return async () => {
    const row = await read
      .selectFrom("revisions")
      .select("revision")
      .where("topic", "=", topic)
      .executeTakeFirst();
    const revision = row?.revision ?? 0;
    if (kept?.revision === revision) return kept.result;
    const loading = { revision, result: load() };
    kept = loading;
    // A failed read is not kept.
    loading.result.catch(() => {
      if (kept === loading) kept = null;
    });
    return loading.result;
  };
}

/** The store itself as a scope: every write has its own transaction. */
export function rootScope(connections: Connections, feed: ChangeFeed): Scope {
  return {
    read: connections.read,
    scan: connections.scan,
    sums: connections.sums,
    writeOne: (work) => connections.writeOne(work),
    cacheUntilTouched: (topic, load) => cacheUntilTouched(connections.read, feed, topic, load),
    write: (work) =>
      inTransaction(connections, feed, (inside) => inside.write((db, touch) => work(db, touch))),
  };
}
