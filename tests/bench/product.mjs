/** Starts the built product with a new data folder, does the initial setup and creates a key. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function untilReady(url, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error("the server stopped");
    const isReady = await fetch(`${url}/api/health/ready`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Starts `command`, given as `[file, ...args]`, in the folder `cwd`; the process gets its port as `PORT`. */
export async function startFor(
  command,
  { env = {}, cwd, data = mkdtempSync(path.join(tmpdir(), "patchbay-bench-")) } = {},
) {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(command[0], command.slice(1), {
    cwd,
    env: {
      ...process.env,
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      PORT: String(port),
      HOST: "127.0.0.1",
      PATCHBAY_DATA_DIR: data,
      ...env,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, child);
  return {
    url,
    pid: child.pid,
    data,
    readyMs: performance.now() - startedAt,
    stop: (keep = false) =>
      new Promise((resolve) => {
        child.once("exit", () => {
          if (!keep) rmSync(data, { recursive: true, force: true });
          resolve();
        });
        child.kill("SIGTERM");
      }),
  };
}

/** Does the initial setup; returns the owner's session cookie and a key for all operations. */
export async function setUpWithCookie(url) {
  const password = "seven green kettles hum";
  const headers = { "content-type": "application/json" };
  const setUp = await fetch(`${url}/api/setup`, {
    method: "POST",
    headers,
    body: JSON.stringify({ username: "bench", password, confirmPassword: password }),
  });
  if (!setUp.ok) throw new Error(`setup: ${setUp.status} ${await setUp.text()}`);
  const cookie = setUp.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  const made = await fetch(`${url}/api/keys`, {
    method: "POST",
    headers: { ...headers, cookie },
    body: JSON.stringify({ name: "bench" }),
  });
  return { cookie, key: (await made.json()).data.key };
}

/** Does the initial setup and returns a key for all operations. */
export async function setUpWithKey(url) {
  return (await setUpWithCookie(url)).key;
}
