import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store, Topic } from "../../../lib/ports/store";
import { channelRecord, insertKey, modelRecord, userRecord } from "./records";
import type { NewPlace, Place } from "./test-database";

/** Resolves when the store has told of a topic; the runner's own time-out is the end of waiting. */
function hears(store: Store, topic: Topic): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.onChange((topics) => {
      if (!topics.has(topic)) return;
      stop();
      resolve();
    });
  });
}

export function changesContract(newPlace: NewPlace): void {
  describe("changes", () => {
    let place: Place;
    let store: Store;
    let other: Store;
    beforeAll(async () => {
      place = await newPlace();
      store = await place.open();
      other = await place.open();
    });
    afterAll(() => place.remove());

    test("one commit is told once, with all that it touched, before the write returns", async () => {
      const told: string[][] = [];
      const stop = store.onChange((topics) => told.push([...topics].sort()));
      await store.transaction(async (tx) => {
        await tx.channels.insert(channelRecord());
        await tx.channels.insert(channelRecord());
        await tx.models.insert(modelRecord());
        expect(told).toEqual([]);
      });
      expect(told[0]).toEqual(["channels", "models"]);
      stop();
      await store.channels.insert(channelRecord());
      expect(told.filter((topics) => topics.includes("models"))).toHaveLength(1);
    });

    test("what is rolled back, and what only reads, is not told", async () => {
      const told: string[] = [];
      const stop = store.onChange((topics) => told.push(...topics));
      await expect(
        store.transaction(async (tx) => {
          await tx.settings.put("never", true);
          throw new Error("no");
        }),
      ).rejects.toThrow("no");
      await store.transaction((tx) => tx.settings.all());
      await store.settings.all();
      stop();
      expect(told).toEqual([]);
    });

    test("a listener that throws does not keep the others from hearing", async () => {
      const stopFirst = store.onChange(() => {
        throw new Error("a listener's own fault");
      });
      const told: string[] = [];
      const stop = store.onChange((topics) => told.push(...topics));
      await store.settings.put("heard", true);
      expect(told).toContain("settings");
      stopFirst();
      stop();
    });

    test("another instance hears of a commit, and reads what was committed", async () => {
      const since = performance.now();
      const heard = hears(other, "keys");
      const { key } = await insertKey(store);
      await heard;
      expect(await other.keys.findById(key.id)).toEqual(key);
      console.log(`${place.kind}: another instance heard after ${Math.round(performance.now() - since)} ms`);
      // And the other way round.
      const user = userRecord();
      const back = hears(store, "users");
      await other.users.insert(user);
      await back;
      expect(await store.users.findById(user.id)).toEqual(user);
    });

    test("a heartbeat and the books wake nobody", async () => {
      const told: string[] = [];
      const stops = [store, other].map((one) => one.onChange((topics) => told.push(...topics)));
      await store.ledger.heartbeat(Date.now());
      // A change that is told, to know that what came before it would have been.
      const heard = hears(other, "setup");
      await store.setup.recordOwner({ setUpAt: 1, ownerId: "usr_1" });
      await heard;
      for (const stop of stops) stop();
      expect(new Set(told)).toEqual(new Set(["setup"]));
    });
  });
}
