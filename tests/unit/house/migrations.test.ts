import { expect, test } from "vitest";
import { MIGRATIONS } from "../../../lib/store/migrations";

/**
 * Instances of the previous release run beside those of this one during an upgrade, on the new schema: a migration may
 * only add what the previous release does not have to know. What it still uses is removed a release later.
 */

const BREAKING: readonly [what: string, pattern: RegExp][] = [
  ["drops a table", /\bdrop\s+table\b/i],
  ["drops a column", /\balter\s+table\b[\s\S]*\bdrop\s+(?:column\b|(?!constraint|not|default)\w)/i],
  ["renames a table or a column", /\balter\s+table\b[\s\S]*\brename\b/i],
  ["changes a column's type", /\balter\s+(?:column\s+)?\w+\s+(?:set\s+data\s+)?type\b/i],
  ["forbids null in a column that exists", /\bset\s+not\s+null\b/i],
];

/** True for a new column that the previous release leaves null, and must not. */
const addsRequiredColumn = (statement: string): boolean =>
  /\balter\s+table\b[\s\S]*\badd\b/i.test(statement) &&
  /\bnot\s+null\b/i.test(statement) &&
  !/\bdefault\b/i.test(statement);

/** What a statement breaks for instances of the previous release. */
function breaks(statement: string): string[] {
  const found = BREAKING.filter(([, pattern]) => pattern.test(statement)).map(([what]) => what);
  return addsRequiredColumn(statement) ? [...found, "adds a required column without a default"] : found;
}

/** True for a table that becomes a partition, in the same migration, of a new one with its name and columns. */
function isReplaced(statement: string, migration: readonly string[]): boolean {
  const [, name = "", renamed = ""] = /^alter table (\w+) rename to (\w+)$/.exec(statement) ?? [];
  const has = (start: string) => name !== "" && migration.some((one) => one.startsWith(start));
  return (
    has(`create table ${name} (like ${renamed},`) && has(`alter table ${name} attach partition ${renamed} `)
  );
}

test.each([
  ["drop table usage", "drops a table"],
  ["alter table usage drop column trace", "drops a column"],
  ["alter table usage drop trace", "drops a column"],
  ["alter table usage rename column trace to attempts", "renames a table or a column"],
  ["ALTER TABLE usage RENAME TO ledger", "renames a table or a column"],
  ["alter table usage alter column at type text", "changes a column's type"],
  ["alter table usage alter at set data type text", "changes a column's type"],
  ["alter table usage alter column trace set not null", "forbids null in a column that exists"],
  ["alter table usage add column owner text not null", "adds a required column without a default"],
])("refuses %j: it %s", (statement, what) => {
  expect(breaks(statement)).toEqual([what]);
});

test.each([
  "create table prompts (usage_id text not null)",
  "alter table usage add column trace text",
  "alter table keys add column limits_set_by text not null default '{}'",
  "drop index usage_by_age",
])("accepts %j", (statement) => {
  expect(breaks(statement)).toEqual([]);
});

test("accepts a renamed table only as a partition of the one that takes its name", () => {
  const rename = "alter table usage rename to earlier";
  const create = "create table usage (like earlier, primary key (id)) partition by range (id)";
  const attach = "alter table usage attach partition earlier for values from (minvalue) to ('usg')";
  expect(isReplaced(rename, [rename, create, attach])).toBe(true);
  expect([isReplaced(rename, [rename, create]), isReplaced(rename, [rename, attach])]).toEqual([
    false,
    false,
  ]);
});

test.each(["sqlite", "postgres"] as const)("no migration breaks the previous release on %s", (kind) => {
  const broken = MIGRATIONS.flatMap((migration, index) => {
    const statements = migration(kind);
    return statements
      .filter((statement) => !isReplaced(statement, statements))
      .flatMap((statement) => breaks(statement).map((what) => `version ${index + 1} ${what}: ${statement}`));
  });
  expect(broken).toEqual([]);
});
