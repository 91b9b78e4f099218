import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient } from "@redis/client";
import { findProgram } from "./find-program";
import { freePort } from "./product";
import { READY_MS } from "./until-accepts";

const RETRY_MS = 20;
const SERVERS = ["redis-server", "valkey-server"];

/** A Redis or Valkey server for tests, on loopback, without data on disk. */
export interface TestRedis {
  port: number;
  url: string;
  /** Sends one command on a separate connection, for example `command("CONFIG", "SET", "maxmemory", "1mb")`. */
  command(...args: string[]): Promise<unknown>;
  /** Stops the server as a crash does. */
  stop(): Promise<void>;
  /** Starts the server again, empty, on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The server's program; when there is none, installs Debian's package as root, or throws. */
export const findRedis = (): string => findProgram(SERVERS, "redis-server");

/** `settings`: further arguments of the server, such as `--requirepass`. */
export async function startRedis(settings: readonly string[] = [], password = ""): Promise<TestRedis> {
  const program = findRedis();
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-redis-"));
  const port = await freePort();
  const url = `redis://${password === "" ? "" : `:${password}@`}127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  // An interrupted test run must not leave a server running.
  const atExit = () => child?.kill("SIGKILL");
  process.once("exit", atExit);

  async function command(...args: string[]): Promise<unknown> {
    const client = createClient({ url, socket: { reconnectStrategy: false } });
    client.on("error", () => {});
    await client.connect();
    try {
      return await client.sendCommand(args);
    } finally {
      client.destroy();
    }
  }

  const server: TestRedis = {
    port,
    url,
    command,
    async stop() {
      const running = child;
      if (running === null) return;
      child = null;
      const exited = new Promise((resolve) => running.once("exit", resolve));
      running.kill("SIGKILL");
      await exited;
    },
    async start() {
      if (child !== null) return;
      let printed = "";
      const listen = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
      // A Sentinel keeps its state in its configuration file, and accepts no persistence settings.
      const isSentinel = settings.includes("--sentinel");
      const configuration = path.join(folder, "sentinel.conf");
      if (isSentinel) writeFileSync(configuration, "");
      const args = isSentinel ? [configuration, ...listen] : [...listen, "--save", "", "--appendonly", "no"];
      const started = spawn(program, [...args, ...settings], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      for (const stream of [started.stdout, started.stderr])
        stream.on("data", (chunk: Buffer) => {
          printed += chunk.toString();
        });
      const giveUpAt = performance.now() + READY_MS;
      while (performance.now() < giveUpAt && started.exitCode === null) {
        if ((await command("PING").catch(() => null)) === "PONG") return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
      started.kill("SIGKILL");
      throw new Error(`Redis did not get ready:\n${printed}`);
    },
    async close() {
      await server.stop();
      process.off("exit", atExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
