import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { recordAudit } from "../../console/audit/record";
import { MINUTE_MS } from "../../contracts/durations";
import { hasCode } from "../../errors";
import { flush } from "../../store/flush";
import { fileOf, isPostgresUrl } from "../../store/options";
import { copyUnmigrated, hasEarlierSchema } from "../../store/sqlite/inspect-file";
import { writeCopy } from "../../store/sqlite/open";
import type { Environment } from "../process/env";
import { type Command, CommandError, readArguments } from "./command";
import { withStore } from "./open-store";

/** Writes `<file>.part`, then renames it: a command that is interrupted leaves no file that looks like a backup. */
async function writeBackup(file: string, copyTo: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${file}.part`;
  if (existsSync(draft) && Date.now() - statSync(draft).mtimeMs < MINUTE_MS)
    throw new CommandError(
      `${draft} was written a moment ago: another backup may be running. Try again in a minute.`,
    );
  for (const left of [draft, `${draft}-journal`]) rmSync(left, { force: true });
  try {
    await copyTo(draft);
  } catch (error) {
    // The store's messages do not name the path.
    if (hasCode(error, "invalid") && error.cause !== undefined)
      throw new CommandError(
        `${file} cannot be written (${error.cause instanceof Error ? error.cause.message : error.cause}).`,
      );
    throw error;
  }
  flush(draft);
  if (existsSync(file)) throw new CommandError(`${file} already exists; the backup is ${draft}.`);
  renameSync(draft, file);
  flush(path.dirname(file));
}

/**
 * The SQLite file if an earlier version of Patchbay wrote it, otherwise null. Opening the file would migrate it, and
 * that version could not use the backup.
 */
function earlierStore({ databaseUrl }: Environment): string | null {
  if (isPostgresUrl(databaseUrl)) return null;
  const file = fileOf(databaseUrl);
  return hasEarlierSchema(file) ? file : null;
}

export const backup: Command = {
  name: "backup",
  usage: "<file>",
  summary: "write a copy of the store to a new file, also while the server runs (SQLite)",
  async run({ env, terminal }, args) {
    const { positionals } = readArguments(args, {}, ["file"]);
    const file = path.resolve(positionals[0] ?? "");
    if (existsSync(file)) throw new CommandError(`${file} already exists; choose another file.`);
    const earlier = earlierStore(env);
    if (earlier !== null)
      await writeBackup(file, (draft) => writeCopy(draft, async () => copyUnmigrated(earlier, draft)));
    else
      await withStore(env, async (admin) => {
        await writeBackup(file, (draft) => admin.store.backup(draft));
        await admin.store.transaction((tx) => recordAudit(tx, admin, { action: "store.backup" }));
      });
    terminal.note(`Backup written to ${file} (${statSync(file).size} bytes).`);
    if (earlier !== null)
      terminal.note(
        "The store is of an earlier version of Patchbay and was copied unchanged. The audit log has no entry of it.",
      );
    terminal.note(
      env.secret === null
        ? `Keep ${path.join(env.dataDirectory, "secret")} with it, but store it separately: the backup's secrets cannot be decrypted without it.`
        : "Keep PATCHBAY_SECRET too, but store it separately: the backup's secrets cannot be decrypted without it.",
    );
  },
};
