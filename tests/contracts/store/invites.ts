import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../lib/ports/store";
import { inviteRecord, NOW, userRecord } from "../../support/factories";
import { concurrently, type NewTestDatabase, type TestDatabase } from "./test-database";

const OPEN = { limit: 100, cursor: null, q: null, now: NOW };

export function invitesContract(newDatabase: NewTestDatabase): void {
  describe("one-time links", () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
    });
    afterAll(() => database.remove());

    test("returns an invite and a reset unchanged, by ID and digest", async () => {
      const user = userRecord();
      await store.users.insert(user);
      const invite = inviteRecord("usr_owner", { role: "admin", email: "Ada@Example.org" });
      const reset = inviteRecord("usr_owner", {
        kind: "password_reset",
        userId: user.id,
        passwordVersion: 3,
        usedAt: NOW,
      });
      for (const one of [invite, reset]) {
        await store.invites.insert(one);
        expect(await store.invites.findById(one.id)).toEqual(one);
        expect(await store.invites.findByDigest(one.digest)).toEqual(one);
      }
      expect(await store.invites.findById("inv_none")).toBeNull();
      expect(await store.invites.findByDigest("none")).toBeNull();
    });

    test("lets one of many concurrent callers in two stores use a link", async () => {
      const second = await database.open();
      const invite = inviteRecord("usr_owner");
      await store.invites.insert(invite);
      const taken = await Promise.all(
        concurrently(20, (index) => (index % 2 ? store : second).invites.consume(invite.digest, NOW + 1)),
      );
      expect(taken.filter((one) => one !== null)).toEqual([{ ...invite, usedAt: NOW + 1 }]);
    });

    test("refuses an expired link, to the millisecond", async () => {
      const invite = inviteRecord("usr_owner", { expiresAt: NOW + 10 });
      await store.invites.insert(invite);
      expect(await store.invites.consume(invite.digest, NOW + 10)).toBeNull();
      expect(await store.invites.consume(invite.digest, NOW + 9)).not.toBeNull();
    });

    test("keeps a link usable when the transaction that used it fails", async () => {
      const invite = inviteRecord("usr_owner");
      await store.invites.insert(invite);
      await expect(
        store.transaction(async (tx) => {
          await tx.invites.consume(invite.digest, NOW);
          throw new Error("the name is taken");
        }),
      ).rejects.toThrow("the name is taken");
      expect(await store.invites.findById(invite.id)).toEqual(invite);
    });

    test("lists links that are neither used nor expired, newest first, by page and by address", async () => {
      const own = await newDatabase();
      const lists = await own.open();
      const links = [0, 1, 2, 3].map((age) =>
        inviteRecord("usr_owner", { createdAt: NOW - age, email: `no${age}@example.org` }),
      );
      const gone = [
        inviteRecord("usr_owner", { usedAt: NOW }),
        inviteRecord("usr_owner", { expiresAt: NOW }),
      ];
      for (const one of [...links, ...gone]) await lists.invites.insert(one);
      const first = await lists.invites.listOpen({ ...OPEN, limit: 3 });
      expect(first.items).toEqual(links.slice(0, 3));
      const second = await lists.invites.listOpen({ ...OPEN, limit: 3, cursor: first.nextCursor });
      expect(second).toEqual({ items: links.slice(3), nextCursor: null });
      expect((await lists.invites.listOpen({ ...OPEN, q: "NO2@" })).items).toEqual(links.slice(2, 3));
      await own.remove();
    });

    test("deletes a link once, a user's links together and with the user, and sweeps expired ones", async () => {
      const user = userRecord();
      await store.users.insert(user);
      const reset = () => inviteRecord("usr_owner", { kind: "password_reset", userId: user.id });
      const [free, past, a, b, c] = [
        inviteRecord("usr_owner"),
        inviteRecord("usr_owner", { expiresAt: NOW - 5_000 }),
        reset(),
        reset(),
        reset(),
      ];
      for (const one of [free, past, a, b]) await store.invites.insert(one);
      expect(await store.invites.delete(free.id)).toBe(true);
      expect(await store.invites.delete(free.id)).toBe(false);
      expect(await store.invites.deleteByUser(user.id)).toBe(2);
      expect(await store.invites.deleteExpired(NOW - 5_000)).toBe(1);
      await store.invites.insert(c);
      await store.users.delete(user.id);
      for (const one of [free, past, a, b, c]) expect(await store.invites.findById(one.id)).toBeNull();
    });
  });
}
