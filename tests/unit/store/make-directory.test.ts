import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeDirectory } from "../../../lib/store/make-directory";

function scratch(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "patchbay-directory-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test("creates a directory and its parents for their owner only, once or twice", () => {
  const directory = path.join(scratch(), "a", "b");
  makeDirectory(directory);
  makeDirectory(directory);
  for (const one of [directory, path.dirname(directory)]) expect(statSync(one).mode & 0o777).toBe(0o700);
});

test("throws below a file", () => {
  const file = path.join(scratch(), "file");
  writeFileSync(file, "");
  expect(() => makeDirectory(path.join(file, "a", "b"))).toThrow(/ENOTDIR/);
});

test.runIf(process.platform === "linux")("throws in /proc, where Node's own creation never ends", () => {
  expect(() => makeDirectory("/proc/x/y")).toThrow(/ENOENT/);
});
