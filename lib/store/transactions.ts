import type { Kysely } from "kysely";
import type { Topic } from "../ports/store";
import { type ChangeFeed, raiseRevisions } from "./changes";
import type { RevisionTable, Tables } from "./schema";
import type { Scope } from "./transaction-scope";

/** The connections that a database provides. */
export interface Connections {
  read: Kysely<Tables>;
  scan: Kysely<Tables>;
  /** Runs `work` in one exclusive write transaction; commits, or rolls back and throws. */
  writeTransaction<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
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

/** The store itself as a scope: every write has its own transaction. */
export function rootScope(connections: Connections, feed: ChangeFeed): Scope {
  return {
    read: connections.read,
    scan: connections.scan,
    write: (work) =>
      inTransaction(connections, feed, (inside) => inside.write((db, touch) => work(db, touch))),
  };
}
