import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../lib/ports/store";
import {
  auditEntry,
  inviteRecord,
  keyRecord,
  NOW,
  PERIOD,
  unique,
  usageRecord,
  userRecord,
} from "../../support/factories";
import type { NewTestDatabase, TestDatabase } from "./test-database";

/** One row more than a page. */
const ROWS = 101;
const HUGE = { limit: 1_000_000, cursor: null, q: null };

export function pagesContract(newDatabase: NewTestDatabase): void {
  describe("a page of a list", () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
      const owner = userRecord();
      await store.users.insert(owner);
      const channelId = unique("chn");
      for (let index = 0; index < ROWS; index++) {
        const key = keyRecord(owner.id);
        await store.users.insert(userRecord());
        await store.keys.insert(key);
        await store.invites.insert(inviteRecord(owner.id));
        await store.audit.append(auditEntry());
        await store.alerts.raise({
          id: unique("alt"),
          kind: "budget_spent",
          subject: unique("key"),
          detail: {},
          openedAt: NOW,
          delivery: "none",
        });
        const failed = { channelId, status: 502, error: "upstream_error" as const };
        await store.ledger.settle(usageRecord(key.id, owner.id, failed), PERIOD);
      }
    });
    afterAll(() => database.remove());

    const lists: [string, () => Promise<{ items: unknown[]; nextCursor: string | null }>][] = [
      ["users", () => store.users.list(HUGE)],
      ["keys", () => store.keys.list({ ...HUGE, ownerId: null })],
      ["invites", () => store.invites.listOpen({ ...HUGE, now: NOW })],
      ["audit entries", () => store.audit.list(HUGE)],
      ["alerts", () => store.alerts.list({ ...HUGE, isOpen: null })],
      ["ledger entries", () => store.ledger.list(HUGE)],
    ];
    test.each(lists)("limits a page of %s to 100 items for any requested limit", async (_what, list) => {
      const { items, nextCursor } = await list();
      expect([items.length, nextCursor === null]).toEqual([100, false]);
    });

    test("limits a channel's failed attempts to 100 items for any requested limit", async () => {
      const [entry] = (await store.ledger.list({ ...HUGE, limit: 1 })).items;
      const channelId = entry?.channelId ?? "";
      const range = { from: NOW - 1, to: NOW + 1 };
      expect(await store.ledger.failedAttempts({ channelId, ...range, limit: 1_000 })).toHaveLength(100);
    });
  });
}
