import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store, Topic } from "../../../lib/ports/store";
import { channelRecord, insertKey, modelRecord, userRecord } from "../../support/factories";
import type { NewTestDatabase, TestDatabase } from "./test-database";

/** Resolves when the store has reported a topic; the test's own timeout limits the wait. */
function nextReport(store: Store, topic: Topic): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.onChange((topics) => {
      if (!topics.has(topic)) return;
      stop();
      resolve();
    });
  });
}

export function changesContract(newDatabase: NewTestDatabase): void {
  describe("changes", () => {
    let database: TestDatabase;
    let store: Store;
    let other: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
      other = await database.open();
    });
    afterAll(() => database.remove());

    test("reports all topics of a commit together, after it and before the write returns", async () => {
      const notified: string[][] = [];
      const stop = store.onChange((topics) => notified.push([...topics].sort()));
      await store.transaction(async (tx) => {
        await tx.channels.insert(channelRecord());
        await tx.channels.insert(channelRecord());
        await tx.models.insert(modelRecord());
        expect(notified).toEqual([]);
      });
      expect(notified[0]).toEqual(["channels", "models"]);
      stop();
      const { length } = notified;
      await store.channels.insert(channelRecord());
      expect(notified).toHaveLength(length);
    });

    test("reads all channels and models once until a commit of any process touches them", async () => {
      const model = modelRecord();
      await store.models.insert(model);
      const models = await store.models.all();
      const channels = await store.channels.all();
      await store.settings.put("unrelated", 1);
      expect(await store.models.all()).toBe(models);
      expect(await store.channels.all()).toBe(channels);
      await other.models.update(model.name, model.version, { enabled: false });
      // The change is read at once, even before it is reported.
      const changed = (await store.models.all()).find(({ name }) => name === model.name);
      expect(changed).toMatchObject({ enabled: false, version: model.version + 1 });
      expect(await store.channels.all()).toBe(channels);
    });

    test("reads a transaction's own changes of channels, and not those that were rolled back", async () => {
      const before = await store.channels.all();
      await expect(
        store.transaction(async (tx) => {
          await tx.channels.insert(channelRecord());
          expect(await tx.channels.all()).toHaveLength(before.length + 1);
          throw new Error("no");
        }),
      ).rejects.toThrow("no");
      expect(await store.channels.all()).toEqual(before);
    });

    test("reports neither rolled-back writes nor reads", async () => {
      const notified: string[] = [];
      const stop = store.onChange((topics) => notified.push(...topics));
      await expect(
        store.transaction(async (tx) => {
          await tx.settings.put("never", true);
          throw new Error("no");
        }),
      ).rejects.toThrow("no");
      await store.transaction((tx) => tx.settings.all());
      await store.settings.all();
      stop();
      expect(notified).toEqual([]);
    });

    test("calls the other listeners when one throws", async () => {
      const stopFirst = store.onChange(() => {
        throw new Error("an error of a listener");
      });
      const notified: string[] = [];
      const stop = store.onChange((topics) => notified.push(...topics));
      await store.settings.put("notification", true);
      expect(notified).toContain("settings");
      stopFirst();
      stop();
    });

    test("notifies another instance of a commit that it can then read", async () => {
      const since = performance.now();
      const notification = nextReport(other, "keys");
      const { key } = await insertKey(store);
      await notification;
      expect(await other.keys.findById(key.id)).toEqual(key);
      console.log(
        `${database.kind}: another instance was notified after ${Math.round(performance.now() - since)} ms`,
      );
      // The same in the other direction.
      const user = userRecord();
      const back = nextReport(store, "users");
      await other.users.insert(user);
      await back;
      expect(await store.users.findById(user.id)).toEqual(user);
    });

    test("reports to a new instance only the changes after its start", async () => {
      await store.settings.put("early", true);
      const late = await database.open();
      const notified: string[] = [];
      const stop = late.onChange((topics) => notified.push(...topics));
      const notification = nextReport(late, "models");
      await store.models.insert(modelRecord());
      await notification;
      stop();
      expect(new Set(notified)).toEqual(new Set(["models"]));
    });

    test("does not report a heartbeat", async () => {
      // After this report the other instance has no change of an earlier test left to report.
      const settled = nextReport(other, "users");
      await store.users.insert(userRecord());
      await settled;
      const notified: string[] = [];
      const stops = [store, other].map((one) => one.onChange((topics) => notified.push(...topics)));
      await store.ledger.heartbeat(Date.now());
      // A change that is reported, to show that earlier ones would have been.
      const notification = nextReport(other, "setup");
      await store.setup.recordOwner({ setUpAt: 1, ownerId: "usr_1" });
      await notification;
      for (const stop of stops) stop();
      expect(new Set(notified)).toEqual(new Set(["setup"]));
    });
  });
}
