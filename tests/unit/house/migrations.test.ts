import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../../lib/store/migrations";

/**
 * During an upgrade, instances of the previous release run beside those of this release, on the new schema: a migration
 * may only add what the previous release does not have to know. What that release still uses is removed one release
 * later.
 */

const BREAKING: readonly [what: string, pattern: RegExp][] = [
  ["drops a table", /\bdrop\s+table\b/i],
  ["drops a column", /\balter\s+table\b[\s\S]*\bdrop\s+(?:column\b|(?!constraint|not|default)\w)/i],
  ["renames a table or a column", /\balter\s+table\b[\s\S]*\brename\b/i],
  ["changes a column's type", /\balter\s+(?:column\s+)?\w+\s+(?:set\s+data\s+)?type\b/i],
  ["forbids null in a column that exists", /\bset\s+not\s+null\b/i],
  ["drops a constraint", /\balter\s+table\b[\s\S]*\bdrop\s+constraint\b/i],
  ["drops what the previous release may use", /\bdrop\s+(?:trigger|function|view|sequence|type)\b/i],
  ["replaces a function", /\bcreate\s+or\s+replace\s+function\b/i],
  // Not `before update or delete or truncate on …`, which declares a trigger.
  ["deletes rows", /\bdelete\s+from\b|\btruncate\s+(?!on\b|or\b)\w/i],
  ["changes rows", /\bupdate\s+(?:only\s+)?\w+\s+(?:as\s+\w+\s+)?set\b|\bdo\s+update\s+set\b/i],
];

/** What a statement is checked against besides its own text. */
interface Surroundings {
  /** Tables that the same migration creates: only this release knows them. */
  created: ReadonlySet<string>;
  /** Unique indexes of all migrations, which `on conflict` of the previous release needs. */
  uniqueIndexes: ReadonlySet<string>;
  /** Functions of all migrations that raise an error. */
  raising: ReadonlySet<string>;
}

const NOTHING: Surroundings = { created: new Set(), uniqueIndexes: new Set(), raising: new Set() };

const ADDED_CONSTRAINT =
  /\balter\s+table\s+(?:only\s+)?(\w+)[\s\S]*\badd\s+(?:constraint\s+\w+\s+)?(?:check|unique|exclude|primary\s+key|foreign\s+key)\b/i;
const UNIQUE_INDEX =
  /\bcreate\s+unique\s+index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(\w+)\s+on\s+(?:only\s+)?(\w+)/i;
const TRIGGER = /\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\b[\s\S]*?\bon\s+(\w+)/i;
const DROPPED_INDEX = /\bdrop\s+index\s+(?:concurrently\s+)?(?:if\s+exists\s+)?(\w+)/i;

