import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../support/sources";

let dataDirectory: string;
beforeAll(() => {
  dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-admin-"));
});
afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

/** Starts the command as `npm run admin` does. */
function start(args: string[]) {
  return spawn(process.execPath, [path.join(ROOT, "lib/server/start.mjs"), "--admin", ...args], {
    cwd: tmpdir(),
    env: { NODE_ENV: "production", PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDirectory },
  });
}

/** Runs the command with `input` on its standard input. */
function run(args: string[], input = ""): Promise<{ code: number | null; out: string; notes: string }> {
  const child = start(args);
  let out = "";
  let notes = "";
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    notes += String(chunk);
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, notes }));
  });
}

test("the admin command reads the password from standard input and exits with the code of its result", async () => {
  const first = await run(["setup", "--username", "olivia"], "seven green kettles hum\nnot this line\n");
  expect(first, first.notes).toMatchObject({ code: 0, out: "" });
  expect((await run(["setup", "--username", "olivia"], "seven green kettles hum\n")).code).toBe(1);
  const key = await run(["create-key", "--user", "olivia", "--name", "robot"]);
  expect(key).toMatchObject({ code: 0, out: expect.stringMatching(/^sk-pb-[0-9A-Za-z]{38}\n$/) });
  const unknown = await run(["sing"]);
  expect(unknown).toMatchObject({ code: 2, out: "", notes: expect.stringContaining("rotate-secret") });
});

test("a command exits with 0 and prints no error when its output pipe is closed", async () => {
  await run(["setup", "--username", "olivia"], "seven green kettles hum\n");
  const child = start(["voices", "list"]);
  // Closes the pipe before the command writes its first line.
  child.stdout.destroy();
  let notes = "";
  child.stderr.on("data", (chunk) => {
    notes += String(chunk);
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect([code, notes]).toEqual([0, ""]);
});
