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
    await withStore(env, async (operator) => {
      try {
        await operator.store.backup(file);
      } catch (error) {
        // The store's words name no path.
        if (hasCode(error, "conflict")) throw new CommandError(`${file} stands already; name a new file.`);
        throw error;
      }
      await operator.store.transaction((tx) => recordAudit(tx, operator, { action: "store.backup" }));
    });
    terminal.note(`Backup written to ${file} (${statSync(file).size} bytes).`);
    terminal.note(
      env.secret === null
        ? `Keep ${path.join(env.dataDirectory, "secret")} with it, in another place: nothing opens the backup's secrets without it.`
        : "Keep PATCHBAY_SECRET too, in another place: nothing opens the backup's secrets without it.",
    );
  },
};