/** True for a trigger that raises an error at a write that the previous release may make. */
function raises(statement: string, { raising }: Surroundings): boolean {
  if (/\braise\s*\(/i.test(statement)) return true;
  const [, called = ""] = /\bexecute\s+(?:function|procedure)\s+(\w+)/i.exec(statement) ?? [];
  return raising.has(called);
}

/** What a statement forbids on a table that the previous release writes to, or drops although that release needs it. */
function restricts(statement: string, surroundings: Surroundings): string[] {
  const { created, uniqueIndexes } = surroundings;
  const isOnEarlierTable = (table: string | undefined) => table !== undefined && !created.has(table);
  const found: string[] = [];
  if (isOnEarlierTable(ADDED_CONSTRAINT.exec(statement)?.[1])) found.push("adds a constraint");
  if (isOnEarlierTable(UNIQUE_INDEX.exec(statement)?.[2])) found.push("adds a unique index");
  if (isOnEarlierTable(TRIGGER.exec(statement)?.[1]) && raises(statement, surroundings))
    found.push("adds a trigger that raises");
  if (uniqueIndexes.has(DROPPED_INDEX.exec(statement)?.[1] ?? "")) found.push("drops a unique index");
  return found;
}

/** Statements that were released before they were refused here, and why each is kept. */
const RELEASED: readonly { version: number; start: string; what: string; why: string }[] = [
  {
    version: 3,
    start: "with recursive rotations",
    what: "changes rows",
    why: "It fills `limits_set_by`, which the same version adds and the previous release does not read.",
  },
  {
    version: 4,
    start: "create trigger audit_only_keyed",
    what: "adds a trigger that raises",
    why: "A row without a key would break the audit chain: the previous release is refused on purpose.",
  },
  {
    version: 9,
    start: "alter table usage_earlier drop constraint if exists usage_earlier_ids",
    what: "drops a constraint",
    why: "The migration itself added it, to attach the table without reading it; the partition's bounds replace it.",
  },
];

/** True for a new column that must not be null and that the previous release does not fill. */
const addsRequiredColumn = (statement: string): boolean =>
  /\balter\s+table\b[\s\S]*\badd\b/i.test(statement) &&
  /\bnot\s+null\b/i.test(statement) &&
  !/\bdefault\b/i.test(statement);

/** What a statement breaks for instances of the previous release. */
function breaks(statement: string, surroundings = NOTHING): string[] {
  const found = BREAKING.filter(([, pattern]) => pattern.test(statement)).map(([what]) => what);
  if (addsRequiredColumn(statement)) found.push("adds a required column without a default");
  return [...found, ...restricts(statement, surroundings)];
}

/** The first groups of a pattern's matches in all statements. */
function named(statements: readonly string[], pattern: RegExp): ReadonlySet<string> {
  return new Set(statements.flatMap((statement) => pattern.exec(statement)?.[1] ?? []));
}

/** What each statement of one migration is checked against. `all`: the statements of every migration. */
function surroundingsOf(migration: readonly string[], all: readonly string[]): Surroundings {
  const raisers = all.filter((statement) => /\braise\s+exception\b/i.test(statement));
  return {
    created: named(migration, /\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)/i),
    uniqueIndexes: named(all, UNIQUE_INDEX),
    raising: named(raisers, /\bcreate\s+(?:or\s+replace\s+)?function\s+(\w+)/i),
  };
}

/** True for a renamed table that the same migration attaches as a partition to a new table of its name and columns. */
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
  ["alter table usage drop constraint usage_ids", "drops a constraint"],
  ["drop trigger audit_no_update", "drops what the previous release may use"],
  ["drop function refuse_audit_change()", "drops what the previous release may use"],
  ["create or replace function refuse_audit_change() returns trigger", "replaces a function"],
  ["delete from prompts where at < 5", "deletes rows"],
  ["with gone as (DELETE FROM usage returning *) select 1", "deletes rows"],
  ["truncate table rollups", "deletes rows"],
  ["truncate rollups", "deletes rows"],
  ["update keys set enabled = 0", "changes rows"],
  ["insert into settings values ('a', 'b') on conflict (name) do update set value = 'b'", "changes rows"],
  ["alter table usage add constraint positive check (cost_nano >= 0) not valid", "adds a constraint"],
  ["alter table keys add unique (name)", "adds a constraint"],
  ["alter table keys add foreign key (owner_id) references users (id)", "adds a constraint"],
  ["create unique index keys_by_name on keys (owner_id, name)", "adds a unique index"],
  [
    "create trigger no_keys before insert on keys begin select raise(abort, 'no'); end",
    "adds a trigger that raises",
  ],
])("refuses %j: it %s", (statement, what) => {
  expect(breaks(statement)).toEqual([what]);
});

test.each([
  "create table prompts (usage_id text not null)",
  "alter table usage add column trace text",
  "alter table keys add column limits_set_by text not null default '{}'",
  "drop index usage_by_age",
  "create index keys_by_name on keys (name)",
  "create trigger audit_append_only before update or delete or truncate on audit for each statement execute function f()",
  "create trigger counted after insert on keys begin insert into counts values (new.id); end",
])("accepts %j", (statement) => {
  expect(breaks(statement)).toEqual([]);
});

