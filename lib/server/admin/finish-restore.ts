import { isPostgresUrl } from "../../store/options";
import { readPostgresAccountRows } from "../../store/postgres/read-account-rows";
import { describeInstance } from "../process/instance-id";
import { systemClock } from "../process/system";
import { type Command, CommandError, readArguments } from "./command";
import { compareStores, periodsAt } from "./compare-stores";
import { runningServers, withStore } from "./open-store";
import { endRestoredAccess, printRevived } from "./restored-access";

export const finishRestore: Command = {
  name: "finish-restore",
  usage: "[--previous <postgres url>]",
  summary:
    "after pg_restore, end the sessions, links and codes that came back; the servers must be stopped (PostgreSQL)",
  async run({ env, terminal }, args) {
    const { previous: url } = readArguments(args, { previous: { type: "string" } }, []).values;
    if (!isPostgresUrl(env.databaseUrl))
      throw new CommandError("DATABASE_URL is not PostgreSQL. On SQLite, restore does all of this.");
    if (url !== undefined && !(isPostgresUrl(url) && URL.canParse(url)))
      throw new CommandError("--previous must be postgres://<user>:<password>@<host>/<database>.");
    if (url === env.databaseUrl)
      throw new CommandError("--previous must be the database before the restore, not the restored one.");
    const now = systemClock.now();
    const previous = url === undefined ? null : await readPostgresAccountRows(url, periodsAt(now));
    // Read before the store is opened: opening would create a store in an empty database.
    const restored = await readPostgresAccountRows(env.databaseUrl, periodsAt(now));
    const revived = compareStores(previous, restored, now);
    await withStore(env, async (admin) => {
      const [running] = await runningServers(admin.store, now);
      if (running !== undefined)
        throw new CommandError(
          `A server runs on this store: ${describeInstance(running)}. Stop it first. A server that crashed, or ran when the dump was made, counts as running for 30 s.`,
        );
      await endRestoredAccess(admin, revived);
    });
    terminal.note("The sessions, pending sign-ins and one-time links of the restored store have been ended.");
    printRevived(terminal, revived);
  },
};
