import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AuditRecord, Store } from "../../../lib/ports/store";
import { auditEntry, NOW } from "../../support/factories";
import { concurrently, type NewTestDatabase, startAudit, type TestDatabase } from "./test-database";

const ALL = { limit: 100, cursor: null, q: null };

const TRIGGERS: Readonly<Record<TestDatabase["kind"], readonly string[]>> = {
  sqlite: ["audit_no_update", "audit_no_delete", "audit_only_keyed"],
  postgres: ["audit_append_only", "audit_only_keyed"],
};

/**
 * Removes the triggers that protect the rows, as an attacker with write access to the database can; returns the
 * statements that restore them.
 */
async function dropTriggers(database: TestDatabase): Promise<() => Promise<void>> {
  const sqlite = "select sql from sqlite_master where type = 'trigger' and tbl_name = 'audit'";
  const postgres =
    "select pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'audit'::regclass and not tgisinternal";
  const definitions = await database.raw(database.kind === "sqlite" ? sqlite : postgres);
  const on = database.kind === "postgres" ? " on audit" : "";
  for (const name of TRIGGERS[database.kind]) await database.raw(`drop trigger ${name}${on}`);
  return async () => {
    for (const [sql] of definitions) await database.raw(String(sql));
  };
}

const FIRST_HASH = "0".repeat(64);

/** SHA-256 over a row, as versions without an audit key made it, and as an attacker can make it. */
function unkeyedHash(row: Omit<AuditRecord, "hash">): string {
  const { seq, at, actor, action, target, detail, previousHash } = row;
  const fields = { action, actor, at, detail: JSON.stringify(detail), seq, target };
  return createHash("sha256")
    .update(`${previousHash}\n${JSON.stringify(fields)}`)
    .digest("hex");
}

/** Writes rows with unkeyed hashes, as a version without an audit key or an attacker writes them. */
async function insertUnkeyed(database: TestDatabase, count: number, actor = "usr_old"): Promise<void> {
  let previousHash = FIRST_HASH;
  for (let seq = 1; seq <= count; seq++) {
    const row = { seq, at: NOW, actor, action: "key.create", target: "", detail: { a: seq }, previousHash };
    const hash = unkeyedHash(row);
    const detail = JSON.stringify(row.detail);
    await database.raw(
      `insert into audit (seq, at, actor, action, target, detail, previous_hash, hash)
       values (${seq}, ${NOW}, '${actor}', 'key.create', '', '${detail}', '${previousHash}', '${hash}')`,
    );
    previousHash = hash;
  }
}

/** Makes a store as a version without an audit key leaves it, with this many audit rows. */
async function unkeyedStore(database: TestDatabase, count: number): Promise<void> {
  await (await database.open()).close();
  const restoreTriggers = await dropTriggers(database);
  await database.raw("delete from audit_head");
  await insertUnkeyed(database, count);
  await restoreTriggers();
}

async function fill(store: Store, count: number): Promise<void> {
  await store.transaction(async (tx) => {
    for (let index = 0; index < count; index++) await tx.audit.append(auditEntry({ detail: { a: 1 } }));
  });
}

const intact = (rows: number) => ({ rows, brokenAt: null, expectedRows: rows });

