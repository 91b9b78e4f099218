import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort, setUp, startProduct } from "../support/product";
import { ROOT } from "../support/sources";

/** Starts that must fail: one line that names the problem, exit code 1, no partial files. */

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(path.join(tmpdir(), "patchbay-boot-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Start {
  code: number | null;
  errors: string;
  /** Standard output, with the log. */
  output: string;
}

/** Runs the server with these variables until it exits. */
async function start(env: Record<string, string>, flags: string[] = []): Promise<Start> {
  const child = spawn(process.execPath, [...flags, path.join(ROOT, ".next/patchbay/main.mjs")], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: "production",
      PATCHBAY_API_ONLY: "1",
      HOST: "127.0.0.1",
      PORT: String(await freePort()),
      PATCHBAY_DATA_DIR: path.join(scratch, "untouched"),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A start that hangs must not outlive its test.
    timeout: 15_000,
    killSignal: "SIGKILL",
  });
  let errors = "";
  let output = "";
  let isReady = false;
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (!output.includes("is ready at")) return;
    isReady = true;
    child.kill("SIGKILL");
  });
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (isReady) throw new Error(`It started: ${JSON.stringify(env)}`);
  return { code, errors, output };
}

function expectRefusal({ code, errors, output }: Start, ...words: (string | RegExp)[]): void {
  expect(code, errors).toBe(1);
  expect(errors.trimEnd().split("\n").length, errors).toBe(1);
  expect(errors).toMatch(/^Patchbay cannot start\. /);
  for (const word of words) expect(errors).toMatch(word);
  expect(output).toBe("");
  expect(errors).not.toMatch(/\bat .*\.(?:ts|mjs):\d+/);
}

test("SIGHUP during the start replaces the processes once the start is complete", async () => {
  const folder = mkdtempSync(path.join(scratch, "hangup-"));
  const child = spawn(process.execPath, [path.join(ROOT, ".next/patchbay/main.mjs")], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: "production",
      PORT: String(await freePort()),
      HOST: "127.0.0.1",
      PATCHBAY_DATA_DIR: folder,
      PATCHBAY_API_ONLY: "1",
      PATCHBAY_PROCESSES: "2",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  try {
    // The file appears when the first process opens its store.
    await expect.poll(() => existsSync(path.join(folder, "patchbay.db")), { interval: 5 }).toBe(true);
    child.kill("SIGHUP");
    await expect.poll(() => output, { timeout: 40_000 }).toContain("replaced_processes");
    expect(output.indexOf("is ready at")).toBeGreaterThan(-1);
    expect(output.indexOf("is ready at")).toBeLessThan(output.indexOf('"draining"'));
  } finally {
    child.kill("SIGTERM");
  }
  expect(await exited).toEqual([0, null]);
}, 90_000);

test("the address is printed even if the first process is killed while the others start", async () => {
  const product = await startProduct({ nodeAdapterOnly: true, env: { PATCHBAY_PROCESSES: "2" } });
  try {
    expect(product.output()).not.toContain("is ready at");
    const { pid } = product.process;
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    process.kill(Number(first), "SIGKILL");
    await expect.poll(() => product.output(), { timeout: 40_000 }).toContain("is ready at");
  } finally {
    await product.close();
  }
}, 90_000);

test.each(["1", "2"])(
  // As PID 1 of a container, the process has no default action for signals.
  "SIGTERM during a start with PATCHBAY_PROCESSES=%s ends the server with exit code 0",
  async (processes) => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const child = spawn(process.execPath, [path.join(ROOT, ".next/patchbay/main.mjs")], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: "production",
        PATCHBAY_SECRET: "a secret 0f some l3ngth for starting",
        PATCHBAY_DATA_DIR: path.join(scratch, "silent"),
        PATCHBAY_PROCESSES: processes,
        DATABASE_URL: `postgres://patchbay@127.0.0.1:${port}/patchbay`,
      },
      stdio: "ignore",
      timeout: 15_000,
      killSignal: "SIGKILL",
    });
    await once(silent, "connection");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    silent.close();
  },
);

