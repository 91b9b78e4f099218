import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Connection } from "../../../lib/store/sqlite/connection";
import { openForReading, prepareFile } from "../../../lib/store/sqlite/open-file";

let folder: string;
let file: string;
let writer: Connection;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "patchbay-open-file-"));
  file = path.join(folder, "patchbay.db");
  writer = prepareFile(file);
});

afterAll(() => {
  writer.close();
  rmSync(folder, { recursive: true, force: true });
});

const setting = (connection: Connection, name: string) => connection.cells(`pragma ${name}`, [])[0]?.[0];

it.each([
  ["journal_mode", "wal", "readers do not wait for the writer"],
  ["synchronous", 2, "a commit is on the disk before it is acknowledged (FULL)"],
  ["foreign_keys", 1, "rows refer to rows that exist"],
  ["recursive_triggers", 1, "a replaced row runs the triggers of a deleted one"],
  ["secure_delete", 2, "deleted secrets are zeroed in pages that are written (FAST)"],
  ["trusted_schema", 0, "a schema calls safe functions only"],
  ["wal_autocheckpoint", 4_000, "the log is copied to the file at 16 MB"],
])("a store opened for writing has %s = %s: %s", (name, expected) => {
  expect(setting(writer, name)).toBe(expected);
});

it("a store opened for reading refuses to write", () => {
  const reader = openForReading(file);
  expect(() => reader.exec("create table other (id integer)")).toThrow(/readonly|query_only|read-only/i);
  reader.close();
});
