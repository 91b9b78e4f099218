import { existsSync } from "node:fs";
import path from "node:path";
import { isWhole } from "../../console/audit/verify";
import { AuditHashChain, EMPTY_CHAIN } from "../../store/audit-chain";
import { DamageError, StartError } from "../../store/errors";
import { makeDirectory } from "../../store/make-directory";
import { MIGRATIONS, newerSchemaMessage } from "../../store/migrations";
import { fileOf, isPostgresUrl } from "../../store/options";
import { isSqlText, openDump } from "../../store/postgres/dump";
import { checkpoint, copyToDraft, dropFile, exchangeFile } from "../../store/sqlite/exchange-file";
import { readAccountRows, requireDatabaseFile, requireOwnSchema } from "../../store/sqlite/inspect-file";
import type { Environment } from "../process/env";
import { systemClock } from "../process/system";
import { type Command, CommandError, orCommandError, readArguments } from "./command";
import { compareStores, periodsAt, type Revived } from "./compare-stores";
import { finishRestore } from "./finish-restore";
import { serversOn, withStore } from "./open-store";
import { readDigest } from "./read-digest";
import { endRestoredAccess, printRevived } from "./restored-access";
import type { Terminal } from "./terminal";
import { brokenChainMessage } from "./verify-audit";

export const restore: Command = {
  name: "restore",
  usage: "<file> [--force]",
  summary:
    "replace the store with a backup; the server must be stopped (SQLite); or verify a dump and print how to restore it (PostgreSQL)",
  async run({ env, terminal }, args) {
    const { values, positionals } = readArguments(args, { force: { type: "boolean" } }, ["file"]);
    if (isPostgresUrl(env.databaseUrl)) {
      await verifyDump(env, terminal, path.resolve(positionals[0] ?? ""));
      return;
    }
    const { source, target } = pathsOf(env, positionals[0] ?? "");
    orCommandError(() => requireDatabaseFile(source));
    const isForced = values.force === true;
    hasRunningServer(target, isForced);
    const { previousFile, revived, isRunning } = await replaceStore(env, { source, target, isForced });
    terminal.note(
      `${source} replaced the store. Its sessions, pending sign-ins and one-time links have been ended.`,
    );
    if (previousFile !== null) terminal.note(`The previous store was saved as ${previousFile}.`);
    printRevived(terminal, revived);
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

/** Whether a server runs on the store. Throws CommandError when one does, unless `isForced`. */
function hasRunningServer(target: string, isForced: boolean): boolean {
  const isRunning = serversOn(target).length > 0;
  if (!isRunning || isForced) return isRunning;
  throw new CommandError(
    "A server is running on this store. Stop it first (or use --force: what it writes until it is restarted is lost).",
  );
}

interface Replaced {
  /** Where the previous store was saved; null when there was none. */
  previousFile: string | null;
  revived: Revived;
  /** A server runs on the previous store. */
  isRunning: boolean;
}

/** Prepares a copy of the backup, then replaces the store with it. After a CommandError, the store is unchanged. */
async function replaceStore(
  env: Environment,
  { source, target, isForced }: { source: string; target: string; isForced: boolean },
): Promise<Replaced> {
  makeDirectory(path.dirname(target));
  const draft = `${target}.restoring`;
  try {
    copyToDraft(source, draft);
    orCommandError(() => requireOwnSchema(draft, source));
    const now = systemClock.now();
    const restored = readAccountRows(draft, periodsAt(now));
    if (restored === null) throw new CommandError(`${source} is damaged; nothing was changed.`);
    const revived = compareStores(readAccountRows(target, periodsAt(now)), restored, now);
    // Opens the draft as the server would, which checks its pages, migrates it and checks the secret.
    await withStore({ ...env, databaseUrl: `file:${draft}` }, (admin) =>
      endRestoredAccess(admin, revived, path.basename(source)),
    ).catch((error: unknown) => {
      if (error instanceof DamageError) throw new CommandError(`${source} is damaged; nothing was changed.`);
      if (error instanceof StartError) throw new CommandError(`${error.message} Nothing was changed.`);
      throw error;
    });
    if (!checkpoint(draft)) throw new CommandError(`${draft} is in use.`);
    // Checked again: a server may have started meanwhile.
    const isRunning = hasRunningServer(target, isForced);
    return { previousFile: exchangeFile(draft, target), revived, isRunning };
  } finally {
    dropFile(draft);
  }
}

/** The first schema version whose audit log has a key. */
const KEYED_SINCE = 4;

/**
 * Verifies the schema version and the audit log of a `pg_dump` file with the instance secret, and prints the command
 * that restores it; connects to no database. Throws CommandError, StartError or SettingError.
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
    terminal.note("Stop every server, create an empty database, and run this:");
    const quoted = `'${file.replaceAll("'", "'\\''")}'`;
    // Without --clean, which cannot drop the constraints of partitions. The previous database stays unchanged.
    terminal.say(
      (await isSqlText(file))
        ? `psql --no-psqlrc --single-transaction --set=ON_ERROR_STOP=1 --dbname=<DATABASE_URL> --file=${quoted}`
        : `pg_restore --single-transaction --no-owner --dbname=<DATABASE_URL> ${quoted}`,
    );
    terminal.note(
      "Then end the access that the dump brings back, before you start the servers with its DATABASE_URL. Leave out --previous when the database before the restore is lost:",
    );
    terminal.say(
      `DATABASE_URL=<DATABASE_URL> npm run admin -- ${finishRestore.name} --previous <DATABASE_URL before the restore>`,
    );
  } finally {
    await dump.close();
  }
}
