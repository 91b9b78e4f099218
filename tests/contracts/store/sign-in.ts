import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../lib/ports/store";
import { flowRecord, keyRecord, NOW, sessionRecord, unique, userRecord } from "../../support/factories";
import { concurrently, type NewTestDatabase, type TestDatabase } from "./test-database";

const RULE = { threshold: 3, baseMs: 1_000, maxMs: 5_000 };

export function signInContract(newDatabase: NewTestDatabase): void {
  describe("sessions, flows and delays", () => {
    let database: TestDatabase;
    let store: Store;
    let userId = "";
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
      const user = userRecord();
      userId = user.id;
      await store.users.insert(user);
    });
    afterAll(() => database.remove());

    test("returns a session unchanged, records its last use, and lists the newest first", async () => {
      const older = sessionRecord(userId, { authenticatedAt: NOW - 5, method: "totp" });
      const newer = sessionRecord(userId);
      await store.sessions.insert(older);
      await store.sessions.insert(newer);
      expect(await store.sessions.find(older.id)).toEqual(older);
      await store.sessions.touch(older.id, NOW + 9);
      expect(await store.sessions.listByUser(userId)).toEqual([newer, { ...older, lastSeenAt: NOW + 9 }]);
      expect(await store.sessions.delete(older.id)).toBe(true);
      expect(await store.sessions.delete(older.id)).toBe(false);
      expect(await store.sessions.find(older.id)).toBeNull();
      expect(await store.sessions.deleteByUser(userId)).toBe(1);
    });

    test("deletes playground keys with their session, and no other keys", async () => {
      const session = sessionRecord(userId);
      await store.sessions.insert(session);
      const playground = keyRecord(userId, { kind: "playground", sessionId: session.id });
      const api = keyRecord(userId);
      await store.keys.insert(playground);
      await store.keys.insert(api);
      const notified = new Set<string>();
      const stop = store.onChange((topics) => {
        for (const topic of topics) notified.add(topic);
      });
      await store.sessions.delete(session.id);
      stop();
      expect(await store.keys.findById(playground.id)).toBeNull();
      expect(await store.keys.findById(api.id)).toEqual(api);
      expect([...notified].sort()).toEqual(["keys", "sessions"]);
    });

    test("deletes all sessions of one user except the named one, and none of another user", async () => {
      const other = userRecord();
      await store.users.insert(other);
      const sessions = Array.from({ length: 3 }, () => sessionRecord(userId));
      for (const session of [...sessions, sessionRecord(other.id)]) await store.sessions.insert(session);
      expect(await store.sessions.deleteByUser(userId, sessions[1]?.id)).toBe(2);
      expect((await store.sessions.listByUser(userId)).map((one) => one.id)).toEqual([sessions[1]?.id]);
      expect(await store.sessions.listByUser(other.id)).toHaveLength(1);
    });

    test("removes more expired sessions than one statement can and keeps later ones", async () => {
      const user = userRecord();
      await store.users.insert(user);
      await store.transaction(async (tx) => {
        for (let index = 0; index < 600; index++) {
          await tx.sessions.insert(sessionRecord(user.id, { expiresAt: NOW - 1_000 + index }));
        }
      });
      expect(await store.sessions.deleteExpired(NOW - 1_000 + 549, 20)).toBe(20);
      expect(await store.sessions.deleteExpired(NOW - 1_000 + 549)).toBe(530);
      expect(await store.sessions.listByUser(user.id)).toHaveLength(50);
    });

    test("counts five of 500 concurrent attempts on a flow that allows five, each with its own number", async () => {
      const flow = flowRecord(userId);
      await store.flows.insert(flow);
      expect(await store.flows.find(flow.digest)).toEqual(flow);
      const taken = await Promise.all(concurrently(500, () => store.flows.takeAttempt(flow.digest, NOW)));
      const left = taken.flatMap((one) => (one === null ? [] : [one.attemptsLeft]));
      expect(left.sort()).toEqual([0, 1, 2, 3, 4]);
      // The last attempt that was counted may still succeed.
      expect(await store.flows.consume(flow.digest, NOW)).toEqual({ ...flow, attemptsLeft: 0 });
    });

    test("consumes a flow once, and never an expired one", async () => {
      const flow = flowRecord(userId, { enrolmentId: null });
      await store.flows.insert(flow);
      expect(await store.flows.takeAttempt(flow.digest, flow.expiresAt)).toBeNull();
      expect(await store.flows.consume(flow.digest, flow.expiresAt)).toBeNull();
      const consumed = await Promise.all(concurrently(30, () => store.flows.consume(flow.digest, NOW)));
      expect(consumed.filter((one) => one !== null)).toEqual([flow]);
      expect(await store.flows.find(flow.digest)).toBeNull();
    });

    test("deletes flows by user and by age", async () => {
      const other = userRecord();
      await store.users.insert(other);
      const kept = flowRecord(other.id);
      const old = flowRecord(other.id, { expiresAt: NOW - 1 });
      for (const flow of [flowRecord(userId), flowRecord(userId), kept, old]) await store.flows.insert(flow);
      await store.flows.deleteByUser(userId);
      expect(await store.flows.deleteExpired(NOW)).toBe(1);
      expect(await store.flows.find(kept.digest)).toEqual(kept);
      expect(await database.raw("select count(*) from flows")).toEqual([[1]]);
    });

    test("counts concurrent wrong passwords and doubles the delay from the threshold to the maximum", async () => {
      const name = unique("name");
      const answers = await Promise.all(concurrently(40, () => store.signInThrottles.fail(name, NOW, RULE)));
      const byFailures = answers.sort((a, b) => a.failures - b.failures);
      expect(byFailures.map((one) => one.failures)).toEqual(
        Array.from({ length: 40 }, (_, index) => index + 1),
      );
      const delays = byFailures.map((one) => (one.delayedUntil === null ? null : one.delayedUntil - NOW));
      expect(delays.slice(0, 6)).toEqual([null, null, 1_000, 2_000, 4_000, 5_000]);
      expect(delays.at(-1)).toBe(5_000);
      expect(await store.signInThrottles.find(name)).toEqual({ failures: 40, delayedUntil: NOW + 5_000 });
      const known = await store.signInThrottles.delayed([name, "never-tried"], NOW + 4_999);
      expect([...known]).toEqual([[name, NOW + 5_000]]);
      expect(await store.signInThrottles.delayed([name], NOW + 5_000)).toEqual(new Map());
      expect(await store.signInThrottles.delayed([], NOW)).toEqual(new Map());
    });

    test("clears a delay on request, and removes old delays and those of a clock that was ahead", async () => {
      const [cleared, old, recent, ahead] = [unique("name"), unique("name"), unique("name"), unique("name")];
      await store.signInThrottles.fail(cleared, NOW, RULE);
      await store.signInThrottles.fail(old, NOW - 100, RULE);
      await store.signInThrottles.fail(recent, NOW, RULE);
      // The clock of the instance that recorded this failure was ahead.
      await store.signInThrottles.fail(ahead, NOW + 100, RULE);
      await store.signInThrottles.clear(cleared);
      expect(await store.signInThrottles.find(cleared)).toBeNull();
      expect(await store.signInThrottles.deleteUnchanged(NOW, 50)).toBe(2);
      for (const name of [old, ahead]) expect(await store.signInThrottles.find(name)).toBeNull();
      expect(await store.signInThrottles.find(recent)).toEqual({ failures: 1, delayedUntil: null });
    });
  });
}
