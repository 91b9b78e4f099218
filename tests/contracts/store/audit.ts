import { describe, expect, test } from "vitest";
import type { AuditRecord } from "../../../lib/ports/store";
import { type NewPlace, NOW, type Place, together } from "./place";
import { auditEntry } from "./records";

const ALL = { limit: 100, cursor: null, q: null };

/** Takes away what keeps the rows from being changed, as somebody with the file in hand could. */
async function unguard(place: Place): Promise<void> {
  if (place.kind === "postgres") await place.raw("drop trigger audit_append_only on audit");
  else for (const verb of ["update", "delete"]) await place.raw(`drop trigger audit_no_${verb}`);
}

export function auditContract(newPlace: NewPlace): void {
  describe("the audit log", () => {
    test("entries written at once make one whole chain, and come back as they went in, newest first", async () => {
      const place = await newPlace();
      const store = await place.open();
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
      await place.remove();
    });

    test("two instances write into one chain", async () => {
      const place = await newPlace();
      const stores = [await place.open(), await place.open()];
      await Promise.all(together(30, async (index) => stores[index % 2]?.audit.append(auditEntry())));
      expect(await place.raw("select count(*), max(seq) from audit")).toEqual([[30, 30]]);
      expect((await stores[0]?.audit.verify())?.brokenAt).toBeNull();
      await place.remove();
    });

    test("the database refuses to change or delete a row", async () => {
      const place = await newPlace();
      const store = await place.open();
      await store.audit.append(auditEntry());
      const before = await store.audit.list(ALL);
      await expect(place.raw("update audit set actor = 'nobody'")).rejects.toThrow(/append-only/);
      await expect(place.raw("delete from audit")).rejects.toThrow(/append-only/);
      expect(await store.audit.list(ALL)).toEqual(before);
      await place.remove();
    });

    test.each([
      ["a changed word", "update audit set detail = '{\"a\":2}' where seq = 600", 600],
      ["a changed actor", "update audit set actor = 'mallory' where seq = 1", 1],
      ["a changed hash", "update audit set hash = previous_hash where seq = 700", 700],
      ["a removed row", "delete from audit where seq = 501", 502],
      ["a removed beginning", "delete from audit where seq < 3", 3],
    ])("%s is found, and named by the row that no longer follows", async (_, tamper, seq) => {
      const place = await newPlace();
      const store = await place.open();
      await store.transaction(async (tx) => {
        for (let index = 0; index < 700; index++) await tx.audit.append(auditEntry({ detail: { a: 1 } }));
      });
      expect((await store.audit.verify()).brokenAt).toBeNull();
      await unguard(place);
      await place.raw(tamper);
      expect((await store.audit.verify()).brokenAt).toBe(seq);
      await place.remove();
    });

    test("pages and searches take the log apart without loss", async () => {
      const place = await newPlace();
      const store = await place.open();
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
      await place.remove();
    });

    test("a list narrows to an actor, a target, actions or groups of them, and a time", async () => {
      const place = await newPlace();
      const store = await place.open();
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
      await place.remove();
    });

    test("a whole chain tells how many rows it has and the newest one's hash", async () => {
      const place = await newPlace();
      const store = await place.open();
      expect(await store.audit.verify()).toEqual({ rows: 0, newestHash: null, brokenAt: null });
      for (let index = 0; index < 3; index++) await store.audit.append(auditEntry());
      const { items } = await store.audit.list(ALL);
      expect(await store.audit.verify()).toEqual({ rows: 3, newestHash: items[0]?.hash, brokenAt: null });
      await unguard(place);
      await place.raw("update audit set actor = 'mallory' where seq = 2");
      expect(await store.audit.verify()).toEqual({ rows: 1, newestHash: items[2]?.hash, brokenAt: 2 });
      await place.remove();
    });

    test("an entry of a change that did not happen is not there", async () => {
      const place = await newPlace();
      const store = await place.open();
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
      await place.remove();
    });
  });
}