describe("an invalid environment variable", () => {
  // Every rule of every variable is in tests/unit/server/env.test.ts.
  test.each<[string, string]>([
    ["PORT", "http"],
    ["PATCHBAY_BASE_URL", "patchbay.example"],
    ["PATCHBAY_LIMITS", '{"headersTimeout":1000}'],
  ])("reports %s=%s by name in one line", async (name, value) => {
    const folder = path.join(scratch, "untouched");
    expectRefusal(await start({ [name]: value, PATCHBAY_DATA_DIR: folder }), new RegExp(`${name}: \\S`));
    expect(existsSync(folder)).toBe(false);
  });
});

test("rejects a guessable secret without printing it", async () => {
  const secret = "change-me-change-me-change-me-change-me";
  const refused = await start({ PATCHBAY_SECRET: secret });
  expectRefusal(refused, /PATCHBAY_SECRET: /);
  expect(refused.errors).not.toContain(secret);
  const env = { PATCHBAY_SECRET: "Zk3-vY8qL1nR6tW0xB5cF9hJ2mP7sU4d", PATCHBAY_SECRET_PREVIOUS: "short" };
  expectRefusal(await start(env), /PATCHBAY_SECRET_PREVIOUS: /);
});

describe("Node's lenient HTTP parser", () => {
  test.each<[string, Record<string, string>, string[]]>([
    ["by a flag", {}, ["--insecure-http-parser"]],
    ["by NODE_OPTIONS", { NODE_OPTIONS: "--insecure-http-parser" }, []],
  ])("is rejected when set %s", async (_name, env, flags) => {
    expectRefusal(await start(env, flags), /--insecure-http-parser/);
  });
});

