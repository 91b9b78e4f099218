import { mkdirSync } from "node:fs";
import path from "node:path";
import { recordAudit } from "../../console/audit/record";
import { totpStep } from "../../console/auth/totp";
import { fileOf } from "../../store/options";
import { copyToDraft, dropFile, exchangeFile, foldIn } from "../../store/sqlite/exchange-file";
import {
  type AccountRows,
  readAccountRows,
  readInstances,
  requireDatabaseFile,
  requireOwnSchema,
} from "../../store/sqlite/inspect-file";
import { START_ERROR } from "../../store/start-error";
import { systemClock } from "../process/container";
import type { Environment } from "../process/env";
import { isGone } from "../process/instance-id";
import { DEAD_AFTER_MS } from "../process/other-servers";
import { type Command, CommandError, readArguments } from "./command";
import { compareStores, isSameInstance, type Revived } from "./compare-stores";
import { withStore } from "./open-store";
import type { Terminal } from "./terminal";

/** Later than every expiry: deleting what expires before it deletes everything. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER;
/** Ids that the audit row names of each kind; the command's output names all. */
const MOST_NAMED = 100;

export const restore: Command = {
  name: "restore",
  usage: "<file> [--force]",
  summary: "put a backup in the store's place; the server must be stopped (SQLite)",
  async run({ env, terminal }, args) {
    const { values, positionals } = readArguments(args, { force: { type: "boolean" } }, ["file"]);
    if (!env.databaseUrl.startsWith("file:")) {
      throw new CommandError(
        "This store is PostgreSQL, which has its own way: pg_restore --clean --dbname=<DATABASE_URL> <file>.",
      );
    }
    const source = path.resolve(positionals[0] ?? "");
    const target = fileOf(env.databaseUrl);
    if (source === target) throw new CommandError("The backup is the store itself.");
    orCommandError(() => requireDatabaseFile(source));
    const isRunning = hasServer(target);
    if (isRunning && values.force !== true) {
      throw new CommandError(
        "A server is running on this store. Stop it first (or name --force: what it writes until it is restarted is lost).",
      );
    }
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    const draft = `${target}.restoring`;
    let kept: string | null;
    let revived: Revived;
    let before: AccountRows | null;
    try {
      copyToDraft(source, draft);
      orCommandError(() => requireOwnSchema(draft, source));
      const restored = readAccountRows(draft);
      if (restored === null) throw new CommandError(`${source} is damaged; nothing was changed.`);
      before = readAccountRows(target);
      if (before !== null && !isSameInstance(before, restored)) before = null;
      const now = systemClock.now();
      // Sign-in accepts codes of one step ahead, too.
      revived = compareStores(before, restored, { now, step: totpStep(now) + 1 });
      await prepare({ ...env, databaseUrl: `file:${draft}` }, source, revived, before).catch(
        (error: unknown) => {
          throw isStartError(error) ? new CommandError(`${source} is damaged; nothing was changed.`) : error;
        },
      );
      if (!foldIn(draft)) throw new CommandError(`${draft} is in use.`);
      kept = exchangeFile(draft, target);
    } finally {
      dropFile(draft);
    }
    terminal.note(
      `${source} is the store now. Sessions, pending sign-ins and one-time links of back then have ended.`,
    );
    if (kept !== null) terminal.note(`The store before it is kept as ${kept}.`);
    tellRevived(terminal, revived, before !== null);
    if (isRunning) terminal.note("Restart the server now.");
  },
};

/** A name without control characters, which a terminal would act on; the file may be anybody's. */
function shown(name: string): string {
  return name.replace(/\p{Cc}/gu, "\ufffd");
}

/** Tells the operator what the backup brings back, so that it can be revoked. */
function tellRevived(terminal: Terminal, revived: Revived, wasCompared: boolean): void {
  if (!wasCompared) {
    terminal.note(
      "No earlier state of this instance could be read, so nothing was compared: users and API keys that were deleted, disabled or restricted since the backup work again. Check them now.",
    );
  }
  if (revived.users.length > 0) terminal.note("These users have access or rights again:");
  for (const { row, reason } of revived.users) terminal.note(`  ${shown(row.username)}: ${reason}`);
  if (revived.keys.length > 0)
    terminal.note("These API keys work again or allow more; revoke those that must not:");
  for (const { row, reason } of revived.keys)
    terminal.note(`  ${shown(row.name)} (${shown(row.display)}): ${reason}`);
  if (revived.uncomparedCodes.length > 0) {
    terminal.note(
      `Backup codes spent since the backup may work again; these users should make new ones: ${revived.uncomparedCodes.map(shown).join(", ")}.`,
    );
  }
  if (revived.withoutCodes.length > 0) {
    terminal.note(
      `No backup code is left for: ${revived.withoutCodes.map(shown).join(", ")}. They should make new ones.`,
    );
  }
}

/** Runs a check of a file whose errors are words for the operator. */
function orCommandError(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
}

/** True for the store's refusal to start on a file. It comes from another thread, so only its code is left. */
function isStartError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === START_ERROR;
}

function hasServer(file: string): boolean {
  return readInstances(file, systemClock.now() - DEAD_AFTER_MS).some((id) => !isGone(id));
}

/**
 * Opens the draft as the server would: checks its pages, migrates it and tries the secret on it. Ends what must not
 * come back: sessions, pending sign-ins, one-time links, and second-factor codes used since the backup.
 */
async function prepare(
  env: Environment,
  source: string,
  revived: Revived,
  before: AccountRows | null,
): Promise<void> {
  await withStore(env, async (operator) => {
    // No instance runs on the copy, whatever its heartbeats say; calls that were open are settled.
    await operator.store.ledger.settleOrphans(operator.clock.now(), END_OF_TIME);
    await operator.store.transaction(async (tx) => {
      await tx.flows.deleteExpired(END_OF_TIME);
      await tx.sessions.deleteExpired(END_OF_TIME);
      await tx.invites.deleteExpired(END_OF_TIME);
      await tx.keys.deleteExpiredPlayground(END_OF_TIME);
      for (const { userId, enrolmentId, step } of revived.steps) {
        await tx.twoFactors.consumeStep(userId, enrolmentId, step);
      }
      for (const { userId, digest } of revived.codes) await tx.twoFactors.consumeBackupCode(userId, digest);
      await recordAudit(tx, operator, {
        action: "store.restore",
        detail: {
          file: path.basename(source),
          replaced: before?.auditEnd ?? null,
          users: revived.users.slice(0, MOST_NAMED).map(({ row }) => row.id),
          keys: revived.keys.slice(0, MOST_NAMED).map(({ row }) => row.id),
        },
      });
    });
  });
}
