import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { workerFile } from "../../lib/server/process/workers";
import { ROOT } from "./sources";

/** Beside the product's own bundles, where packages are found. */
const OUT = path.join(ROOT, ".next", "patchbay", "tests");

/** Bundles a script of the tests for a process or thread of its own; gives the bundle's path. */
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
    packages: "external",
    logLevel: "warning",
  });
  return path.join(OUT, `${name}.mjs`);
}

export interface StoreProcess {
  instanceId: string;
  /** Resolves once it is loaded and waits for its start. */
  ready: Promise<void>;
  start(): void;
  /** Lines it has written since it was ready. */
  lines(): string[];
  /** Resolves when the condition holds for what it wrote, or when it has ended. */
  until(condition: (lines: string[]) => boolean): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves with its exit code; null when it was killed. */
  ended: Promise<number | null>;
}

/** Starts tests/support/store-child.ts, bundled to `script`. */
export function startStoreProcess(
  script: string,
  task: "open" | "open-as-nobody" | "keep-books",
  databaseUrl: string,
): StoreProcess {
  const instanceId = randomUUID();
  const writer = fileURLToPath(workerFile("writer"));
  const child: ChildProcess = spawn(process.execPath, [script, task, databaseUrl, writer, instanceId], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  let isOver = false;
  const waiting = new Set<() => void>();
  const lines = (): string[] => text.split("\n").slice(0, -1);
  const look = (): void => {
    for (const one of waiting) one();
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    look();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      isOver = true;
      look();
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

/** Opens the store in a process that is killed so many milliseconds after its start; true when it was not open by then. */
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