export function auditContract(newDatabase: NewTestDatabase): void {
  describe("the audit log", () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await newDatabase();
    });
    afterEach(() => database.remove());

    test("chains entries written at once and returns them unchanged, newest first", async () => {
      const store = await database.open();
      expect((await store.audit.verify()).brokenAt).toBeNull();
      const entries = Array.from({ length: 30 }, (_, index) =>
        auditEntry({ at: NOW - index, detail: { b: index, a: { z: 1, y: [null, "ü"] } } }),
      );
      await Promise.all(entries.map((entry) => store.audit.append(entry)));
      expect((await store.audit.verify()).brokenAt).toBeNull();
      const { items } = await store.audit.list(ALL);
      expect(items.map((row) => row.seq)).toEqual(Array.from({ length: 30 }, (_, index) => 30 - index));
      const targets = entries.map((entry) => entry.target).sort();
      expect(items.map((row) => row.target).sort()).toEqual(targets);
      for (const [index, row] of items.entries()) {
        expect(row.previousHash).toBe(items[index + 1]?.hash ?? "0".repeat(64));
      }
      const one = items.find((row) => row.target === entries[7]?.target);
      expect(one).toMatchObject({ ...entries[7] });
    });

    test("chains the entries of two instances", async () => {
      const stores = [await database.open(), await database.open()];
      await Promise.all(concurrently(30, async (index) => stores[index % 2]?.audit.append(auditEntry())));
      expect(await database.raw("select count(*), max(seq) from audit")).toEqual([[30, 30]]);
      expect((await stores[0]?.audit.verify())?.brokenAt).toBeNull();
    });

    test("refuses to change or delete a row", async () => {
      const store = await database.open();
      await store.audit.append(auditEntry());
      const before = await store.audit.list(ALL);
      await expect(database.raw("update audit set actor = 'mallory'")).rejects.toThrow(/append-only/);
      await expect(database.raw("delete from audit")).rejects.toThrow(/append-only/);
      expect(await store.audit.list(ALL)).toEqual(before);
    });

    test.each([
      ["a changed detail", "update audit set detail = '{\"a\":2}' where seq = 600", 600],
      ["a changed actor", "update audit set actor = 'mallory' where seq = 1", 1],
      ["a changed hash", "update audit set hash = previous_hash where seq = 700", 700],
      ["a removed row", "delete from audit where seq = 501", 502],
      ["a removed beginning", "delete from audit where seq < 3", 3],
    ])("detects %s at the first row that does not verify", async (_, tamper, seq) => {
      const store = await database.open();
      await fill(store, 700);
      await dropTriggers(database);
      await database.raw(tamper);
      expect((await store.audit.verify()).brokenAt).toBe(seq);
    });

    test("detects a changed row when all later hashes were recomputed", async () => {
      const store = await database.open();
      await fill(store, 6);
      const restoreTriggers = await dropTriggers(database);
      const { items } = await store.audit.list(ALL);
      let previousHash = FIRST_HASH;
      for (const record of items.reverse()) {
        const row = { ...record, actor: record.seq === 2 ? "mallory" : record.actor, previousHash };
        previousHash = unkeyedHash(row);
        await database.raw(
          `update audit set actor = '${row.actor}', previous_hash = '${row.previousHash}', hash = '${previousHash}'
           where seq = ${row.seq}`,
        );
      }
      await database.raw(`update audit_head set hash = '${previousHash}'`);
      await restoreTriggers();
      const found = await (await database.open()).audit.verify();
      expect(found).toMatchObject({ expectedRows: null });
      await store.audit.append(auditEntry());
      expect((await store.audit.verify()).brokenAt).toBe(7);
    });

    test("detects a log that was replaced by one without a key", async () => {
      const store = await database.open();
      await fill(store, 6);
      const restoreTriggers = await dropTriggers(database);
      await database.raw("delete from audit");
      await insertUnkeyed(database, 6, "mallory");
      await restoreTriggers();
      expect((await store.audit.verify()).brokenAt).toBe(6);
    });

    test("detects an unkeyed row after keyed ones", async () => {
      const store = await database.open();
      await fill(store, 2);
      const [last] = (await store.audit.list(ALL)).items;
      if (last === undefined) throw new Error("no row");
      await dropTriggers(database);
      const row = { ...last, seq: 3, previousHash: last.hash };
      await database.raw(
        `insert into audit (seq, at, actor, action, target, detail, previous_hash, hash)
         values (3, ${row.at}, '${row.actor}', '${row.action}', '${row.target}', '${JSON.stringify(row.detail)}',
           '${row.previousHash}', '${unkeyedHash(row)}')`,
      );
      expect(await store.audit.verify()).toMatchObject({ rows: 2, brokenAt: 3 });
      await database.raw("delete from audit_head");
      expect(await store.audit.verify()).toMatchObject({ rows: 2, brokenAt: 3, expectedRows: null });
    });

    test("reports rows cut off the end, also when the triggers are restored, and after later rows", async () => {
      const store = await database.open();
      await fill(store, 10);
      const restoreTriggers = await dropTriggers(database);
      await database.raw("delete from audit where seq > 7");
      await restoreTriggers();
      for (const one of [store, await database.open()]) {
        expect(await one.audit.verify()).toMatchObject({ rows: 7, brokenAt: null, expectedRows: 10 });
      }
      await fill(store, 2);
      expect(await store.audit.verify()).toMatchObject({ rows: 7, brokenAt: 11, expectedRows: 12 });
    });

    test.each([
      ["removed", "delete from audit_head"],
      ["forged", "update audit_head set seq = 7, hash = (select hash from audit where seq = 7)"],
    ])(
      "reports an unproven end for a head that was %s, and marks the position permanently in the next row",
      async (_, tamper) => {
        const store = await database.open();
        await fill(store, 10);
        await dropTriggers(database);
        await database.raw("delete from audit where seq > 7");
        await database.raw(tamper);
        expect(await store.audit.verify()).toMatchObject({ rows: 7, brokenAt: null, expectedRows: null });
        await fill(store, 2);
        expect(await store.audit.verify()).toMatchObject({ rows: 7, brokenAt: 8, expectedRows: 9 });
      },
    );

    test("detects rows added past the end after they are removed again", async () => {
      const store = await database.open();
      await fill(store, 3);
      await dropTriggers(database);
      await database.raw(
        `insert into audit select seq + 3, at, actor, action, target, detail, previous_hash, hash from audit`,
      );
      expect(await store.audit.verify()).toMatchObject({ rows: 3, brokenAt: 4 });
      await fill(store, 1);
      await database.raw("delete from audit where seq between 4 and 6");
      expect(await store.audit.verify()).toMatchObject({ rows: 3, brokenAt: 7 });
    });

    test("does not restart a log that was emptied with its head", async () => {
      const store = await database.open();
      await fill(store, 3);
      await dropTriggers(database);
      await database.raw("delete from audit");
      await database.raw("delete from audit_head");
      await fill(store, 2);
      expect(await store.audit.verify()).toMatchObject({ rows: 0, brokenAt: 1 });
    });

    test("detects a row of another branch of the log by the previous hash", async () => {
      const store = await database.open();
      await fill(store, 2);
      const [head] = await database.raw("select seq, hash, mac from audit_head");
      await fill(store, 2);
      const restoreTriggers = await dropTriggers(database);
      await database.raw("create table branch as select * from audit");
      // As after a restore: the log continues from row 2 a second time.
      await database.raw("delete from audit where seq > 2");
      await database.raw(
        `update audit_head set seq = ${head?.[0]}, hash = '${head?.[1]}', mac = '${head?.[2]}'`,
      );
      await fill(store, 3);
      expect(await store.audit.verify()).toMatchObject(intact(5));
      // Row 4 of the first branch has a valid hash and the right number.
      await database.raw("delete from audit where seq = 4");
      await database.raw("insert into audit select * from branch where seq = 4");
      await restoreTriggers();
      expect(await (await database.open()).audit.verify()).toMatchObject({ rows: 3, brokenAt: 4 });
    });

    test("detects an earlier head with its rows in a process that has verified later ones", async () => {
      const store = await database.open();
      await fill(store, 2);
      const [head] = await database.raw("select seq, hash, mac from audit_head");
      await fill(store, 3);
      expect(await store.audit.verify()).toMatchObject(intact(5));
      const { newestHash } = await store.audit.verify();
      await dropTriggers(database);
      await database.raw("delete from audit where seq > 2");
      await database.raw(
        `update audit_head set seq = ${head?.[0]}, hash = '${head?.[1]}', mac = '${head?.[2]}'`,
      );
      expect(await store.audit.verify()).toMatchObject({ rows: 2, brokenAt: null, expectedRows: 5 });
      await fill(store, 4);
      expect(await store.audit.verify()).toMatchObject({ rows: 4, brokenAt: 5 });
      // A process without that state needs a hash that was stored elsewhere.
      const other = await database.open();
      expect(await other.audit.verify(newestHash ?? "")).toMatchObject({ ...intact(6), hasExpected: false });
      const kept = (await other.audit.list(ALL)).items[2]?.hash;
      expect(await other.audit.verify(kept)).toMatchObject({ hasExpected: true });
    });

    test("accepts rows that were written before there was an audit key, and detects a later change of them", async () => {
      await unkeyedStore(database, 4);
      const store = await database.open();
      expect(await store.audit.verify()).toMatchObject(intact(5));
      const [first] = (await store.audit.list(ALL)).items;
      expect(first).toMatchObject({
        seq: 5,
        actor: "system",
        action: "audit.key",
        detail: { rows: 4, broken_at: null },
      });
      await fill(store, 2);
      expect(await (await database.open()).audit.verify()).toMatchObject(intact(7));
      await dropTriggers(database);
      await database.raw("delete from audit where seq < 5");
      await insertUnkeyed(database, 4, "mallory");
      expect(await (await database.open()).audit.verify()).toMatchObject({ rows: 4, brokenAt: 5 });
    });

    test("records a chain that was broken before the key as broken permanently", async () => {
      await unkeyedStore(database, 4);
      const restoreTriggers = await dropTriggers(database);
      await database.raw("update audit set actor = 'mallory' where seq = 3");
      await restoreTriggers();
      const store = await database.open();
      const [first] = (await store.audit.list(ALL)).items;
      expect(first).toMatchObject({ action: "audit.key", detail: { rows: 2, broken_at: 3 } });
      expect(await store.audit.verify()).toMatchObject({ rows: 2, brokenAt: 3 });
    });

    test("refuses rows that a version without a key writes", async () => {
      const store = await database.open();
      await expect(insertUnkeyed(database, 1)).rejects.toThrow(/upgraded/);
      expect(await store.audit.verify()).toMatchObject(intact(0));
    });

    test("verifies no row with another key", async () => {
      const store = await database.open();
      await fill(store, 2);
      store.setAuditKey((purpose, value) =>
        createHash("sha256")
          .update(purpose + value)
          .digest("hex"),
      );
      expect(await store.audit.verify()).toMatchObject({ rows: 0, brokenAt: 1, expectedRows: null });
      await startAudit(store);
      expect(await store.audit.verify()).toMatchObject(intact(2));
    });

    test("pages and searches the log without losing rows", async () => {
      const store = await database.open();
      for (let index = 0; index < 25; index++) {
        await store.audit.append(
          auditEntry({ at: NOW - index, action: index % 5 === 0 ? "login.fail" : "login.ok" }),
        );
      }
      const seen: AuditRecord[] = [];
      let cursor: string | null = null;
      do {
        const page = await store.audit.list({ ...ALL, limit: 7, cursor });
        seen.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen.map((row) => row.seq)).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index));
      expect((await store.audit.list({ ...ALL, q: "login.fail" })).items).toHaveLength(5);
      expect((await store.audit.list({ ...ALL, q: "login_ok" })).items).toEqual([]);
    });

    test("refuses a cursor of another list", async () => {
      const store = await database.open();
      await store.audit.append(auditEntry({ at: NOW }));
      const cursor = Buffer.from(JSON.stringify([NOW, "key_1"])).toString("base64url");
      await expect(store.audit.list({ ...ALL, cursor })).rejects.toMatchObject({ code: "invalid" });
    });

    test("filters by actor, target, actions or groups of them, and time", async () => {
      const store = await database.open();
      const add = (at: number, actor: string, action: string, target: string) =>
        store.audit.append(auditEntry({ at, actor, action, target }));
      await add(NOW, "usr_a", "key.create", "key_1");
      await add(NOW + 1, "usr_a", "key.update", "key_1");
      await add(NOW + 2, "usr_b", "keys", "key_2");
      await add(NOW + 3, "usr_b", "login.ok", "usr_b");
      const seqs = async (filter: object) =>
        (await store.audit.list({ ...ALL, ...filter })).items.map((row) => row.seq);
      expect(await seqs({ actor: "usr_a" })).toEqual([2, 1]);
      expect(await seqs({ target: "key_1" })).toEqual([2, 1]);
      expect(await seqs({ actions: ["key"] })).toEqual([2, 1]);
      expect(await seqs({ actions: ["key.update", "login"] })).toEqual([4, 2]);
      expect(await seqs({ from: NOW + 1, to: NOW + 3 })).toEqual([3, 2]);
      expect(await seqs({ actor: "usr_b", actions: ["key"] })).toEqual([]);
      const first = await store.audit.list({ ...ALL, limit: 1, actor: "usr_a" });
      expect(await seqs({ actor: "usr_a", cursor: first.nextCursor })).toEqual([1]);
    });

    test("reports the number of rows and the newest hash of an intact chain", async () => {
      const store = await database.open();
      expect(await store.audit.verify()).toEqual({ ...intact(0), newestHash: null, hasExpected: false });
      for (let index = 0; index < 3; index++) await store.audit.append(auditEntry());
      const { items } = await store.audit.list(ALL);
      expect(await store.audit.verify()).toMatchObject({ ...intact(3), newestHash: items[0]?.hash });
      await dropTriggers(database);
      await database.raw("update audit set actor = 'mallory' where seq = 2");
      const newestHash = items[2]?.hash;
      expect(await store.audit.verify()).toMatchObject({ rows: 1, newestHash, brokenAt: 2, expectedRows: 3 });
    });

    test("has no entry of a change that was rolled back", async () => {
      const store = await database.open();
      await store.audit.append(auditEntry());
      const change = store.transaction(async (tx) => {
        await tx.audit.append(auditEntry());
        await tx.settings.put("a", 1);
        throw new Error("the change failed");
      });
      await expect(change).rejects.toThrow("the change failed");
      expect((await store.audit.list(ALL)).items).toHaveLength(1);
      expect(await store.settings.all()).toEqual({});
      await store.audit.append(auditEntry());
      expect((await store.audit.verify()).brokenAt).toBeNull();
    });
  });
}
