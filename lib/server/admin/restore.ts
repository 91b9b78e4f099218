import { existsSync } from "node:fs";
import path from "node:path";
import { recordAudit } from "../../console/audit/record";
import { isWhole } from "../../console/audit/verify";
import { totpStep } from "../../console/auth/totp";
import { renewCacheGeneration } from "../../console/settings/apply-settings";
import { systemCode } from "../../errors";
import { billingPeriod } from "../../ports/billing-period";
import type { AccountRows } from "../../store/account-rows";
import { AuditHashChain, EMPTY_CHAIN } from "../../store/audit-chain";
import { START_ERROR } from "../../store/errors";
import { makeDirectory } from "../../store/make-directory";
import { MIGRATIONS, newerSchemaMessage } from "../../store/migrations";
import { fileOf, isPostgresUrl } from "../../store/options";
import { isSqlText, openDump } from "../../store/postgres/dump";
import { checkpoint, copyToDraft, dropFile, exchangeFile } from "../../store/sqlite/exchange-file";
import { readAccountRows, requireDatabaseFile, requireOwnSchema } from "../../store/sqlite/inspect-file";
import type { Environment } from "../process/env";
import { systemClock } from "../process/system";
import { type Command, CommandError, orCommandError, readArguments } from "./command";
import { compareStores, isSameInstance, type Revived } from "./compare-stores";
import { serversOn, withStore } from "./open-store";
import { readDigest } from "./read-digest";
import type { Terminal } from "./terminal";
import { brokenChainMessage } from "./verify-audit";

/** Later than every expiry: deleting what expires before it deletes everything. */
const AFTER_EVERY_EXPIRY = Number.MAX_SAFE_INTEGER;
/** Most IDs of each kind in the audit row; the command's output lists all. */
const MAX_NAMED = 100;

export const restore: Command = {
  name: "restore",
  usage: "<file> [--force]",
  summary:
    "replace the store with a backup; the server must be stopped (SQLite); or verify a dump (PostgreSQL)",
  async run({ env, terminal }, args) {
    const { values, positionals } = readArguments(args, { force: { type: "boolean" } }, ["file"]);
    if (isPostgresUrl(env.databaseUrl)) {
      await verifyDump(env, terminal, path.resolve(positionals[0] ?? ""));
      return;
    }
    const { source, target } = pathsOf(env, positionals[0] ?? "");
    orCommandError(() => requireDatabaseFile(source));
    const isRunning = serversOn(target).length > 0;
    if (isRunning && values.force !== true) {
      throw new CommandError(
        "A server is running on this store. Stop it first (or use --force: what it writes until it is restarted is lost).",
      );
    }
    const { previousFile, revived, wasCompared } = await replaceStore(env, source, target);
    terminal.note(
      `${source} replaced the store. Its sessions, pending sign-ins and one-time links have been ended.`,
    );
    if (previousFile !== null) terminal.note(`The previous store was saved as ${previousFile}.`);
    printRevived(terminal, revived, wasCompared);
    if (isRunning) terminal.note("Restart the server now.");
  },
};

/** Absolute paths of the backup and of the store's file. Throws CommandError when they are the same. */
function pathsOf(env: Environment, file: string): { source: string; target: string } {
  const source = path.resolve(file);
  const target = fileOf(env.databaseUrl);
  if (source === target) throw new CommandError("The backup is the store itself.");
  return { source, target };
}

interface Replaced {
  /** Where the previous store was saved; null when there was none. */
  previousFile: string | null;
  revived: Revived;
  /** False when no earlier state of this instance could be read. */
  wasCompared: boolean;
}

/** Prepares a copy of the backup and puts it in place of the store. Throws CommandError before anything is changed. */
async function replaceStore(env: Environment, source: string, target: string): Promise<Replaced> {
  makeDirectory(path.dirname(target));
  const draft = `${target}.restoring`;
  try {
    copyToDraft(source, draft);
    orCommandError(() => requireOwnSchema(draft, source));
    const now = systemClock.now();
    const periods = billingPeriod(Intl.DateTimeFormat().resolvedOptions().timeZone, now);
    const restored = readAccountRows(draft, periods);
    if (restored === null) throw new CommandError(`${source} is damaged; nothing was changed.`);
    const previous = readAccountRows(target, periods);
    const before = previous !== null && isSameInstance(previous, restored) ? previous : null;
    // Sign-in also accepts codes of one step ahead.
    const revived = compareStores(before, restored, { now, step: totpStep(now) + 1 });
    await prepare({ ...env, databaseUrl: `file:${draft}` }, source, revived, before).catch(
      (error: unknown) => {
        // The error comes from another thread, so only its code is left.
        if (systemCode(error) !== START_ERROR) throw error;
        throw new CommandError(`${source} is damaged; nothing was changed.`);
      },
    );
    if (!checkpoint(draft)) throw new CommandError(`${draft} is in use.`);
    return { previousFile: exchangeFile(draft, target), revived, wasCompared: before !== null };
  } finally {
    dropFile(draft);
  }
}

