import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Cipher } from "../../ports/cipher";
import type { Audit, AuditChain, AuditEntry, AuditFilter, AuditRecord } from "../../ports/store";
import { fromJson, storable } from "../columns";
import { behind, matches, rowsToRead, toPage } from "../page";
import type { AuditTable } from "../schema";
import type { Scope } from "../transaction-scope";

/** `previous_hash` of the first row. */
const FIRST_HASH = "0".repeat(64);
/**
 * `previous_hash` of a row written while the head was missing or forged. No row has this hash, so the break stays
 * visible.
 */
const BROKEN_HASH = "f".repeat(64);
/** Prefix of a keyed hash; rows from before the key have a bare SHA-256. */
const KEYED = "v2.";
const VERIFY_CHUNK = 500;

/** Shared by all repositories of one process: the chain's key, and the newest row that was verified. */
export interface AuditKey {
  /** HMAC under the instance's digest key; null until the key is known. */
  digest: Cipher["digest"] | null;
  seen: ChainEnd;
}

interface ChainEnd {
  seq: number;
  hash: string;
}

/** The end of the chain, read in one statement. */
interface Ends {
  /** Number of the last row; 0 without rows. */
  last: number;
  hasHead: boolean;
  /** The head; null when it is missing or its HMAC is wrong. */
  head: ChainEnd | null;
}

/** No row was verified yet. */
export const NOTHING_SEEN: ChainEnd = { seq: 0, hash: FIRST_HASH };

/** JSON with sorted keys, so that equal values have equal texts (after RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** The text that a row's hash covers: the previous hash and its own fields; `detail` as stored. */
function hashedText({ previous_hash, ...fields }: Omit<AuditTable, "hash">): string {
  return `${previous_hash}\n${canonicalJson(fields)}`;
}

function toRecord(row: AuditTable): AuditRecord {
  return {
    seq: row.seq,
    at: row.at,
    actor: row.actor,
    action: row.action,
    target: row.target,
    detail: fromJson<Record<string, unknown>>(row.detail),
    previousHash: row.previous_hash,
    hash: row.hash,
  };
}

/** `key` matches `key.create` and all other actions of keys; `key.create` matches only itself. */
function isOneOf(actions: readonly string[]): RawBuilder<boolean> {
  const each = actions.flatMap((action) => [
    sql`action = ${action}`,
    sql`substr(action, 1, ${action.length + 1}) = ${`${action}.`}`,
  ]);
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}

function conditionsOf({ actor, target, actions, from, to }: AuditFilter): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = [];
  if (actor !== undefined) conditions.push(sql`actor = ${actor}`);
  if (target !== undefined) conditions.push(sql`target = ${target}`);
  if (actions !== undefined && actions.length > 0) conditions.push(isOneOf(actions));
  if (from !== undefined) conditions.push(sql`at >= ${from}`);
  if (to !== undefined) conditions.push(sql`at < ${to}`);
  return conditions;
}

