import { statSync } from "node:fs";
import path from "node:path";
import { recordAudit } from "../../console/audit/record";
import { hasCode } from "../../errors";
import { type Command, CommandError, readArguments } from "./command";
import { withStore } from "./open-store";

export const backup: Command = {
  name: "backup",
  usage: "<file>",
  summary: "write a copy of the store to a new file, also while the server runs (SQLite)",
  async run({ env, terminal }, args) {
    const { positionals } = readArguments(args, {}, ["file"]);
    const file = path.resolve(positionals[0] ?? "");
    await withStore(env, async (admin) => {
      try {
        await admin.store.backup(file);
      } catch (error) {
        // The store's messages do not name the path.
        if (hasCode(error, "conflict"))
          throw new CommandError(`${file} already exists; choose another file.`);
        if (hasCode(error, "invalid") && error.cause !== undefined)
          throw new CommandError(
            `${file} cannot be written (${error.cause instanceof Error ? error.cause.message : error.cause}).`,
          );
        throw error;
      }
      await admin.store.transaction((tx) => recordAudit(tx, admin, { action: "store.backup" }));
    });
    terminal.note(`Backup written to ${file} (${statSync(file).size} bytes).`);
    terminal.note(
      env.secret === null
        ? `Keep ${path.join(env.dataDirectory, "secret")} with it, but store it separately: the backup's secrets cannot be decrypted without it.`
        : "Keep PATCHBAY_SECRET too, but store it separately: the backup's secrets cannot be decrypted without it.",
    );
  },
};
