import { expect, test } from "vitest";
import { hostAndDatabaseOf, withoutPassword } from "../../../lib/store/postgres/session";

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

test.each([
  ["postgres://user:secret@db.example:5432/patchbay", "postgres://user:<password>@db.example:5432/patchbay"],
  ["postgres://user:sec:r@t@db/patchbay?a=b@c", "postgres://user:<password>@db/patchbay?a=b@c"],
  ["postgres://user@db:5432/patchbay", "postgres://user@db:5432/patchbay"],
  [
    "postgres:///patchbay?user=u&password=secret&host=/run",
    "postgres:///patchbay?user=u&password=<password>&host=/run",
  ],
])("prints %s without its password", (url, printed) => {
  expect(withoutPassword(url)).toBe(printed);
});