describe("a statement that depends on others", () => {
  const earlier = [
    "create unique index keys_by_name on keys (name)",
    "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$",
    "create function count_one() returns trigger language plpgsql as $$ begin return new; end $$",
  ];
  const findings = (statement: string, others: readonly string[] = []) => {
    const migration = [...others, statement];
    return breaks(statement, surroundingsOf(migration, [...earlier, ...migration]));
  };

  test.each([
    ["drop index if exists keys_by_name", "drops a unique index"],
    [
      "create trigger t before insert on keys for each row execute function refuse()",
      "adds a trigger that raises",
    ],
  ])("is refused: %j %s", (statement, what) => {
    expect(findings(statement)).toEqual([what]);
  });

  test("is accepted as a trigger whose function raises nothing", () => {
    expect(
      findings("create trigger t before insert on keys for each row execute function count_one()"),
    ).toEqual([]);
  });

  test.each([
    "alter table fresh add constraint positive check (n > 0)",
    "create unique index fresh_by_n on fresh (n)",
    "create trigger t before insert on fresh for each row execute function refuse()",
  ])("is accepted on a table of the same migration only: %j", (statement) => {
    expect(findings(statement, ["create table fresh (n bigint)"])).toEqual([]);
    expect(findings(statement)).toHaveLength(1);
  });
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

interface Finding {
  version: number;
  what: string;
  statement: string;
}

function findingsOn(kind: "sqlite" | "postgres"): Finding[] {
  const all = MIGRATIONS.flatMap((migration) => migration(kind));
  return MIGRATIONS.flatMap((migration, index) => {
    const statements = migration(kind);
    const surroundings = surroundingsOf(statements, all);
    return statements
      .filter((statement) => !isReplaced(statement, statements))
      .flatMap((statement) =>
        breaks(statement, surroundings).map((what) => ({ version: index + 1, what, statement })),
      );
  });
}

const isReleased = ({ version, what, statement }: Finding) =>
  RELEASED.some((one) => one.version === version && one.what === what && statement.startsWith(one.start));

test.each(["sqlite", "postgres"] as const)("no migration breaks the previous release on %s", (kind) => {
  expect(findingsOn(kind).filter((finding) => !isReleased(finding))).toEqual([]);
});

test("every exception names a statement that exists", () => {
  const findings = [...findingsOn("sqlite"), ...findingsOn("postgres")];
  const unused = RELEASED.filter(
    (one) =>
      !findings.some(
        ({ version, what, statement }) =>
          version === one.version && what === one.what && statement.startsWith(one.start),
      ),
  );
  expect(unused).toEqual([]);
});

/** First 12 digits of the SHA-256 of each migration's statements, spaces collapsed: on SQLite and on PostgreSQL. */
const DIGESTS: readonly (readonly [sqlite: string, postgres: string])[] = [
  ["d4963165ad15", "2f7a8a119b0a"],
  ["fe3b68cf158c", "fe3b68cf158c"],
  ["0cbc222f7469", "63d08c8e703c"],
  ["940b804b0f0c", "356f5f22a5c6"],
  ["cd36f321d82d", "cd36f321d82d"],
  ["8e0e03dfd55a", "c9354bcf1f19"],
  ["42821ef55b6a", "42821ef55b6a"],
  ["41b794cacd49", "41b794cacd49"],
  ["4f53cda18c2b", "6c5e3fb92c32"],
  ["4f53cda18c2b", "e79347c26a63"],
];

function digest(statements: readonly string[]): string {
  const text = JSON.stringify(statements.map((statement) => statement.replace(/\s+/g, " ")));
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/**
 * Stores in use have the schema of the statements as they were released, even if a constant in them has changed since.
 * A new migration adds a line. If an existing line changes, undo that change and append a new migration instead.
 */
test("no released migration changes", () => {
  expect(MIGRATIONS.map((migration) => [digest(migration("sqlite")), digest(migration("postgres"))])).toEqual(
    DIGESTS,
  );
});