describe("port and data folder", () => {
  test("rejects a port that is in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const folder = mkdtempSync(path.join(scratch, "taken-"));
    const token = path.join(folder, "setup-token");
    writeFileSync(token, "the token of a server that runs\n");
    try {
      expectRefusal(await start({ PORT: String(port), PATCHBAY_DATA_DIR: folder }), /PORT: /);
      expect(readFileSync(token, "utf8")).toBe("the token of a server that runs\n");
    } finally {
      other.close();
    }
  });

  test.each([
    ["is not an address of this machine", { HOST: "192.0.2.7" }],
    ["does not resolve", { HOST: "nope.invalid" }],
    ["is not an address of this machine, with two processes", { HOST: "192.0.2.7", PATCHBAY_PROCESSES: "2" }],
    ["does not resolve, with two processes", { HOST: "nope.invalid", PATCHBAY_PROCESSES: "2" }],
  ])("rejects a host that %s", async (_name, env) => {
    const folder = mkdtempSync(path.join(scratch, "host-"));
    expectRefusal(await start({ PATCHBAY_DATA_DIR: folder, ...env }), /HOST: /, env.HOST, /0\.0\.0\.0/);
  });

  test("rejects a data folder that is a file", async () => {
    const file = path.join(scratch, "a-file");
    writeFileSync(file, "mine");
    expectRefusal(await start({ PATCHBAY_DATA_DIR: file }), /PATCHBAY_DATA_DIR: /, file);
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test("rejects a data folder below a file", async () => {
    const folder = path.join(scratch, "a-file-too", "data");
    writeFileSync(path.dirname(folder), "");
    expectRefusal(await start({ PATCHBAY_DATA_DIR: folder }), /PATCHBAY_DATA_DIR: /, folder);
  });

  test.runIf(process.platform === "linux").each([
    ["the store", () => ({})],
    ["the secret", () => ({ DATABASE_URL: `file:${path.join(scratch, "elsewhere.db")}` })],
    ["the store of two processes", () => ({ PATCHBAY_PROCESSES: "2" })],
  ])("rejects a data folder in /proc for %s", async (_name, env) => {
    const refused = await start({ PATCHBAY_DATA_DIR: "/proc/x", ...env() });
    expectRefusal(refused, /PATCHBAY_DATA_DIR: /, "/proc/x", "directory that this user may write to");
  });

  test("rejects a secret that cannot be read", async () => {
    const folder = mkdtempSync(path.join(scratch, "no-secret-"));
    mkdirSync(path.join(folder, "secret"));
    const refused = await start({ PATCHBAY_DATA_DIR: folder });
    expectRefusal(refused, /PATCHBAY_DATA_DIR: /, /secret cannot be read \(EISDIR\); it must be a file/);
  });

  test("rejects a data folder that is not writable", async () => {
    const isRoot = process.getuid?.() === 0;
    // Root can write everywhere except in /proc and /sys.
    const folder = isRoot ? "/sys/patchbay-data" : mkdtempSync(path.join(scratch, "read-only-"));
    if (!isRoot) chmodSync(folder, 0o500);
    expectRefusal(await start({ PATCHBAY_DATA_DIR: folder }), /PATCHBAY_DATA_DIR: /, folder);
    const url = `file:${path.join(folder, "other.db")}`;
    expectRefusal(
      await start({ PATCHBAY_DATA_DIR: path.join(scratch, "unused"), DATABASE_URL: url }),
      /DATABASE_URL: /,
      folder,
    );
  });
});

describe("a store", () => {
  let dataDirectory: string;
  let file: string;
  beforeAll(async () => {
    dataDirectory = mkdtempSync(path.join(scratch, "store-"));
    file = path.join(dataDirectory, "patchbay.db");
    const product = await startProduct({ dataDirectory, nodeAdapterOnly: true });
    await setUp(product.url);
    expect(await product.close()).toBe(0);
  });

  /** Starts the server on the store after `change`, then restores it. `hasSecret`: a secret exists after the start. */
  async function startOn(change: () => void, env: Record<string, string> = {}) {
    const kept = new Map(
      ["patchbay.db", "secret"].map((name) => [name, readFileSync(path.join(dataDirectory, name))]),
    );
    try {
      change();
      const refused = await start({ PATCHBAY_DATA_DIR: dataDirectory, ...env });
      return { ...refused, hasSecret: existsSync(path.join(dataDirectory, "secret")) };
    } finally {
      for (const [name, bytes] of kept) writeFileSync(path.join(dataDirectory, name), bytes);
      for (const name of ["patchbay.db-wal", "patchbay.db-shm"])
        rmSync(path.join(dataDirectory, name), { force: true });
    }
  }

  test("that was encrypted with another secret is rejected with its key ID", async () => {
    const refused = await startOn(() => undefined, { PATCHBAY_SECRET: "Zk3-vY8qL1nR6tW0xB5cF9hJ2mP7sU4d" });
    expectRefusal(refused, /PATCHBAY_SECRET: .*key id [\w-]+/);
  });

  test("whose secret file is missing is rejected instead of getting a new secret", async () => {
    const secret = path.join(dataDirectory, "secret");
    const refused = await startOn(() => rmSync(secret));
    expectRefusal(refused, `${secret}: missing`, /key id [\w-]+/);
    expect(refused.hasSecret).toBe(false);
  });

  test("whose secret file holds another secret is rejected with the file's path", async () => {
    const secret = path.join(dataDirectory, "secret");
    const refused = await startOn(() => writeFileSync(secret, "Zk3-vY8qL1nR6tW0xB5cF9hJ2mP7sU4d"));
    expectRefusal(refused, `${secret}: the store was encrypted with another secret`, /key id [\w-]+/);
  });

  test("that is empty next to its secret is rejected, with both files and the remedy", async () => {
    const refused = await startOn(() => writeFileSync(file, ""));
    expectRefusal(
      refused,
      `${file} is empty`,
      path.join(dataDirectory, "secret"),
      /restore .* or start a new instance/,
    );
  });

  test("that is not a database is rejected", async () => {
    const refused = await startOn(() =>
      writeFileSync(file, "this is not a database, whatever its name says ".repeat(50)),
    );
    expectRefusal(refused, /damaged|not a database/i);
  });

  test("that is truncated is rejected with the remedy", async () => {
    const refused = await startOn(() => writeFileSync(file, readFileSync(file).subarray(0, 20_000)));
    expectRefusal(refused, /damaged/i, /restore/i);
  });

  test("of a newer version is rejected", async () => {
    const refused = await startOn(() => {
      const database = new Database(file);
      database.exec("pragma user_version = 9999");
      database.close();
    });
    expectRefusal(refused, /newer/i);
  });

  test("whose files were restored can be opened again", async () => {
    const product = await startProduct({ dataDirectory, nodeAdapterOnly: true });
    expect(await product.close()).toBe(0);
  });
});
