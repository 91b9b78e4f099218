import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createBackups, createSpool, removeLeftFiles } from "@/lib/server/process/temporary-files";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), "patchbay-files-"));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

// With PostgreSQL and PATCHBAY_SECRET, nothing else creates the data directory.
test("creates a missing data directory that only its owner may read", async () => {
  const data = path.join(parent, "deep", "data");
  const recording = async function* () {
    yield Buffer.from("sound");
  };
  expect(await textOf(await createSpool(data)(recording()))).toBe("sound");
  rmSync(data, { recursive: true });
  const takeBackup = createBackups({ backup: (file) => writeFile(file, "rows") }, data);
  expect(await textOf(await takeBackup())).toBe("rows");
  expect([statSync(data).mode & 0o777, readdirSync(data)]).toEqual([0o700, []]);
});

test("reports a full disk and a directory that cannot be written as 503", async () => {
  const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  await expect(createBackups({ backup: () => Promise.reject(full) }, parent)()).rejects.toMatchObject({
    code: "overloaded",
    message: "The server's disk is full.",
  });
  // No user may create a directory there, not even root.
  await expect(createSpool("/sys")((async function* () {})())).rejects.toMatchObject({
    code: "storage_unavailable",
    message: "The server cannot write to its data directory.",
  });
});

test("removes what a killed process has left, and nothing else", async () => {
  const now = Date.now();
  const make = (name: string, files: readonly string[], ageMs: number): void => {
    const folder = path.join(parent, name);
    mkdirSync(folder);
    for (const file of files) writeFileSync(path.join(folder, file), "rows");
    const at = new Date(now - ageMs);
    for (const one of [...files.map((file) => path.join(folder, file)), folder]) utimesSync(one, at, at);
  };
  const old = 2 * 3_600_000;
  make("backup-a1B2c3", ["content", "content-journal"], old);
  make("spool-D4e5F6", ["content"], old);
  make("spool-empty0", [], old);
  make("backup-active", ["content"], 60_000);
  make("backup-202611", ["patchbay.db"], old);
  make("backup-of-the-operator", ["content"], old);
  make("voices", ["content"], old);
  await removeLeftFiles(parent, now);
  expect(readdirSync(parent).toSorted()).toEqual([
    "backup-202611",
    "backup-active",
    "backup-of-the-operator",
    "voices",
  ]);
  expect(readdirSync(path.join(parent, "backup-202611"))).toEqual(["patchbay.db"]);
  await removeLeftFiles(path.join(parent, "missing"), now);
});
