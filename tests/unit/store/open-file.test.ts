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
  { name: "journal_mode", value: "wal", why: "readers do not wait for the writer" },
  { name: "synchronous", value: 2, why: "a commit is on the disk before it is acknowledged (FULL)" },
  { name: "foreign_keys", value: 1, why: "rows refer to rows that exist" },
  { name: "recursive_triggers", value: 1, why: "a replaced row runs the triggers of a deleted one" },
  { name: "secure_delete", value: 2, why: "deleted secrets are zeroed in pages that are written (FAST)" },
  { name: "trusted_schema", value: 0, why: "a schema calls safe functions only" },
  { name: "wal_autocheckpoint", value: 4_000, why: "the log is copied to the file at 16 MB" },
])("a store opened for writing has $name = $value: $why", ({ name, value }) => {
  expect(setting(writer, name)).toBe(value);
});

it("a store opened for reading refuses to write", () => {
  const reader = openForReading(file);
  expect(() => reader.exec("create table other (id integer)")).toThrow(/readonly|query_only|read-only/i);
  reader.close();
});