/** A name without control characters, which a terminal would execute; the backup may come from an attacker. */
function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, "\ufffd");
}

/** Prints the access that the backup brings back, so that the operator can revoke it. */
function printRevived(terminal: Terminal, revived: Revived, wasCompared: boolean): void {
  if (!wasCompared) {
    terminal.note(
      "No earlier state of this instance could be read, so nothing was compared: users and API keys that were deleted, disabled or restricted since the backup work again. Check them now.",
    );
  }
  if (revived.users.length > 0) terminal.note("These users have access, permissions or budget again:");
  for (const { row, reason } of revived.users) terminal.note(`  ${printable(row.username)}: ${reason}`);
  if (revived.keys.length > 0)
    terminal.note("These API keys work again or allow more; revoke the ones that should not:");
  for (const { row, reason } of revived.keys)
    terminal.note(`  ${printable(row.name)} (${printable(row.display)}): ${reason}`);
  if (revived.uncomparedCodes.length > 0) {
    terminal.note(
      `Backup codes spent since the backup may work again; these users should create new ones: ${revived.uncomparedCodes.map(printable).join(", ")}.`,
    );
  }
  if (revived.withoutCodes.length > 0) {
    terminal.note(
      `No backup code is left for: ${revived.withoutCodes.map(printable).join(", ")}. They should create new ones.`,
    );
  }
}

/**
 * Opens the draft as the server would: checks its pages, migrates it and checks the secret. Ends access that must not
 * come back: sessions, pending sign-ins, one-time links, and 2FA codes used since the backup.
 */
async function prepare(
  env: Environment,
  source: string,
  revived: Revived,
  before: AccountRows | null,
): Promise<void> {
  await withStore(env, async (admin) => {
    // No instance runs on the copy, whatever its heartbeats say, so its open calls are settled.
    await admin.store.ledger.settleOrphans(admin.clock.now(), AFTER_EVERY_EXPIRY);
    await admin.store.transaction(async (tx) => {
      await tx.flows.deleteExpired(AFTER_EVERY_EXPIRY);
      await tx.sessions.deleteExpired(AFTER_EVERY_EXPIRY);
      await tx.invites.deleteExpired(AFTER_EVERY_EXPIRY);
      await tx.keys.deleteExpiredPlayground(AFTER_EVERY_EXPIRY);
      for (const { userId, enrolmentId, step } of revived.steps) {
        await tx.twoFactors.consumeStep(userId, enrolmentId, step);
      }
      for (const { userId, digest } of revived.codes) await tx.twoFactors.consumeBackupCode(userId, digest);
      // Redis may hold results of a configuration that the backup does not have.
      await renewCacheGeneration(tx, admin.random);
      await recordAudit(tx, admin, {
        action: "store.restore",
        detail: {
          file: path.basename(source),
          replaced: before?.auditEnd ?? null,
          users: revived.users.slice(0, MAX_NAMED).map(({ row }) => row.id),
          keys: revived.keys.slice(0, MAX_NAMED).map(({ row }) => row.id),
        },
      });
    });
  });
}

/** The audit log has a key since this schema version. */
const KEYED_SINCE = 4;

/**
 * Verifies the schema version and the audit log of a `pg_dump` file with the instance secret, and prints the command
 * that restores it; no database is asked. Throws CommandError, StartError or SettingError.
 */
async function verifyDump(env: Environment, terminal: Terminal, file: string): Promise<void> {
  if (!existsSync(file)) throw new CommandError(`${file} does not exist.`);
  const dump = await openDump(file);
  try {
    if (dump.version > MIGRATIONS.length) throw new CommandError(newerSchemaMessage(dump.version));
    const digest = await readDigest(env, dump);
    terminal.note(`${file}: schema version ${dump.version}; this Patchbay has ${MIGRATIONS.length}.`);
    if (dump.version < KEYED_SINCE) {
      terminal.note("Its audit log has no key yet, so it cannot be verified.");
    } else {
      const chain = await new AuditHashChain({ digest, seen: EMPTY_CHAIN }).verify(dump.db, undefined);
      if (!isWhole(chain)) throw new CommandError(brokenChainMessage(chain));
      terminal.note(`${chain.rows} audit rows are intact; the newest hash is ${chain.newestHash}.`);
    }
    terminal.note(
      "Stop every server, create an empty database, run this, and start them with its DATABASE_URL:",
    );
    const quoted = `'${file.replaceAll("'", "'\\''")}'`;
    // Not --clean: it cannot drop the constraints of partitions, and the previous database stays as it is.
    terminal.say(
      (await isSqlText(file))
        ? `psql --no-psqlrc --single-transaction --set=ON_ERROR_STOP=1 --dbname=<DATABASE_URL> --file=${quoted}`
        : `pg_restore --single-transaction --no-owner --dbname=<DATABASE_URL> ${quoted}`,
    );
  } finally {
    await dump.close();
  }
}
