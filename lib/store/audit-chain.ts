import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Cipher } from "../ports/cipher";
import type { AuditChain, AuditEntry } from "../ports/store";
import { storable } from "./columns";
import type { AuditTable } from "./schema";
import type { Scope } from "./transactions";

/**
 * The hash chain of the audit log: each row's keyed hash covers the row and the hash before it, and a head row with its
 * own HMAC names the newest row, so that a changed, inserted or removed row is detected.
 */

/** `previous_hash` of the first row. */
const FIRST_HASH = "0".repeat(64);
/**
 * `previous_hash` of a row written while the head was missing or forged. No row has this hash, so the break stays
 * visible.
 */
const BROKEN_HASH = "f".repeat(64);
/** Prefix of a keyed hash; rows from before the key have a bare SHA-256. */
const KEYED_HASH_PREFIX = "v2.";
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

/** The newest row and the head of the chain, read in one statement. */
interface ChainState {
  /** Number of the last row; 0 without rows. */
  last: number;
  hasHead: boolean;
  /** The head; null when it is missing or its HMAC is wrong. */
  head: ChainEnd | null;
}

interface RowCheck {
  /** The last valid row. */
  end: ChainEnd;
  /** The first row that is invalid; null: none. */
  brokenAt: number | null;
  hasExpected: boolean;
}

type Db = Scope["read"];

/** The end of a chain without rows. */
export const EMPTY_CHAIN: ChainEnd = { seq: 0, hash: FIRST_HASH };

