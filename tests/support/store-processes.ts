import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { workerFile } from "../../lib/server/process/workers";
import { ROOT } from "./sources";

/** Next to the product's bundles, so that packages are found. */
const OUT = path.join(ROOT, ".next", "patchbay", "tests");

/** Packages of many small files that a store loads: bundled, a process starts with half of the CPU. */
const BUNDLED = ["kysely", "lru-cache", "zod"];
const { dependencies } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};
const external = Object.keys(dependencies)
  .filter((name) => !BUNDLED.includes(name))
  .flatMap((name) => [name, `${name}/*`]);

/** Bundles a test script for its own process or thread; returns the bundle's path. */
export async function bundle(entry: string): Promise<string> {
  const name = path.basename(entry, ".ts");
  await build({
    entryPoints: { [name]: path.join(ROOT, entry) },
    outdir: OUT,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    external,
    logLevel: "warning",
  });
  return path.join(OUT, `${name}.mjs`);
}

interface StoreProcess {
  instanceId: string;
  /** Resolves when the process is loaded and waits for `start`. */
  ready: Promise<void>;
  start(): void;
  /** Lines written since it was ready. */
  lines(): string[];
  /** Resolves when the condition holds for the written lines, or when the process has ended. */
  until(condition: (lines: string[]) => boolean): Promise<void>;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Resolves with the exit code; null when the process was killed. */
  ended: Promise<number | null>;
}

/** Starts tests/support/store-child.ts, bundled to `script`. */
export function startStoreProcess(
  script: string,
  task: "open" | "open-unprivileged" | "record-calls",
  databaseUrl: string,
): StoreProcess {
  const instanceId = randomUUID();
  const storeWorker = fileURLToPath(workerFile("store"));
  const child: ChildProcess = spawn(process.execPath, [script, task, databaseUrl, storeWorker, instanceId], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  let isOver = false;
  const waiting = new Set<() => void>();
  const lines = (): string[] => text.split("\n").slice(0, -1);
  const notify = (): void => {
    for (const one of waiting) one();
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    notify();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      isOver = true;
      notify();
      resolve(code);
    });
  });
  const until = (condition: (lines: string[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!isOver && !condition(lines())) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return {
    instanceId,
    ready: until((all) => all.includes("ready")),
    start: () => void child.stdin?.write("go\n"),
    lines: () => lines().filter((line) => line !== "ready"),
    until,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    ended,
  };
}

/** Opens the store in a process that is killed `afterMs` milliseconds after its start; true if it was not open by then. */
export async function killWhileOpening(
  script: string,
  databaseUrl: string,
  afterMs: number,
): Promise<boolean> {
  const starter = startStoreProcess(script, "open", databaseUrl);
  await starter.ready;
  starter.start();
  const killAt = performance.now() + afterMs;
  while (performance.now() < killAt) await new Promise((resolve) => setTimeout(resolve, 1));
  await starter.kill();
  return !starter.lines().includes("open");
}
