import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Audit, AuditEntry, AuditFilter, AuditRecord } from "../../ports/store";
import { fromJson, storable } from "../columns";
import { behind, matches, rowsToRead, toPage } from "../page";
import type { AuditTable } from "../schema";
import type { Scope } from "../scope";

const FIRST_HASH = "0".repeat(64);
const VERIFY_CHUNK = 500;

/** JSON with the keys of every object in order, so that one value has one text (after RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** SHA-256 over the hash before and the row's own words; `detail` goes in as the text that is stored. */
function hashOf(row: Omit<AuditTable, "hash">): string {
  const { previous_hash, ...words } = row;
  return createHash("sha256")
    .update(`${previous_hash}\n${canonicalJson(words)}`)
    .digest("hex");
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

/** `key` takes `key.create` and all its siblings, `key.create` itself alone. */
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

export function auditRepository(scope: Scope): Audit {
  return {
    append: (entry: AuditEntry) =>
      scope.write(async (db) => {
        const last = await db
          .selectFrom("audit")
          .select(["seq", "hash"])
          .orderBy("seq", "desc")
          .limit(1)
          .executeTakeFirst();
        const row = {
          seq: (last?.seq ?? 0) + 1,
          at: entry.at,
          // The hash is over what a later reader will find.
          actor: storable(entry.actor),
          action: storable(entry.action),
          target: storable(entry.target),
          detail: canonicalJson(entry.detail),
          previous_hash: last?.hash ?? FIRST_HASH,
        };
        await db
          .insertInto("audit")
          .values({ ...row, hash: hashOf(row) })
          .execute();
      }),

    async list(query) {
      let select = scope.scan.selectFrom("audit").selectAll();
      if (query.q !== null) select = select.where(matches(query.q, ["actor", "action", "target", "detail"]));
      for (const condition of conditionsOf(query)) select = select.where(condition);
      // The chain's own order is the order of time, also when the clock was set back.
      if (query.cursor !== null) select = select.where(behind(query.cursor, "seq", "seq"));
      const rows = await select.orderBy("seq", "desc").limit(rowsToRead(query)).execute();
      return toPage(query, rows, (row) => ({ at: row.seq, id: row.seq }), toRecord);
    },

    async verify() {
      let before = { seq: 0, hash: FIRST_HASH };
      const found = (brokenAt: number | null) => ({
        rows: before.seq,
        newestHash: before.seq === 0 ? null : before.hash,
        brokenAt,
      });
      for (;;) {
        const rows = await scope.scan
          .selectFrom("audit")
          .selectAll()
          .where("seq", ">", before.seq)
          .orderBy("seq")
          .limit(VERIFY_CHUNK)
          .execute();
        for (const row of rows) {
          const follows = row.seq === before.seq + 1 && row.previous_hash === before.hash;
          const { hash, ...words } = row;
          if (!follows || hashOf(words) !== hash) return found(row.seq);
          before = { seq: row.seq, hash };
        }
        if (rows.length < VERIFY_CHUNK) return found(null);
      }
    },
  };
}
