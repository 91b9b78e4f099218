import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { exchangeFile } from "../../../lib/store/sqlite/exchange-file";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "patchbay-exchange-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true, force: true });
});

test("keeps the old database as a copy where the file system has no hard links", () => {
  const [draft, file] = [path.join(folder, "draft.db"), path.join(folder, "patchbay.db")];
  writeFileSync(file, "the old one");
  writeFileSync(draft, "the new one");
  vi.spyOn(fs, "linkSync").mockImplementation(() => {
    throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
  });
  syncBuiltinESMExports();
  const kept = exchangeFile(draft, file);
  expect(kept).toBe(`${file}.before-restore`);
  expect(readFileSync(kept ?? "", "utf8")).toBe("the old one");
  expect(readFileSync(file, "utf8")).toBe("the new one");
});
