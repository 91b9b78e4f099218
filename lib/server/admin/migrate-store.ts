import path from "node:path";
import { recordAudit } from "../../console/audit/record";
import { isWhole } from "../../console/audit/verify";
import type { Cipher } from "../../ports/cipher";
import type { AuditChain } from "../../ports/store";
import { AuditHashChain, EMPTY_CHAIN } from "../../store/audit-chain";
import { type Comparison, compareCopy } from "../../store/compare-copy";
import {
  beginCopy,
  type CopySource,
  copyTables,
  finishCopy,
  openCopySource,
  openCopyTarget,
} from "../../store/copy-store";
import { StartError } from "../../store/errors";
import { MIGRATIONS } from "../../store/migrations";
import { fileOf, isPostgresUrl } from "../../store/options";
import { withoutPassword } from "../../store/postgres/session";
import { requireDatabaseFile, requireOwnSchema } from "../../store/sqlite/inspect-file";
import type { Environment } from "../process/env";
import { describeInstance } from "../process/instance-id";
import { secretFile } from "../process/secret";
import { type Command, CommandError, orCommandError, readArguments } from "./command";
import { serversOn, withStore } from "./open-store";
import { readDigest } from "./read-digest";
import type { Terminal } from "./terminal";

/** How often the progress of a long table is printed. */
const PROGRESS_MS = 5_000;

type Target = ReturnType<typeof openCopyTarget>;

export const migrateStore: Command = {
  name: "migrate-store",
  usage: "<postgres url>",
  summary:
    "copy the SQLite store to an empty PostgreSQL database; the server must be stopped; can be continued",
  async run({ env, terminal }, args) {
    const { positionals } = readArguments(args, {}, ["postgres url"]);
    const url = positionals[0] ?? "";
    const file = fileToMove(env, url);
    requireNoServer(file);
    const source = await openCopySource(file);
    try {
      await moveTo(env, terminal, { source, file, url });
    } finally {
      await source.close();
    }
    await withStore({ ...env, databaseUrl: url, databaseUrlDirect: null }, async (admin) => {
      const detail = { file: path.basename(file) };
      await admin.store.transaction((tx) => recordAudit(tx, admin, { action: "store.migrate", detail }));
    });
    terminal.note(
      `The store was moved. ${file} was not changed: keep it as a backup, and start no server on it.`,
    );
    terminal.note(
      env.secret === null
        ? `${secretFile(env.dataDirectory)} is still required: start the server with the same data directory, and with:`
        : "PATCHBAY_SECRET is still required. Start the server with it, and with:",
    );
    terminal.say(`DATABASE_URL=${withoutPassword(url)}`);
  },
};

/** The SQLite file to copy. Throws CommandError when DATABASE_URL is not SQLite or `url` is not a PostgreSQL URL. */
function fileToMove(env: Environment, url: string): string {
  if (!env.databaseUrl.startsWith("file:"))
    throw new CommandError(
      "DATABASE_URL is not a SQLite store; migrate-store moves SQLite to PostgreSQL only.",
    );
  if (!isPostgresUrl(url) || !URL.canParse(url))
    throw new CommandError("<postgres url> must be postgres://<user>:<password>@<host>/<database>.");
  const file = fileOf(env.databaseUrl);
  orCommandError(() => {
    requireDatabaseFile(file);
    requireOwnSchema(file, file);
  });
  return file;
}

function requireNoServer(file: string): void {
  const [running] = serversOn(file);
  if (running === undefined) return;
  throw new CommandError(
    `A server runs on ${file}: ${describeInstance(running)}. Stop it first (Ctrl-C, SIGTERM or docker compose stop), then run this again. A server that crashed counts as running for 30 s.`,
  );
}

interface Move {
  source: CopySource;
  file: string;
  url: string;
}

/**
 * Copies the store and verifies the copy. Throws CommandError or StartError: then either nothing was copied or the
 * target is marked as unfinished.
 */
async function moveTo(env: Environment, terminal: Terminal, { source, file, url }: Move): Promise<void> {
  if (source.schemaVersion !== MIGRATIONS.length)
    throw new CommandError(
      `${file} has schema version ${source.schemaVersion}, this Patchbay has ${MIGRATIONS.length}: start the server on it once, which upgrades it, and stop it.`,
    );
  const { installation } = source;
  if (installation === null)
    throw new CommandError(
      `${file} was never set up, so there is nothing to move. Start the server with DATABASE_URL.`,
    );
  const changes = await source.changes();
  const digest = await readDigest(env, source);
  const audit = await verifyChain(source.db, digest);
  if (!isWhole(audit))
    terminal.note(`The audit log is broken in ${file} already (see verify-audit); it is copied as it is.`);
  const isContinued = await beginCopy(source, installation, url);
  if (isContinued) terminal.note("Continuing an unfinished copy.");
  const target = openCopyTarget(url);
  try {
    await orContinue(copyTables(source, target, { onRows: progressOf(terminal) }));
    terminal.note("Verifying every row, the sums of the ledger, balances and the audit log.");
    const comparison = await orContinue(compareCopy(source, target));
    await orContinue(compareAudit(target, digest, audit, comparison));
    if ((await source.changes()) !== changes)
      comparison.differences.push({ table: file, text: "another process wrote to it during the copy" });
    requireSame(terminal, comparison);
    requireNoServer(file);
    await finishCopy(target);
    terminal.note(summaryOf(comparison, audit));
  } finally {
    await target.destroy();
  }
}

function verifyChain(db: Target, digest: Cipher["digest"]): Promise<AuditChain> {
  return new AuditHashChain({ digest, seen: EMPTY_CHAIN }).verify(db, undefined);
}

/** Adds a difference when the copied audit log does not verify with the same result as the source's. */
async function compareAudit(
  target: Target,
  digest: Cipher["digest"],
  expected: AuditChain,
  { differences }: Comparison,
): Promise<void> {
  const found = await verifyChain(target, digest);
  if (JSON.stringify(found) !== JSON.stringify(expected))
    differences.push({ table: "audit", text: "its hashes do not verify as in the source" });
}

/** Throws CommandError naming the tables that differ. */
function requireSame(terminal: Terminal, { differences }: Comparison): void {
  if (differences.length === 0) return;
  for (const { table, text } of differences) terminal.note(`${table}: ${text}`);
  const tables = [...new Set(differences.map(({ table }) => table))];
  throw new CommandError(
    `The copy differs in ${tables.join(", ")}. It stays marked as unfinished, and no server starts on it. Drop and create the database, then run this again.`,
  );
}

function summaryOf({ sums: { usage } }: Comparison, audit: AuditChain): string {
  return (
    `The same in both: every row, ledger cost $${(Number(usage?.cost_nano) / 1e9).toFixed(2)}, ` +
    `${usage?.input_tokens} input tokens, ${usage?.output_tokens} output tokens, balances, ${audit.rows} audit rows.`
  );
}

/** Prints each table when it is done, and the progress of a long one. */
function progressOf(terminal: Terminal): (table: string, copied: number, total: number) => void {
  let printedAt = performance.now();
  return (table, copied, total) => {
    if (copied < total && performance.now() - printedAt < PROGRESS_MS) return;
    printedAt = performance.now();
    terminal.note(`${table}: ${copied} of ${total} rows`);
  };
}

/** Turns an unexpected error into a CommandError that says how to continue the copy. */
async function orContinue<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StartError) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new CommandError(`The copy was interrupted (${words}). Run the same command again to continue it.`);
  }
}