/** JSON with sorted keys, so that equal values have equal texts (after RFC 8785). */
function canonicalJson(value: unknown): string {
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

export class AuditHashChain {
  readonly #key: AuditKey;

  constructor(key: AuditKey) {
    this.#key = key;
  }

  /** Continues from the head, never from the last row: rows cut off or added at the end leave a break that stays. */
  async append(db: Db, entry: AuditEntry): Promise<void> {
    const { last, head } = await this.#readState(db);
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
    const hash = this.#keyedHash(row);
    await db
      .insertInto("audit")
      .values({ ...row, hash })
      .execute();
    await this.#writeHead(db, { seq: row.seq, hash });
  }

  /**
   * Writes the head of the keyed chain and, where the store has rows from before the key, an entry `audit.key` at `at`
   * with the number of valid rows. Does nothing when there is a head. `db`: an open write transaction.
   */
  async start(db: Db, scan: Db, at: number): Promise<void> {
    const { last, hasHead } = await this.#readState(db);
    if (hasHead) return;
    if (last === 0) return this.#writeHead(db, EMPTY_CHAIN);
    // Keyed rows without a head: the head was removed, and a new one would hide that.
    if (await hasKeyedRows(db)) return;
    const { end, brokenAt } = await this.#checkRows(scan, last, undefined);
    const row = await db.selectFrom("audit").select("hash").where("seq", "=", last).executeTakeFirst();
    await this.#writeHead(db, { seq: last, hash: row?.hash ?? end.hash });
    const detail = { rows: end.seq, broken_at: brokenAt };
    await this.append(db, { at, actor: "system", action: "audit.key", target: "", detail });
  }

  /**
   * Verifies the chain from its beginning to its first error. `expectedHash`: a hash that one of the rows must have.
   */
  async verify(scan: Db, expectedHash: string | undefined): Promise<AuditChain> {
    // Rows appended from here on are not checked.
    const { last, head } = await this.#readState(scan);
    const until = head?.seq ?? last;
    const { end, brokenAt, hasExpected } = await this.#checkRows(scan, until, expectedHash);
    const isAtEnd = brokenAt === null && end.seq === until;
    const endsElsewhere = isAtEnd && head !== null && head.hash !== end.hash;
    // Only our own append moves the head, so rows after it were added by something else.
    const addedAt = isAtEnd && last > until ? until + 1 : null;
    const chain: AuditChain = {
      rows: end.seq,
      newestHash: end.seq === 0 ? null : end.hash,
      brokenAt: brokenAt ?? (endsElsewhere ? end.seq : addedAt),
      expectedRows: head === null ? null : Math.max(head.seq, this.#key.seen.seq),
      hasExpected,
    };
    if (chain.brokenAt === null && chain.expectedRows === end.seq) this.#key.seen = end;
    return chain;
  }

  /**
   * Follows the rows from the first to number `until`. `expected`: a hash to look for. Stops at the first row that is
   * invalid, does not follow the row before it, or has another hash than when this process verified it
   * (`AuditKey.seen`).
   */
  async #checkRows(scan: Db, until: number, expected: string | undefined): Promise<RowCheck> {
    const check: RowCheck = { end: EMPTY_CHAIN, brokenAt: null, hasExpected: false };
    let isKeyed = false;
    while (check.end.seq < until) {
      const rows = await readChunk(scan, check.end.seq);
      for (const row of rows) {
        if (row.seq > until) return check;
        if (!this.#isNext(check.end, row, isKeyed)) return { ...check, brokenAt: row.seq };
        isKeyed = row.hash.startsWith(KEYED_HASH_PREFIX);
        check.hasExpected ||= row.hash === expected;
        check.end = { seq: row.seq, hash: row.hash };
      }
      if (rows.length < VERIFY_CHUNK) break;
    }
    return check;
  }

  /** True when the row is intact and continues the chain. After the first keyed row, every row must be keyed. */
  #isNext(end: ChainEnd, row: AuditTable, isKeyed: boolean): boolean {
    const { seen } = this.#key;
    const follows = row.seq === end.seq + 1 && row.previous_hash === end.hash;
    const lostKey = isKeyed && !row.hash.startsWith(KEYED_HASH_PREFIX);
    const wasReplaced = row.seq === seen.seq && row.hash !== seen.hash;
    return follows && !lostKey && !wasReplaced && this.#isIntact(row);
  }

  #isIntact({ hash, ...row }: AuditTable): boolean {
    if (hash.startsWith(KEYED_HASH_PREFIX)) return hash === this.#keyedHash(row);
    return hash === createHash("sha256").update(hashedText(row)).digest("hex");
  }

  async #readState(db: Db): Promise<ChainState> {
    const { rows } = await sql<{
      last: number;
      seq: number | null;
      hash: string | null;
      mac: string | null;
    }>`select coalesce((select max(seq) from audit), 0) as last, audit_head.seq, audit_head.hash, audit_head.mac
      from (select 1 as id) as one left join audit_head on audit_head.id = one.id`.execute(db);
    const { last = 0, seq = null, hash = null, mac = null } = rows[0] ?? {};
    if (seq === null || hash === null) return { last, hasHead: false, head: null };
    return { last, hasHead: true, head: this.#macOf({ seq, hash }) === mac ? { seq, hash } : null };
  }

  async #writeHead(db: Db, head: ChainEnd): Promise<void> {
    const row = { ...head, mac: this.#macOf(head) };
    await db
      .insertInto("audit_head")
      .values({ id: 1, ...row })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
      .execute();
  }

  #keyedHash(row: Omit<AuditTable, "hash">): string {
    return KEYED_HASH_PREFIX + this.#digest("audit-row", hashedText(row));
  }

  #macOf({ seq, hash }: ChainEnd): string {
    return this.#digest("audit-head", `${seq}\n${hash}`);
  }

  #digest(purpose: "audit-row" | "audit-head", text: string): string {
    const { digest } = this.#key;
    if (digest === null) throw new Error("The audit log has no key yet: call Store.setAuditKey first.");
    return digest(purpose, text);
  }
}

function readChunk(db: Db, after: number): Promise<AuditTable[]> {
  return db
    .selectFrom("audit")
    .selectAll()
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(VERIFY_CHUNK)
    .execute();
}

async function hasKeyedRows(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom("audit")
    .select("seq")
    .where("hash", "like", `${KEYED_HASH_PREFIX}%`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
