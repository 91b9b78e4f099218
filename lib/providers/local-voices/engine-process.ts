import { fork } from "node:child_process";
import { Socket } from "node:net";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { EngineWorker } from "../embedded-speech/pool";
import type { SpokenMessage } from "../embedded-speech/protocol";

const MAX_OUTPUT_LENGTH = 4_000;

/**
 * Starts a bundled worker as a process of low priority, so that speech never slows the gateway. It gets no environment
 * (no secrets); the last line that it prints is reported as the reason when it ends unexpectedly.
 */
export function startEngineProcess(workerFile: URL, args: readonly string[]): EngineWorker {
  const child = fork(/* turbopackIgnore: true */ fileURLToPath(workerFile), [...args], {
    serialization: "advanced",
    execArgv: [],
    env: { NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT_LENGTH);
  });
  if (child.pid !== undefined) lowerPriority(child.pid);
  const stderr = child.stderr instanceof Socket ? child.stderr : null;
  return {
    listen({ message, ended }) {
      // Only our own worker sends to it.
      child.on("message", (sent) => message(sent as SpokenMessage));
      child.on("error", ended);
      child.on("close", (code) => {
        ended(new Error(output.trim().split("\n").at(-1) || `the process ended with ${code ?? "a signal"}`));
      });
    },
    postMessage: (message) => {
      // When it fails, the process has ended, which `ended` reports.
      child.send({ ...message }, () => {});
    },
    ref: () => {
      child.ref();
      child.channel?.ref();
      stderr?.ref();
    },
    unref: () => {
      child.unref();
      child.channel?.unref();
      stderr?.unref();
    },
    terminate: async () => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system does not allow it: it runs at normal priority.
  }
}
