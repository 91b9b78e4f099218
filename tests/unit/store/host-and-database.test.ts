import { expect, test } from "vitest";
import { hostAndDatabaseOf } from "../../../lib/store/postgres/session";

test.each([
  ["postgres://user:secret@db.example:5432/patchbay", "db.example:5432/patchbay"],
  ["postgres:///patchbay", "the local socket/patchbay"],
  ["postgres:///patchbay?host=/run/postgresql", "/run/postgresql/patchbay"],
  ["postgres://user@/patchbay?host=/run/postgresql", "/run/postgresql/patchbay"],
  ["postgres://user:secret@/patchbay", "the local socket/patchbay"],
  ["postgres://user:secret@db%zz/patchbay", "db%zz/patchbay"],
  ["postgres://user:secret@%2Frun%2Fpostgresql/patchbay", "/run/postgresql/patchbay"],
])("names host and database of %s without its user", (url, name) => {
  expect(hostAndDatabaseOf(url)).toBe(name);
});
