import type { Kysely } from "kysely";
import type { Ledger, UsageSubject } from "../../ports/store";
import { isPlaygroundId, PLAYGROUND_NAME } from "../../ports/store/api-keys";
import { storable } from "../columns";
import type { Tables } from "../schema";
import type { Scope } from "../transactions";
import { failedAttempts, failovers, findEntry, findEntryByRequest, listEntries } from "./entries";
import type { GroupCommit } from "./group-commit";
import { listInstances, removeHeartbeat, settleEnded, settleOrphans, writeHeartbeat } from "./instances";
import { toCells } from "./rows";
import { summarize } from "./summary";

const NAMES_PER_QUERY = 500;

async function namesOfSome(
  db: Kysely<Tables>,
  kind: UsageSubject,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  switch (kind) {
    case "key":
      return db.selectFrom("keys").select(["id", "name"]).where("id", "in", ids).execute();
    case "channel":
      return db.selectFrom("channels").select(["id", "name"]).where("id", "in", ids).execute();
    case "user":
      return db.selectFrom("users").select(["id", "username as name"]).where("id", "in", ids).execute();
  }
}

/** Current names of the subjects of entries. Deleted ones are missing, except playground keys. */
async function namesOf(
  db: Kysely<Tables>,
  kind: UsageSubject,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const id of kind === "key" ? ids : []) {
    if (isPlaygroundId(id)) names.set(id, PLAYGROUND_NAME);
  }
  for (let start = 0; start < ids.length; start += NAMES_PER_QUERY) {
    for (const { id, name } of await namesOfSome(db, kind, ids.slice(start, start + NAMES_PER_QUERY)))
      names.set(id, name);
  }
  return names;
}

async function dropPrompts(db: Kysely<Tables>, before: number, limit: number): Promise<number> {
  const old = db.selectFrom("prompts").select("usage_id").where("at", "<", before).orderBy("at").limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom("prompts")
    .where("usage_id", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function dropRows(db: Kysely<Tables>, before: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom("usage")
    .select("id")
    .where("at", "<", before)
    .where("state", "=", "settled")
    .orderBy("at")
    .orderBy("id")
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map((row) => row.id);
  await db.deleteFrom("prompts").where("usage_id", "in", ids).execute();
  await db.deleteFrom("usage").where("id", "in", ids).execute();
  return ids.length;
}

/** Removes at most `limit` entries (or prompts) older than `before`, oldest first; open entries stay at any age. */
function sweep(db: Kysely<Tables>, what: "rows" | "prompts", before: number, limit: number): Promise<number> {
  return what === "rows" ? dropRows(db, before, limit) : dropPrompts(db, before, limit);
}

/**
 * The usage ledger on one scope and one group commit; `instanceId` owns the entries it opens, `maintain` is the
 * engine's.
 */
export function createLedger(
  scope: Scope,
  commits: GroupCommit,
  instanceId: string,
  maintain: Ledger["maintain"],
): Ledger {
  /** The open entries of calls that have not ended. */
  const running = new Set<string>();
  return {
    async reserve({ row, keyBudget, userBudget, day, month }) {
      const cells = toCells(row, "open", instanceId, { day, month });
      running.add(row.id);
      try {
        const outcome = await commits.add({ kind: "reserve", row: cells, keyBudget, userBudget });
        if (typeof outcome === "string") return null;
        running.delete(row.id);
        return outcome;
      } catch (error) {
        running.delete(row.id);
        throw error;
      }
    },
    async settle(row, period, prompt, isNew = false) {
      try {
        const cells = toCells(row, "settled", instanceId, period);
        const stored = prompt === undefined ? {} : { prompt: storable(prompt) };
        await commits.add({ kind: "settle", row: cells, onlyOpen: false, isNew, ...stored });
      } finally {
        running.delete(row.id);
      }
    },
    isFailing: () => commits.isFailing,
    async settleOrphans(deadBefore, isGone = () => false) {
      const ofOthers = await settleOrphans(scope, commits, instanceId, deadBefore, isGone);
      return ofOthers + (await settleEnded(scope, commits, instanceId, running));
    },
    heartbeat: (now, report) => scope.writeOne((db) => writeHeartbeat(db, instanceId, now, report)),
    leave: () => scope.writeOne((db) => removeHeartbeat(db, instanceId)),
    instances: (since) => listInstances(scope.scan, instanceId, since),
    list: (query) => listEntries(scope.scan, query),
    find: (id) => findEntry(scope.read, id),
    findByRequest: (requestId, userId) => findEntryByRequest(scope.scan, requestId, userId),
    failedAttempts: (query) => failedAttempts(scope.scan, query),
    failovers: (query) => failovers(scope.scan, query),
    maintain,
    names: (kind, ids) => namesOf(scope.scan, kind, ids),
    sweep: (what, before, limit) => scope.write((db) => sweep(db, what, before, limit)),
    summarize: (query) => summarize(scope.sums, query),
  };
}
