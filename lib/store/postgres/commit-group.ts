import { createHash } from "node:crypto";
import { isContention, isPreparedStatementError, unsent } from "../errors";
import { commitGroup } from "../ledger/commit-group";
import type { CommitGroup, LedgerOperation, LedgerOutcome } from "../ledger/operations";
import type { Lease } from "./lease";
import type { LeasePool } from "./lease-pool";

const MAX_ATTEMPTS = 3;
/**
 * PostgreSQL ends a group's transaction that is idle for this long. A group does not pause between two statements, so
 * the process of an idle one is suspended or cut off, while other instances wait for its locks.
 */
const IDLE_GROUP_MS = 2_000;
/** Hexadecimal digits of a statement's digest in its name; PostgreSQL cuts names at 63 bytes. */
const DIGEST_LENGTH = 16;

interface Prepared {
  name: string;
  sql: string;
}

/**
 * The ledger's statements, each prepared once per connection, with PostgreSQL's parameter marks. Their names derive
 * from their text: behind a pooler one connection serves several processes, which must not use a name for different
 * texts.
 */
const prepared = new Map<string, Prepared>();

function preparedOf(sql: string): Prepared {
  let one = prepared.get(sql);
  if (!one) {
    let position = 0;
    const numbered = sql.replaceAll("?", () => `$${++position}`);
    const digest = createHash("sha256").update(numbered).digest("hex");
    one = { name: `ledger_${digest.slice(0, DIGEST_LENGTH)}`, sql: numbered };
    prepared.set(sql, one);
  }
  return one;
}

async function commitOn(
  lease: Lease,
  operations: readonly LedgerOperation[],
  lockMs: number,
  isPooled: boolean,
): Promise<LedgerOutcome[]> {
  try {
    // One message. The settings are the transaction's: behind a pooler, the session serves other transactions too.
    await lease.query(
      `begin isolation level read committed; set local lock_timeout = ${lockMs};
       set local idle_in_transaction_session_timeout = ${IDLE_GROUP_MS}`,
      [],
    );
    const work = commitGroup(operations, true);
    let step = work.next();
    while (!step.done) {
      const { name, sql } = preparedOf(step.value.sql);
      step = work.next(await lease.cells(isPooled ? "" : name, sql, step.value.parameters));
    }
    await lease.query("commit", []);
    return step.value;
  } catch (error) {
    await lease.query("rollback", []);
    throw error;
  }
}

/**
 * One transaction per group, on rows locked in a fixed order; retries after a deadlock with another instance. A pooler
 * in transaction mode gives each transaction another connection: after the first error of a prepared statement,
 * statements are no longer kept prepared.
 */
export function groupCommitOn(pool: LeasePool): CommitGroup {
  let isPooled = false;
  return async (operations, lockMs) => {
    for (let attempt = 1; ; attempt++) {
      const lease = await pool.connect().catch((error) => {
        throw unsent(error);
      });
      try {
        return await commitOn(lease, operations, lockMs, isPooled);
      } catch (error) {
        const wasPrepared = isPreparedStatementError(error);
        isPooled ||= wasPrepared;
        if (!(isContention(error) || wasPrepared) || attempt === MAX_ATTEMPTS) throw error;
      } finally {
        lease.release();
      }
    }
  };
}
