import { existsSync } from "node:fs";
import { isWhole } from "../../console/audit/verify";
import { AuditHashChain, EMPTY_CHAIN } from "../../store/audit-chain";
import { MIGRATIONS, newerSchemaMessage } from "../../store/migrations";
import { openDump } from "../../store/postgres/dump";
import type { Environment } from "../process/env";
import { CommandError } from "./command";
import { readDigest } from "./read-digest";
import type { Terminal } from "./terminal";
import { brokenChainMessage } from "./verify-audit";

/** The audit log has a key since this schema version. */
const KEYED_SINCE = 4;

/**
 * Verifies the schema version and the audit log of a `pg_dump` file with the instance secret, and prints the command
 * that restores it; no database is asked. Throws CommandError, StartError or SettingError.
 */
export async function verifyDump(env: Environment, terminal: Terminal, file: string): Promise<void> {
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
    // Not --clean: it cannot drop the constraints of partitions, and the previous database stays as it is.
    terminal.say(`pg_restore --single-transaction --no-owner --dbname=<DATABASE_URL> ${file}`);
  } finally {
    await dump.close();
  }
}
