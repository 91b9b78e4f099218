import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AlertRecord, Alerts } from "../../../lib/ports/store";
import { insertKey, NO_BUDGET, NOW, PERIOD, unique, usageRecord } from "../../support/factories";
import { concurrently, type NewTestDatabase, type TestDatabase } from "./test-database";

type New = Parameters<Alerts["raise"]>[0];

const alert = (fields: Partial<New> = {}): New => ({
  id: unique("alt"),
  kind: "channel_open",
  subject: unique("chn"),
  detail: { name: "Gemini", reason: "failures" },
  openedAt: NOW,
  delivery: "pending",
  ...fields,
});

/** The alert as read before `hold` was called for it. */
const asRead = (one: New) => ({ ...one, heldAt: one.openedAt });

const LIMITS = { atOnce: 10, perMinute: 30 };

export function alertsContract(newDatabase: NewTestDatabase): void {
  describe("alerts", () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await newDatabase();
    });
    afterEach(() => database.remove());

    test("lets one of many concurrent callers in two instances open an alert", async () => {
      const stores = [await database.open(), await database.open()];
      const same = { subject: "chn_1" };
      const raised = await Promise.all(
        concurrently(20, (index) => stores[index % 2]?.alerts.raise(alert(same)) ?? Promise.resolve(false)),
      );
      expect(raised.filter(Boolean)).toHaveLength(1);
      const [open] = (await stores[0]?.alerts.open()) ?? [];
      expect(open).toMatchObject({ subject: "chn_1", resolvedAt: null, seenAt: null, heldAt: NOW });
      if (open === undefined) throw new Error("no alert is open");
      await stores[0]?.alerts.hold(open.id, NOW + 1, open.detail);
      expect(await stores[1]?.alerts.resolve(open, NOW + 2, "none"), "it holds again").toBe(false);
      const last = { id: open.id, heldAt: NOW + 1, detail: { is_watched: false } };
      expect(await stores[1]?.alerts.resolve(last, NOW + 2, "none")).toBe(true);
      expect(await stores[1]?.alerts.find(open.id)).toMatchObject({ ...last, resolvedAt: NOW + 2 });
      expect(await stores[0]?.alerts.resolve(last, NOW + 3, "none")).toBe(false);
      // An alert that was resolved may be opened again.
      expect(await stores[0]?.alerts.raise(alert(same))).toBe(true);
    });

    test("keeps the newest figures of an open alert, marks it seen once, and lists it before resolved ones", async () => {
      const { alerts } = await database.open();
      const [old, fresh, resolved] = [alert({ openedAt: NOW - 9 }), alert(), alert({ openedAt: NOW + 9 })];
      for (const one of [old, fresh, resolved]) await alerts.raise(one);
      await alerts.hold(old.id, NOW + 5, { name: "Gemini", reason: "credentials" });
      await alerts.resolve(asRead(resolved), NOW + 10, "pending");
      expect(await alerts.markSeen(old.id, NOW + 6)).toMatchObject({ seenAt: NOW + 6 });
      expect(await alerts.markSeen(old.id, NOW + 7)).toMatchObject({ seenAt: NOW + 6 });
      expect(await alerts.markSeen("alt_none", NOW)).toBeNull();
      expect(await alerts.find(old.id)).toMatchObject({ heldAt: NOW + 5, detail: { reason: "credentials" } });
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await alerts.list({ limit: 1, cursor, isOpen: null });
        seen.push(...page.items.map((one) => one.id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual([fresh.id, old.id, resolved.id]);
      const ids = async (isOpen: boolean) =>
        (await alerts.list({ limit: 9, cursor: null, isOpen })).items.map((one) => one.id);
      expect(await ids(true)).toEqual([fresh.id, old.id]);
      expect(await ids(false)).toEqual([resolved.id]);
      expect((await alerts.open()).map((one) => one.id)).toEqual([fresh.id, old.id]);
    });

    test("gives a due message to one instance, and to another when the lease of the first has expired", async () => {
      const stores = [await database.open(), await database.open()];
      const [one, quiet] = [alert(), alert({ delivery: "none" })];
      await stores[0]?.alerts.raise(one);
      await stores[0]?.alerts.raise(quiet);
      const claim = (at: number) => (index: number) =>
        stores[index % 2]?.alerts.claimDeliveries(at, 1_000, LIMITS) ?? Promise.resolve([]);
      const claimed = (await Promise.all(concurrently(6, claim(NOW)))).flat();
      expect(claimed.map((record) => [record.id, record.deliveryAttempts])).toEqual([[one.id, 1]]);
      expect(await claim(NOW + 999)(0)).toEqual([]);
      const [again] = await claim(NOW + 1_000)(1);
      expect(again).toMatchObject({ id: one.id, deliveryAttempts: 2 });
      const failed = {
        delivery: "pending",
        deliveryDueAt: NOW + 9_000,
        deliveryError: "status_500",
        deliveryAt: NOW + 1_001,
        deliveredTo: ["signed"],
        deliveryWebhook: "slack",
      } as const;
      const finish = (record: AlertRecord | undefined) =>
        record && stores[0]?.alerts.finishDelivery(record, failed);
      expect(await finish(claimed[0]), "the first lease has expired").toBe(false);
      expect(await finish(again)).toBe(true);
      expect(await stores[1]?.alerts.find(one.id)).toMatchObject(failed);
      const [last] = await claim(NOW + 9_000)(0);
      // The message about the resolution is separate, and not affected by the result of the first message.
      await stores[0]?.alerts.resolve(asRead(one), NOW + 9_001, "pending");
      expect(await finish(last)).toBe(false);
      expect(await stores[1]?.alerts.find(one.id)).toMatchObject({
        delivery: "pending",
        deliveryAttempts: 0,
        deliveryDueAt: NOW + 9_001,
        deliveryError: null,
        deliveredTo: [],
        deliveryWebhook: null,
      });
    });

    test("sends nothing about a snoozed alert, nor about the next alert of its subject before the snooze ends", async () => {
      const { alerts } = await database.open();
      const claim = async (at: number) =>
        (await alerts.claimDeliveries(at, 1_000, LIMITS)).map((record) => record.id);
      const one = alert();
      await alerts.raise(one);
      const snooze = { by: "olga", until: NOW + 9_000 };
      expect(await alerts.snooze(one.id, snooze)).toMatchObject({ snooze, delivery: "snoozed" });
      expect(await claim(NOW)).toEqual([]);
      await alerts.resolve(asRead(one), NOW + 10, "pending");
      expect(await alerts.find(one.id)).toMatchObject({ snooze, delivery: "snoozed" });
      expect(await alerts.snooze(one.id, snooze), "it is resolved").toBeNull();
      const next = alert({ subject: one.subject, openedAt: NOW + 20 });
      await alerts.raise(next);
      expect(await alerts.find(next.id)).toMatchObject({ snooze, delivery: "snoozed" });
      expect(await alerts.endSnooze(next.id, NOW + 30, "pending")).toMatchObject({
        snooze: null,
        delivery: "pending",
        deliveryDueAt: NOW + 30,
      });
      expect(await alerts.endSnooze(next.id, NOW + 31, "pending"), "it is not snoozed").toBeNull();
      expect(await claim(NOW + 30)).toEqual([next.id]);
      // A snooze "until resolved" ends with its alert.
      await alerts.snooze(next.id, { by: "olga", until: null });
      await alerts.resolve(asRead(next), NOW + 40, "pending");
      const last = alert({ subject: one.subject, openedAt: NOW + 50 });
      await alerts.raise(last);
      expect(await claim(NOW + 50)).toEqual([last.id]);
    });

    test("limits messages per minute over all instances and sends those about budgets last", async () => {
      const stores = [await database.open(), await database.open()];
      const budgets = Array.from({ length: 5 }, () => alert({ kind: "budget_spent", openedAt: NOW - 10 }));
      const channel = alert();
      for (const one of [...budgets, channel]) await stores[0]?.alerts.raise(one);
      const limits = { atOnce: 2, perMinute: 3 };
      const sent = async (at: number, index: number) => {
        const claimed = (await stores[index]?.alerts.claimDeliveries(at, 1_000, limits)) ?? [];
        const outcome = {
          delivery: "delivered",
          deliveryDueAt: null,
          deliveryError: null,
          deliveryAt: at,
          deliveredTo: [],
          deliveryWebhook: null,
        } as const;
        for (const one of claimed) await stores[index]?.alerts.finishDelivery(one, outcome);
        return claimed.map((one) => one.id);
      };
      const first = await sent(NOW, 0);
      expect(first).toHaveLength(2);
      expect(first).toContain(channel.id);
      expect(await sent(NOW + 1, 1)).toHaveLength(1);
      expect(await sent(NOW + 59_999, 0)).toEqual([]);
      expect(await sent(NOW + 60_000, 1)).toHaveLength(2);
      expect(await sent(NOW + 60_001, 0)).toHaveLength(1);
    });

    test("counts messages that other instances are sending towards the limit per minute", async () => {
      const stores = [await database.open(), await database.open()];
      for (let count = 0; count < 50; count++) await stores[0]?.alerts.raise(alert());
      const claim = (at: number) => async (index: number) =>
        (await stores[index % 2]?.alerts.claimDeliveries(at, 90_000, LIMITS))?.length ?? 0;
      const claimed = await Promise.all(concurrently(6, claim(NOW)));
      expect(claimed.toSorted((a, b) => b - a)).toEqual([10, 10, 10, 0, 0, 0]);
      expect(await claim(NOW + 59_999)(0)).toBe(0);
      expect(await claim(NOW + 60_000)(1)).toBe(10);
    });

    test("counts a message that was sent before its alert was resolved or its snooze ended", async () => {
      const { alerts } = await database.open();
      const [resolved, snoozed, waiting] = [alert(), alert(), alert({ kind: "budget_spent" })];
      for (const one of [resolved, snoozed, waiting]) await alerts.raise(one);
      const claim = async (at: number) =>
        (await alerts.claimDeliveries(at, 1_000, { atOnce: 9, perMinute: 2 })).map((record) => record.id);
      expect((await claim(NOW)).toSorted()).toEqual([resolved.id, snoozed.id].toSorted());
      await alerts.resolve(asRead(resolved), NOW + 1, "pending");
      await alerts.snooze(snoozed.id, { by: "olga", until: null });
      await alerts.endSnooze(snoozed.id, NOW + 1, "pending");
      for (const { id } of [resolved, snoozed])
        expect(await alerts.find(id), "the new message has no attempt").toMatchObject({
          delivery: "pending",
          deliveryAttempts: 0,
          deliveryAt: null,
        });
      expect(await claim(NOW + 59_999)).toEqual([]);
      expect((await claim(NOW + 60_000)).toSorted()).toEqual([resolved.id, snoozed.id].toSorted());
    });

    test("sends messages after the clock was set back", async () => {
      const { alerts } = await database.open();
      const YEAR_MS = 365 * 86_400_000;
      const claim = async (at: number) =>
        (await alerts.claimDeliveries(at, 1_000, { atOnce: 9, perMinute: 2 })).map((record) => record.id);
      const [sent, failed, waiting] = [
        alert({ openedAt: NOW + YEAR_MS - 1 }),
        alert({ openedAt: NOW + YEAR_MS - 1 }),
        alert({ openedAt: NOW + YEAR_MS }),
      ];
      for (const one of [sent, failed, waiting]) await alerts.raise(one);
      expect((await claim(NOW + YEAR_MS)).toSorted()).toEqual([sent.id, failed.id].toSorted());
      const record = await alerts.find(sent.id);
      if (record === null) throw new Error("no alert");
      await alerts.finishDelivery(record, {
        delivery: "delivered",
        deliveryDueAt: null,
        deliveryError: null,
        deliveryAt: NOW + YEAR_MS,
        deliveredTo: [],
        deliveryWebhook: null,
      });
      expect((await claim(NOW)).toSorted()).toEqual([failed.id, waiting.id].toSorted());
      expect(await claim(NOW)).toEqual([]);
    });

    test("removes old resolved alerts in steps and keeps open ones at any age", async () => {
      const { alerts } = await database.open();
      const resolved = [alert(), alert(), alert()];
      const [open, late] = [alert({ openedAt: NOW - 99 }), alert()];
      for (const one of [...resolved, open, late]) await alerts.raise(one);
      for (const one of resolved) await alerts.resolve(asRead(one), NOW + 5, "none");
      await alerts.resolve(asRead(late), NOW + 10, "none");
      expect(await alerts.deleteResolved(NOW + 5, 9)).toBe(0);
      expect(await alerts.deleteResolved(NOW + 10, 2)).toBe(2);
      expect(await alerts.deleteResolved(NOW + 10, 2)).toBe(1);
      expect(await alerts.deleteResolved(NOW + 10, 2)).toBe(0);
      const { items } = await alerts.list({ limit: 9, cursor: null, isOpen: null });
      expect(items.map((one) => one.id)).toEqual([open.id, late.id]);
    });

    test("finds budgets by the share that is spent, of enabled users and of their enabled, unexpired keys only", async () => {
      const store = await database.open();
      const { key, user } = await insertKey(store, { budget: { ...NO_BUDGET, dailyNano: 100 } });
      await store.users.update(user, { budget: { ...NO_BUDGET, totalNano: 1_000, monthlyNano: 84 } });
      const off = await insertKey(store, { enabled: false, budget: { ...NO_BUDGET, totalNano: 1 } });
      const settle = (keyId: string, userId: string, costNano: number) =>
        store.ledger.settle(
          usageRecord(keyId, userId, { state: "settled", status: 200, reservedNano: 0, costNano }),
          PERIOD,
        );
      await settle(key.id, user.id, 80);
      await settle(off.key.id, off.user.id, 50);
      const expired = await insertKey(store, { expiresAt: NOW, budget: { ...NO_BUDGET, totalNano: 1 } });
      await settle(expired.key.id, expired.user.id, 50);
      const gone = await insertKey(store, { budget: { ...NO_BUDGET, totalNano: 1 } });
      await settle(gone.key.id, gone.user.id, 50);
      await store.users.update(gone.user, { enabled: false });
      const found = await store.alerts.budgetsAbove(80, NOW);
      expect(found).toEqual([
        { owner: "key", id: key.id, name: key.name, period: "daily", spentNano: 80, limitNano: 100 },
        { owner: "user", id: user.id, name: user.username, period: "monthly", spentNano: 80, limitNano: 84 },
      ]);
      expect(await store.alerts.budgetsAbove(81, NOW)).toHaveLength(1);
    });

    test("counts calls since a time, without counting the caller's own errors as failures", async () => {
      const store = await database.open();
      const { key, user } = await insertKey(store);
      const settle = (fields: Parameters<typeof usageRecord>[2]) =>
        store.ledger.settle(
          usageRecord(key.id, user.id, { state: "settled", status: 200, reservedNano: 0, ...fields }),
          PERIOD,
        );
      await settle({ at: NOW - 1, status: 502, error: "upstream_error" });
      // The entry of a server whose clock was an hour ahead until now.
      await settle({ at: NOW + 3_600_000, status: 502, error: "upstream_error" });
      await settle({ at: NOW });
      await settle({ at: NOW + 1, status: 502, error: "upstream_error" });
      await settle({ at: NOW + 2, status: 400, error: "invalid" });
      await settle({ at: NOW + 3, status: 499, error: "caller_left" });
      await settle({ at: NOW + 3, status: 429, error: "upstream_rate_limited" });
      // The entry of a process that ended during the call has no status.
      await settle({ at: NOW + 3, status: 0, error: "internal", estimated: true });
      // This call has not ended yet.
      await store.ledger.reserve({
        row: usageRecord(key.id, user.id, { at: NOW + 2 }),
        keyBudget: NO_BUDGET,
        userBudget: NO_BUDGET,
        ...PERIOD,
      });
      expect(await store.alerts.callsSince(NOW, NOW + 3)).toEqual({ calls: 6, failures: 3 });
      expect(await store.alerts.callsSince(NOW + 4, NOW + 4)).toEqual({ calls: 0, failures: 0 });
      await settle({ at: NOW + 3, model: "other", status: 502, error: "upstream_error" });
      const { model } = usageRecord(key.id, user.id, {});
      expect(await store.alerts.callsBy("model", [model, "other", "unused"], NOW, NOW + 3)).toEqual(
        new Map([
          [model, { calls: 6, failures: 3 }],
          ["other", { calls: 1, failures: 1 }],
        ]),
      );
      expect(await store.alerts.callsBy("key", [key.id], NOW, NOW + 3)).toEqual(
        new Map([[key.id, { calls: 7, failures: 4 }]]),
      );
      expect(await store.alerts.callsBy("key", [], NOW, NOW + 3)).toEqual(new Map());
    });
  });
}
