import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../lib/ports/store";
import { channelRecord, modelRecord, NOW, unique } from "../../support/factories";
import { concurrently, type NewTestDatabase, outcomesOf, type TestDatabase } from "./test-database";

export function catalogueContract(newDatabase: NewTestDatabase): void {
  describe("channels, models and settings", () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await newDatabase();
      store = await database.open();
    });
    afterAll(() => database.remove());

    test("returns channels unchanged, oldest first", async () => {
      const newer = channelRecord({ createdAt: NOW + 1 });
      const older = channelRecord({
        baseUrl: null,
        keys: [],
        models: [],
        embedded: true,
        rpm: 5,
        enabled: false,
      });
      await store.channels.insert(newer);
      await store.channels.insert(older);
      expect(await store.channels.find(newer.id)).toEqual(newer);
      expect(await store.channels.all()).toEqual([older, newer]);
      await expect(store.channels.insert(newer)).rejects.toMatchObject({ code: "conflict" });
      expect(await store.channels.find("chn_none")).toBeNull();
    });

    test("reads a channel that was stored with the old name of batching", async () => {
      const channel = channelRecord({ options: { coalescing: false, max_batch: 5 } });
      await store.channels.insert(channel);
      const found = { ...channel, options: { batching: false, max_batch: 5 } };
      expect(await store.channels.find(channel.id)).toEqual(found);
      expect(await store.channels.all()).toContainEqual(found);
    });

    test("patches a channel at its version and deletes it once", async () => {
      const channel = channelRecord();
      await store.channels.insert(channel);
      const patch = { weight: 7, keys: [], options: { nested: { list: [1, "2", null] } }, baseUrl: null };
      const patched = await store.channels.update({ id: channel.id, version: 1 }, patch);
      expect(patched).toEqual({ ...channel, ...patch, version: 2 });
      expect(await store.channels.update({ id: channel.id, version: 1 }, { weight: 9 })).toBeNull();
      expect(await store.channels.find(channel.id)).toEqual(patched);
      expect(await store.channels.delete(channel.id)).toBe(true);
      expect(await store.channels.delete(channel.id)).toBe(false);
    });

    test("refuses a second model with the same name or alias", async () => {
      const first = modelRecord({ aliases: [unique("alias"), unique("alias")] });
      await store.models.insert(first);
      const alias = first.aliases[0] ?? "";
      const wrong = [
        modelRecord({ name: first.name }),
        modelRecord({ name: alias }),
        modelRecord({ aliases: [unique("free"), alias] }),
        modelRecord({ aliases: [first.name] }),
      ];
      for (const model of wrong) {
        await expect(store.models.insert(model)).rejects.toMatchObject({ code: "conflict" });
      }
      const second = modelRecord({
        operation: "embeddings",
        dimensions: 1_024,
        canShorten: true,
        createdAt: NOW + 1,
      });
      await store.models.insert(second);
      await expect(store.models.update(second.name, 1, { aliases: [alias] })).rejects.toMatchObject({
        code: "conflict",
      });
      expect(await store.models.all()).toEqual([first, second]);
    });

    test("renames a model and frees its old names", async () => {
      const model = modelRecord({ aliases: [unique("alias")] });
      await store.models.insert(model);
      const name = unique("renamed");
      const renamed = await store.models.update(model.name, 1, { name, aliases: [model.name] });
      expect(renamed).toEqual({ ...model, name, aliases: [model.name], version: 2 });
      expect(await store.models.update(name, 1, { description: "stale" })).toBeNull();
      await store.models.insert(modelRecord({ name: model.aliases[0] ?? "" }));
      await expect(store.models.insert(modelRecord({ name: model.name }))).rejects.toMatchObject({
        code: "conflict",
      });
      expect(await store.models.delete(name)).toBe(true);
      expect(await store.models.delete(name)).toBe(false);
      await store.models.insert(modelRecord({ name: model.name }));
    });

    test("accepts one of ten concurrent models with the same alias", async () => {
      const alias = unique("wanted");
      const { values, codes } = await outcomesOf(
        concurrently(10, () => store.models.insert(modelRecord({ aliases: [alias] }))),
      );
      expect(values).toHaveLength(1);
      expect(codes).toEqual(Array(9).fill("conflict"));
    });

    test("inserts thousands of models and channels in one call, or none of them", async () => {
      const models = Array.from({ length: 2_001 }, () => modelRecord({ aliases: [unique("alias")] }));
      const channels = Array.from({ length: 2_001 }, () => channelRecord());
      await store.models.insert(...models);
      await store.channels.insert(...channels);
      const storedModels = new Map((await store.models.all()).map((one) => [one.name, one]));
      const storedChannels = new Map((await store.channels.all()).map((one) => [one.id, one]));
      expect(models.map(({ name }) => storedModels.get(name))).toEqual(models);
      expect(channels.map(({ id }) => storedChannels.get(id))).toEqual(channels);
      const [model = modelRecord()] = models;
      const [channel = channelRecord()] = channels;
      const newModels = Array.from({ length: 600 }, () => modelRecord());
      const newChannels = Array.from({ length: 600 }, () => channelRecord());
      await expect(
        store.models.insert(...newModels, modelRecord({ aliases: model.aliases })),
      ).rejects.toMatchObject({ code: "conflict" });
      await expect(store.channels.insert(...newChannels, channel)).rejects.toMatchObject({
        code: "conflict",
      });
      expect((await store.models.all()).map(({ name }) => name)).not.toContain(newModels[0]?.name);
      expect(await store.channels.find(newChannels[0]?.id ?? "")).toBeNull();
    });

    test("reports no change when nothing is inserted", async () => {
      const notified: string[] = [];
      const stop = store.onChange((topics) => notified.push(...topics));
      await store.models.insert();
      await store.channels.insert();
      stop();
      expect(notified).toEqual([]);
    });

    test("stores settings as JSON values by name", async () => {
      const values = { text: "ü", list: [1, null, { deep: true }], no: false, nothing: null, number: 1.5 };
      for (const [name, value] of Object.entries(values)) await store.settings.put(name, value);
      expect(await store.settings.all()).toEqual(values);
      await store.settings.put("list", []);
      expect(await store.settings.all()).toEqual({ ...values, list: [] });
    });
  });
}
