import { Kysely } from "kysely";
import Database from "libsql";
import { expect, test } from "vitest";
import { copiedTables, NOT_COPIED, tableNames } from "@/lib/store/copy-tables";
import { MIGRATIONS } from "@/lib/store/migrations";
import type { Tables } from "@/lib/store/schema";
import { Connection } from "@/lib/store/sqlite/connection";
import { readDialect } from "@/lib/store/sqlite/dialect";

/** What a copy finds in a store with the schema of the migrations and of `statements`. */
async function planOf(...statements: string[]) {
  const connection = new Connection(new Database(":memory:"));
  try {
    for (const migration of MIGRATIONS) for (const one of migration("sqlite")) connection.exec(one);
    for (const one of statements) connection.exec(one);
    const db = new Kysely<Tables>({ dialect: readDialect(connection) });
    return { tables: await copiedTables(db), names: await tableNames(db) };
  } finally {
    connection.close();
  }
}

test("every table of the schema is copied, or is listed with the reason", async () => {
  const { tables, names } = await planOf();
  const excluded = Object.keys(NOT_COPIED);
  expect([...tables.map(({ name }) => name), ...excluded].sort()).toEqual(names);
  expect(names).toContain("usage");
  for (const reason of Object.values(NOT_COPIED)) expect(reason.length).toBeGreaterThan(20);
});

test("a new table is copied with its columns and key, after the tables that it refers to", async () => {
  const { tables } = await planOf(
    `create table a_new_one (
      at bigint not null, user_id text not null references users (id), note text, primary key (user_id, at))`,
  );
  const order = tables.map(({ name }) => name);
  expect(order.indexOf("a_new_one")).toBeGreaterThan(order.indexOf("users"));
  expect(order.indexOf("keys")).toBeGreaterThan(order.indexOf("sessions"));
  expect(order.indexOf("sessions")).toBeGreaterThan(order.indexOf("users"));
  expect(tables.find(({ name }) => name === "a_new_one")).toEqual({
    name: "a_new_one",
    columns: [
      { name: "at", type: "bigint" },
      { name: "user_id", type: "text" },
      { name: "note", type: "text" },
    ],
    key: ["user_id", "at"],
  });
});

test.each([
  ["without a primary key", "create table loose (note text)", "loose has no primary key"],
  ["with another type", "create table odd (id blob primary key)", "odd.id has the type"],
])("a table %s is rejected with its name", async (_, statement, message) => {
  await expect(planOf(statement)).rejects.toThrow(message);
});
