import { spawn } from "node:child_process";
import path from "node:path";
import { freePort } from "./product";
import { ROOT } from "./sources";
import { READY_MS } from "./until-accepts";

/** The build that `npm start` serves, run by Next's own server without ours. */
export interface NextAlone {
  url: string;
  output(): string;
  close(): Promise<void>;
}

/** Runs `next start` on the build and waits until its route handlers answer. */
export async function startNextAlone(
  dataDirectory: string,
  env: Record<string, string> = {},
): Promise<NextAlone> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [path.join(ROOT, "node_modules/next/dist/bin/next"), "start", "-p", String(port), "-H", "127.0.0.1"],
    {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: "production",
        NEXT_TELEMETRY_DISABLED: "1",
        PATCHBAY_DATA_DIR: dataDirectory,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const giveUpAt = performance.now() + READY_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Next stopped:\n${printed}`);
    const isReady = await fetch(`${url}/api/health/ready`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isReady) break;
    if (performance.now() > giveUpAt) {
      child.kill("SIGKILL");
      throw new Error(`Next was not ready within ${READY_MS / 1_000} s:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    output: () => printed,
    close: async () => {
      // Nothing needs to drain, and a graceful stop of Next waits for idle sockets.
      child.kill("SIGKILL");
      await exited;
    },
  };
}
