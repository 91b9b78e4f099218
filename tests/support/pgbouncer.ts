import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findProgram } from "./find-program";
import { runnerOf } from "./postgres";
import { freePort } from "./product";
import { untilAccepts } from "./until-accepts";

/** Fewer than the connections of one instance, so that each transaction may get another connection to the server. */
const POOL_SIZE = 4;

export const findPgBouncer = (): string => findProgram(["pgbouncer", "/usr/sbin/pgbouncer"], "pgbouncer");

/** PgBouncer in transaction mode. */
export interface TestPgBouncer {
  /** The same database through the pooler. */
  url: string;
  close(): Promise<void>;
}

/** `settings`: further lines of its configuration. */
export async function startPgBouncer(
  databaseUrl: string,
  settings: readonly string[] = [],
): Promise<TestPgBouncer> {
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const target = new URL(databaseUrl);
  const configuration = path.join(folder, "pgbouncer.ini");
  writeFileSync(
    configuration,
    [
      "[databases]",
      `* = host=127.0.0.1 port=${target.port} user=${target.username}`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = any\npool_mode = transaction\ndefault_pool_size = ${POOL_SIZE}\nmax_client_conn = 200`,
      ...settings,
    ].join("\n"),
  );
  const child = spawn(findPgBouncer(), [configuration], { ...runnerOf(), cwd: folder, stdio: "pipe" });
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const atExit = () => child.kill("SIGKILL");
  process.once("exit", atExit);
  await untilAccepts(port, child, () => printed);
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    async close() {
      child.kill("SIGKILL");
      await exited;
      process.off("exit", atExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
