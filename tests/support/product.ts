import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "./sources";
import { READY_MS } from "./until-accepts";

/** Below the ephemeral port range: the system does not assign these ports to outgoing connections. */
const PORTS = { first: 20_000, count: 12_000 };

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

/** A free loopback port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    if (await isFree(port)) return port;
  }
}

export interface ProductOptions {
  /** Default: a new folder that `close()` removes. */
  dataDirectory?: string;
  env?: Record<string, string>;
  /** Only the Node adapter, without Next's pages; starts in well under a second. */
  nodeAdapterOnly?: boolean;
  port?: number;
  /** The checkout whose build is run. Default: this one. */
  root?: string;
  /** Limit of open file descriptors (`ulimit -n`). */
  openFiles?: number;
}

/** The product as a separate process, as `npm start` runs it. */
export interface Product {
  url: string;
  port: number;
  dataDirectory: string;
  process: ChildProcess;
  /** All output so far. */
  output(): string;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  /** Sends SIGTERM, then removes the data folder unless it was given. Resolves with the exit code. */
  close(): Promise<number | null>;
}

/** Starts the built server and waits until it is ready; throws with its output if it exits before. */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const dataDirectory = options.dataDirectory ?? mkdtempSync(path.join(tmpdir(), "patchbay-product-"));
  const port = options.port ?? (await freePort());
  const root = options.root ?? ROOT;
  const main = path.join(root, ".next/patchbay/main.mjs");
  const [program, args]: [string, string[]] =
    options.openFiles === undefined
      ? [process.execPath, [main]]
      : ["bash", ["-c", `ulimit -n ${options.openFiles}; exec "$0" "$1"`, process.execPath, main]];
  const child = spawn(program, args, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      ...(process.env.TZ === undefined ? {} : { TZ: process.env.TZ }),
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      PORT: String(port),
      HOST: "127.0.0.1",
      PATCHBAY_DATA_DIR: dataDirectory,
      // With the default of 25 s, a server with open connections waits 1 s for load balancers before it stops.
      PATCHBAY_DRAIN_SECONDS: "1",
      ...(options.nodeAdapterOnly ? { PATCHBAY_API_ONLY: "1" } : {}),
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const isTls = options.env?.PATCHBAY_TLS_CERT !== undefined;
  const url = `${isTls ? "https" : "http"}://127.0.0.1:${port}`;
  const product: Product = {
    url,
    port,
    dataDirectory,
    process: child,
    output: () => printed,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    close: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      const code = await exited;
      if (options.dataDirectory === undefined) rmSync(dataDirectory, { recursive: true, force: true });
      return code;
    },
  };
  await untilReady(url, child, () => printed);
  return product;
}

async function untilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const giveUpAt = performance.now() + READY_MS;
  while (performance.now() < giveUpAt) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The server stopped:\n${output()}`);
    const isReady = url.startsWith("https:")
      ? output().includes("is ready at")
      : await fetch(`${url}/api/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
          (reply) => reply.status === 200,
          () => false,
        );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill("SIGKILL");
  throw new Error(`The server was not ready within ${READY_MS / 1_000} s:\n${output()}`);
}

export const OWNER = { username: "olivia", password: "seven green kettles hum" };

/** The cookies that a reply sets, as a request sends them. */
function cookieOf(reply: Response): string {
  return reply.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

/** Does the initial setup and returns the session cookie. */
export async function setUp(url: string): Promise<string> {
  const reply = await fetch(`${url}/api/setup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...OWNER, confirmPassword: OWNER.password }),
  });
  if (reply.status !== 200) throw new Error(`setup: ${reply.status} ${await reply.text()}`);
  return cookieOf(reply);
}

/** Signs in through the API and returns the session cookie. */
export async function signIn(
  url: string,
  { username, password }: { username: string; password: string },
): Promise<string> {
  const reply = await fetch(`${url}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  if (reply.status !== 200) throw new Error(`sign-in: ${reply.status} ${await reply.text()}`);
  return cookieOf(reply);
}

/** Creates an API key and returns the full key. */
export async function createKey(
  url: string,
  cookie: string,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const reply = await fetch(`${url}/api/keys`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ name: "test", ...fields }),
  });
  // The console's envelope.
  const body = (await reply.json()) as { data?: { key?: string }; message?: string };
  if (body.data?.key === undefined) throw new Error(`create key: ${reply.status} ${body.message}`);
  return body.data.key;
}
