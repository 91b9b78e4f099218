import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../lib/ports/store";
import { auditEntry, userRecord } from "../../support/factories";
import type { NewTestDatabase, TestDatabase } from "./test-database";

const TEXTS: [name: string, text: string][] = [
  ["quotes and SQL", `'; drop table users; -- "x" \`y\` $1 ? :a @b`],
  ["backslashes and percents", "\\ \\\\ \\0 % %% _ \\%"],
  ["emoji and joiners", "👩‍👩‍👧 🏳️‍🌈 e\u0301"],
  ["right to left", "\u202eשלום\u202c"],
  ["control characters", "\u0001\u0007\u001b[31m\u007f\r\n\t"],
  ["a byte order mark and the last code points", "\ufeff\uffff\u{10ffff}"],
  ["no characters", ""],
  ["100,000 characters", "語".repeat(100_000)],
];

export function textContract(newDatabase: NewTestDatabase): void {
  describe("text", () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
    });
    afterAll(() => database.remove());

    test.each(TEXTS)("returns text of %s unchanged, as a column and within JSON", async (_, text) => {
      const user = userRecord({ displayName: text });
      await store.users.insert(user);
      expect(await store.users.findById(user.id)).toEqual(user);
      await store.settings.put("odd", { [text]: text });
      expect((await store.settings.all()).odd).toEqual({ [text]: text });
    });

    test("replaces NUL in text, and finds the text by the same search", async () => {
      const user = userRecord({ username: "nul\0name", usernameKey: "nul\0name" });
      await store.users.insert(user);
      expect((await store.users.findByNameOrEmail("nul\0name"))?.username).toBe("nul\ufffdname");
      expect(await store.users.findByNameOrEmail("nul")).toBeNull();
      expect((await store.users.list({ limit: 9, cursor: null, q: "l\0n" })).items).toHaveLength(1);
      await store.settings.put("nul", "a\0b");
      expect((await store.settings.all()).nul).toBe("a\0b");
    });

    test.each([
      ["Müller", ["müller", "MÜLLER", "Mu\u0308ller"]],
      ["Ключ", ["ключ", "КЛЮЧ", "лю"]],
      ["мир", ["МИР", "Мир"]],
      ["Иван Петров", ["иван петров", "ИВАН ПЕТРОВ", "ван пет"]],
      ["Zoë Étienne", ["zoë étienne", "ZOË ÉTIENNE"]],
      ["ЛЁД", ["лёд", "Лёд"]],
      ["e\u0301tude", ["e\u0301tude", "e\u0301TUDE"]],
      ["ÉCLAIR", ["éclair", "Éclair"]],
    ])("finds %s in any case and composition", async (displayName, searches) => {
      await store.users.insert(userRecord({ displayName }));
      for (const q of searches)
        expect((await store.users.list({ limit: 9, cursor: null, q })).items, q).toHaveLength(1);
    });

    test("finds no record for an ID or a digest that is NUL", async () => {
      expect(await store.users.findById("\0")).toBeNull();
      expect(await store.keys.findByDigest("\0")).toBeNull();
      expect(await store.sessions.find("\0")).toBeNull();
      expect(await store.flows.takeAttempt("\0", 1)).toBeNull();
      expect(await store.flows.consume("\0", 1)).toBeNull();
    });

    test("stores an unpaired surrogate without breaking the row or the chain", async () => {
      await store.users.insert(userRecord({ displayName: "half \ud83d" }));
      await store.audit.append(
        auditEntry({ actor: "half \ud83d", target: "nul\0", detail: { text: "half \ud83d\0" } }),
      );
      expect((await store.audit.list({ limit: 1, cursor: null, q: null })).items[0]).toMatchObject({
        actor: "half \ufffd",
        target: "nul\ufffd",
        detail: { text: "half \ud83d\0" },
      });
      await store.audit.append(auditEntry());
      expect((await store.audit.verify()).brokenAt).toBeNull();
    });
  });
}
