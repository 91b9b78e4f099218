import { type RawBuilder, sql } from "kysely";
import type { Audit, AuditFilter } from "../../ports/store";
import { AuditHashChain, type AuditKey } from "../audit-chain";
import { matches, olderThanCursor, rowsToRead, toPage } from "../page";
import { AUDIT } from "../schema/records";
import type { Scope } from "../transactions";

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
  const chain = new AuditHashChain(key);
  return {
    append: (entry) => scope.write((db) => chain.append(db, entry)),

    async list(query) {
      let select = scope.scan.selectFrom("audit").selectAll();
      if (query.q !== null) select = select.where(matches(query.q, ["actor", "action", "target", "detail"]));
      for (const condition of conditionsOf(query)) select = select.where(condition);
      // By the chain's own order, which is right even when the clock was set back.
      if (query.cursor !== null) select = select.where(olderThanCursor(query.cursor, "seq", "seq", "number"));
      const rows = await select.orderBy("seq", "desc").limit(rowsToRead(query)).execute();
      return toPage(query, rows, (row) => ({ at: row.seq, id: row.seq }), AUDIT.toRecord);
    },

    startChain: (at) => scope.write((db) => chain.start(db, scope.scan, at)),

    verify: (expectedHash) => chain.verify(scope.scan, expectedHash),
  };
}
