import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { RefusedLimit } from "../../contracts/console/rejections";
import { MINUTE_MS } from "../../contracts/durations";
import type { RejectionFilter, RejectionGroup, RejectionRecord, Rejections } from "../../ports/store";
import { storable } from "../columns";
import { isReported } from "../errors";
import { isOfKey, matchesOrOfKey } from "../ledger/conditions";
import { newestFirst } from "../page";
import { REJECTION, type RejectionTable } from "../schema/ledger";
import type { Scope } from "../transactions";
import { countDeleted } from "./statements";

/** Rows of one statement: 14 parameters each. */
const ADD_CHUNK = 200;

/** The ID of a group's row, the same in every process, so that the counts of all processes add up in one row. */
function idOf({ minute, keyId, model, error, limit }: RejectionGroup): string {
  const group = JSON.stringify([minute, keyId, model, error, limit]);
  return `rej_${createHash("sha256").update(group).digest("base64url").slice(0, 22)}`;
}

function toRecord(row: RejectionTable): RejectionRecord & { id: string } {
  const limit = RefusedLimit.nullable().parse(row.limit_hit);
  return { ...REJECTION.toRecord(row), limit, id: row.id };
}

function conditionsOf(filter: RejectionFilter): RawBuilder<boolean>[] {
  const { outcome } = filter;
  const conditions: RawBuilder<boolean>[] = [];
  if (filter.userId !== undefined) conditions.push(sql<boolean>`user_id = ${filter.userId}`);
  if (filter.keyId !== undefined) conditions.push(isOfKey(filter.keyId));
  if (filter.models !== undefined)
    conditions.push(sql<boolean>`model in (${sql.join(filter.models.map(storable))})`);
  if (outcome?.kind === "error") conditions.push(sql<boolean>`error = ${outcome.code}`);
  if (outcome?.kind === "status") conditions.push(sql<boolean>`status = ${outcome.status}`);
  if (filter.requestId !== undefined)
    conditions.push(sql<boolean>`request_id = ${storable(filter.requestId)}`);
  if (filter.q !== undefined && filter.q !== null)
    conditions.push(matchesOrOfKey(filter.q, ["request_id", "model", "error", "message"]));
  if (filter.from !== undefined)
    conditions.push(sql<boolean>`minute >= ${filter.from - (filter.from % MINUTE_MS)}`);
  if (filter.to !== undefined) conditions.push(sql<boolean>`minute < ${filter.to}`);
  return conditions;
}

/** The value of the stored or of the added row, whichever has the later request as its example. */
function ofLatestRequest(column: "request_id" | "status" | "message" | "retry_after_s" | "address") {
  const [stored, added] = [sql.ref(`rejections.${column}`), sql.ref(`excluded.${column}`)];
  return sql<never>`case when excluded.at >= rejections.at then ${added} else ${stored} end`;
}

const MERGED_COLUMNS = {
  calls: sql<number>`rejections.calls + excluded.calls`,
  at: sql<number>`case when excluded.at >= rejections.at then excluded.at else rejections.at end`,
  request_id: ofLatestRequest("request_id"),
  status: ofLatestRequest("status"),
  message: ofLatestRequest("message"),
  retry_after_s: ofLatestRequest("retry_after_s"),
  address: ofLatestRequest("address"),
};

/** See `Rejections.sweep`. */
async function sweep(scope: Scope, before: number, maxRows: number, limit: number): Promise<number> {
  const beyond = await scope.scan
    .selectFrom("rejections")
    .select("minute")
    .orderBy("minute", "desc")
    .offset(maxRows)
    .limit(1)
    .executeTakeFirst();
  const edge = Math.max(before, beyond === undefined ? 0 : beyond.minute + 1);
  return scope.write((db) => {
    const old = db
      .selectFrom("rejections")
      .select("id")
      .where("minute", "<", edge)
      .orderBy("minute")
      .limit(limit);
    return countDeleted(db.deleteFrom("rejections").where("id", "in", old));
  });
}

export function rejectionsRepository(scope: Scope): Rejections {
  return {
    async add(records) {
      let isCommitting = false;
      const add = async (db: Scope["read"]): Promise<void> => {
        for (let start = 0; start < records.length; start += ADD_CHUNK) {
          await db
            .insertInto("rejections")
            .values(
              records
                .slice(start, start + ADD_CHUNK)
                .map((one) => ({ ...REJECTION.toRow(one), id: idOf(one) })),
            )
            .onConflict((conflict) => conflict.column("id").doUpdateSet(MERGED_COLUMNS))
            .execute();
        }
        isCommitting = true;
      };
      try {
        await (records.length > ADD_CHUNK ? scope.write(add) : scope.writeOne(add));
      } catch (error) {
        if (!isCommitting || isReported(error)) throw error;
        return false;
      }
      return true;
    },

    async list(query) {
      let select = scope.scan.selectFrom("rejections").selectAll();
      for (const condition of conditionsOf(query)) select = select.where(condition);
      return newestFirst(select, query, "at", toRecord);
    },

    async count(filter) {
      let select = scope.scan
        .selectFrom("rejections")
        .select(sql<number>`coalesce(sum(calls), 0)`.as("calls"));
      for (const condition of conditionsOf(filter)) select = select.where(condition);
      const { calls } = await select.executeTakeFirstOrThrow();
      return Number(calls);
    },

    async latest(keyIds) {
      const found = await Promise.all(
        keyIds.map((keyId) =>
          scope.read
            .selectFrom("rejections")
            .selectAll()
            .where("key_id", "=", keyId)
            .orderBy("at", "desc")
            .orderBy("id", "desc")
            .limit(1)
            .executeTakeFirst(),
        ),
      );
      return new Map(found.flatMap((row) => (row?.key_id ? [[row.key_id, toRecord(row)] as const] : [])));
    },

    sweep: (before, maxRows, limit) => sweep(scope, before, maxRows, limit),
  };
}
