import type { Ledger } from "../../ports/store";
import { storable } from "../columns";
import type { Scope } from "../transactions";
import { failedAttempts, failovers, findEntry, findEntryByRequest, listEntries } from "./entries";
import type { GroupCommit } from "./group-commit";
import { listInstances, removeHeartbeat, settleOrphans, writeHeartbeat } from "./instances";
import { namesOf } from "./names";
import { toCells } from "./rows";
import { summarize } from "./summary";
import { sweep } from "./sweep";

/** The usage ledger on one scope and one group commit; `instanceId` owns the entries it opens, `maintain` is the engine's. */
export function createLedger(
  scope: Scope,
  commits: GroupCommit,
  instanceId: string,
  maintain: Ledger["maintain"],
): Ledger {
  return {
    async reserve({ row, keyBudget, userBudget, day, month }) {
      const cells = toCells(row, "open", instanceId, { day, month });
      const outcome = await commits.add({ kind: "reserve", row: cells, keyBudget, userBudget });
      return typeof outcome === "string" ? { refused: null } : outcome;
    },
    async settle(row, period, prompt, isNew = false) {
      const cells = toCells(row, "settled", instanceId, period);
      const stored = prompt === undefined ? {} : { prompt: storable(prompt) };
      await commits.add({ kind: "settle", row: cells, onlyOpen: false, isNew, ...stored });
    },
    settleOrphans: (_now, deadBefore, isGone = () => false) =>
      settleOrphans(scope, commits, instanceId, deadBefore, isGone),
    heartbeat: (now, report) => scope.write((db) => writeHeartbeat(db, instanceId, now, report)),
    leave: () => scope.write((db) => removeHeartbeat(db, instanceId)),
    instances: (since) => listInstances(scope.scan, instanceId, since),
    list: (query) => listEntries(scope.scan, query),
    find: (id) => findEntry(scope.read, id),
    findByRequest: (requestId, userId) => findEntryByRequest(scope.read, requestId, userId),
    failedAttempts: (query) => failedAttempts(scope.scan, query),
    failovers: (query) => failovers(scope.scan, query),
    maintain,
    names: (kind, ids) => namesOf(scope.scan, kind, ids),
    sweep: (what, before, limit) => scope.write((db) => sweep(db, what, before, limit)),
    summarize: (query) => summarize(scope.scan, query),
  };
}