export function auditRepository(scope: Scope, key: AuditKey): Audit {
  function digest(purpose: "audit-row" | "audit-head", text: string): string {
    if (key.digest === null) throw new Error("The audit log has no key yet: call Store.keyAudit first.");
    return key.digest(purpose, text);
  }

  const keyedHash = (row: Omit<AuditTable, "hash">): string => KEYED + digest("audit-row", hashedText(row));
  const macOf = ({ seq, hash }: ChainEnd): string => digest("audit-head", `${seq}\n${hash}`);

  function isIntact({ hash, ...row }: AuditTable): boolean {
    if (hash.startsWith(KEYED)) return hash === keyedHash(row);
    return hash === createHash("sha256").update(hashedText(row)).digest("hex");
  }

  async function readEnds(db: Scope["read"]): Promise<Ends> {
    const { rows } = await sql<{
      last: number;
      seq: number | null;
      hash: string | null;
      mac: string | null;
    }>`select coalesce((select max(seq) from audit), 0) as last, audit_head.seq, audit_head.hash, audit_head.mac
      from (select 1 as id) as one left join audit_head on audit_head.id = one.id`.execute(db);
    const { last = 0, seq = null, hash = null, mac = null } = rows[0] ?? {};
    if (seq === null || hash === null) return { last, hasHead: false, head: null };
    return { last, hasHead: true, head: macOf({ seq, hash }) === mac ? { seq, hash } : null };
  }

  async function hasKeyedRows(db: Scope["read"]): Promise<boolean> {
    const row = await db
      .selectFrom("audit")
      .select("seq")
      .where("hash", "like", `${KEYED}%`)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async function writeHead(db: Scope["read"], head: ChainEnd): Promise<void> {
    const row = { ...head, mac: macOf(head) };
    await db
      .insertInto("audit_head")
      .values({ id: 1, ...row })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
      .execute();
  }

  /** Continues from the head, never from the last row: rows cut off or added at the end leave a break that stays. */
  async function appendTo(db: Scope["read"], entry: AuditEntry): Promise<void> {
    const { last, head } = await readEnds(db);
    const row = {
      seq: Math.max(last, head?.seq ?? 0) + 1,
      at: entry.at,
      // The hash covers what is stored.
      actor: storable(entry.actor),
      action: storable(entry.action),
      target: storable(entry.target),
      detail: canonicalJson(entry.detail),
      previous_hash: head?.hash ?? BROKEN_HASH,
    };
    const hash = keyedHash(row);
    await db
      .insertInto("audit")
      .values({ ...row, hash })
      .execute();
    await writeHead(db, { seq: row.seq, hash });
  }

  function readChunk(after: number): Promise<AuditTable[]> {
    return scope.scan
      .selectFrom("audit")
      .selectAll()
      .where("seq", ">", after)
      .orderBy("seq")
      .limit(VERIFY_CHUNK)
      .execute();
  }

  /**
   * Follows the rows from the first to number `until`. `expected`: a hash to look for. Stops at the first row that is
   * invalid, does not follow the one before, or differs from the row that this process has verified under its number.
   */
  async function walk(until: number, expected: string | undefined) {
    let end: ChainEnd = NOTHING_SEEN;
    let isKeyed = false;
    let hasExpected = false;
    const found = (brokenAt: number | null) => ({ end, brokenAt, hasExpected });
    while (end.seq < until) {
      const rows = await readChunk(end.seq);
      for (const row of rows) {
        if (row.seq > until) return found(null);
        const follows = row.seq === end.seq + 1 && row.previous_hash === end.hash;
        // After the first keyed row, every row must be keyed.
        const hasKey = row.hash.startsWith(KEYED);
        const wasReplaced = row.seq === key.seen.seq && row.hash !== key.seen.hash;
        if (!follows || (isKeyed && !hasKey) || wasReplaced || !isIntact(row)) return found(row.seq);
        isKeyed = hasKey;
        hasExpected ||= row.hash === expected;
        end = { seq: row.seq, hash: row.hash };
      }
      if (rows.length < VERIFY_CHUNK) break;
    }
    return found(null);
  }

  return {
    append: (entry) => scope.write((db) => appendTo(db, entry)),

    async list(query) {
      let select = scope.scan.selectFrom("audit").selectAll();
      if (query.q !== null) select = select.where(matches(query.q, ["actor", "action", "target", "detail"]));
      for (const condition of conditionsOf(query)) select = select.where(condition);
      // By the chain's own order, which is right even when the clock was set back.
      if (query.cursor !== null) select = select.where(behind(query.cursor, "seq", "seq"));
      const rows = await select.orderBy("seq", "desc").limit(rowsToRead(query)).execute();
      return toPage(query, rows, (row) => ({ at: row.seq, id: row.seq }), toRecord);
    },

    startChain: (at) =>
      scope.write(async (db) => {
        const { last, hasHead } = await readEnds(db);
        if (hasHead) return;
        if (last === 0) return writeHead(db, NOTHING_SEEN);
        // Keyed rows without a head: the head was removed, and a new one would hide that.
        if (await hasKeyedRows(db)) return;
        const { end, brokenAt } = await walk(last, undefined);
        const row = await db.selectFrom("audit").select("hash").where("seq", "=", last).executeTakeFirst();
        await writeHead(db, { seq: last, hash: row?.hash ?? end.hash });
        const detail = { rows: end.seq, broken_at: brokenAt };
        await appendTo(db, { at, actor: "system", action: "audit.key", target: "", detail });
      }),

    async verify(expectedHash) {
      // Rows appended from here on are not checked.
      const { last, head } = await readEnds(scope.scan);
      const until = head?.seq ?? last;
      const { end, brokenAt, hasExpected } = await walk(until, expectedHash);
      const isAtEnd = brokenAt === null && end.seq === until;
      const endsElsewhere = isAtEnd && head !== null && head.hash !== end.hash;
      // Only our own append moves the head, so rows after it were added by something else.
      const addedAt = isAtEnd && last > until ? until + 1 : null;
      const chain: AuditChain = {
        rows: end.seq,
        newestHash: end.seq === 0 ? null : end.hash,
        brokenAt: brokenAt ?? (endsElsewhere ? end.seq : addedAt),
        expectedRows: head === null ? null : Math.max(head.seq, key.seen.seq),
        hasExpected,
      };
      if (chain.brokenAt === null && chain.expectedRows === end.seq) key.seen = end;
      return chain;
    },
  };
}
