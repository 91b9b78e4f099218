import { mkdirSync } from "node:fs";
import path from "node:path";
import { recordAudit } from "../../domain/audit/record";
import {
  copyToDraft,
  dropFile,
  exchangeFile,
  foldIn,
  readInstances,
  requireStoreFile,
} from "../../store/sqlite/exchange-file";
import { fileOf } from "../../store/sqlite/open";
import { START_ERROR } from "../../store/start-error";
import { systemClock } from "../container";
import type { Environment } from "../env";
import { isGone } from "../instance-id";
import { ALIVE_MS, withBooks } from "./books";
import { type Command, CommandError, readArguments } from "./command";

/** Later than every end: sweeping up to it ends all that ends. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER;

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
    requireReadable(source);
    const isRunning = hasServer(target);
    if (isRunning && values.force !== true) {
      throw new CommandError(
        "A server is running on this store. Stop it first (or name --force: what it writes until it is restarted is lost).",
      );
    }
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    const draft = `${target}.restoring`;
    let kept: string | null;
    try {
      copyToDraft(source, draft);
      await prepare({ ...env, databaseUrl: `file:${draft}` }, source).catch((error: unknown) => {
        throw isStartError(error) ? new CommandError(`${source} is damaged; nothing was changed.`) : error;
      });
      if (!foldIn(draft)) throw new CommandError(`${draft} is in use.`);
      kept = exchangeFile(draft, target);
    } finally {
      dropFile(draft);
    }
    terminal.note(`${source} is the store now; everybody signs in anew.`);
    if (kept !== null) terminal.note(`What stood there before is kept as ${kept}.`);
    if (isRunning) terminal.note("Restart the server now.");
  },
};

function requireReadable(file: string): void {
  try {
    requireStoreFile(file);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
}

/** The store's own word for a file it will not start on; it crosses a thread, so only its code is left. */
function isStartError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === START_ERROR;
}

function hasServer(file: string): boolean {
  return readInstances(file, systemClock.now() - ALIVE_MS).some((id) => !isGone(id));
}

/**
 * Opens the draft as the server would: checks its pages, brings its schema up to date and tries the secret on it.
 * Sessions and pending sign-ins of back then end: what was signed out since the backup must not come alive again.
 */
async function prepare(env: Environment, source: string): Promise<void> {
  await withBooks(env, async (operator) => {
    // No instance of back then runs on the copy, whatever its heartbeat says; what they left open is settled.
    await operator.store.ledger.settleOrphans(operator.clock.now(), END_OF_TIME);
    await operator.store.transaction(async (tx) => {
      await tx.flows.deleteExpired(END_OF_TIME);
      await tx.sessions.deleteExpired(END_OF_TIME);
      await tx.keys.deleteExpiredPlayground(END_OF_TIME);
      await recordAudit(tx, operator, {
        action: "store.restore",
        detail: { file: path.basename(source) },
      });
    });
  });
}
