import { expect, test, vi } from "vitest";
import { createCatalog } from "../../../lib/gateway/admission/catalog";
import type { ChannelRecord, ModelRecord, Store, Topic } from "../../../lib/ports/store";
import { channelRecord, modelRecord } from "../../support/factories";

/** A store with these models and channels, which never change. */
function storeOf(models: ModelRecord[], channels: ChannelRecord[]): Store {
  const fields = { models: { all: async () => models }, channels: { all: async () => channels } };
  return { ...fields, onChange: () => () => undefined } as unknown as Store;
}

const forgetNone = () => undefined;
const served = (name: string) => ({ name, upstreamName: `upstream-${name}` });

test("a model has the enabled channels that serve it, in their order, and the disabled ones apart", async () => {
  const both = [served("a"), served("b")];
  const [first, second, disabled] = [
    channelRecord({ models: both }),
    channelRecord({ models: both }),
    channelRecord({ models: [served("b")], enabled: false }),
  ];
  const catalog = createCatalog(
    storeOf(
      [modelRecord({ name: "b" }), modelRecord({ name: "a" }), modelRecord({ name: "c" })],
      [first, second, disabled],
    ),
    forgetNone,
  );
  const routes = (name: string) => [
    { channel: first, upstreamName: `upstream-${name}` },
    { channel: second, upstreamName: `upstream-${name}` },
  ];
  expect((await catalog.all()).map(({ model, ...entry }) => ({ name: model.name, ...entry }))).toEqual([
    { name: "a", routes: routes("a"), disabledChannels: [] },
    { name: "b", routes: routes("b"), disabledChannels: [disabled] },
    { name: "c", routes: [], disabledChannels: [] },
  ]);
});

test("reads the models of each channel once, however many models there are", async () => {
  let reads = 0;
  const channels = Array.from({ length: 100 }, (_, index) => {
    const channel = channelRecord({ models: [served(`model-${index}`)] });
    const { models } = channel;
    Object.defineProperty(channel, "models", {
      get: () => {
        reads += 1;
        return models;
      },
    });
    return channel;
  });
  const models = channels.map((_, index) => modelRecord({ name: `model-${index}` }));
  const entries = await createCatalog(storeOf(models, channels), forgetNone).all();
  expect(entries.map(({ routes }) => routes.length)).toEqual(models.map(() => 1));
  expect(reads).toBe(channels.length);
});

test("reads the store again after a failed read, and only once for all later calls", async () => {
  const store = storeOf([modelRecord({ name: "a" })], []);
  const read = store.models.all;
  let reads = 0;
  const failing = {
    ...store,
    models: {
      all: () => {
        reads += 1;
        return reads === 1 ? Promise.reject(new Error("locked")) : read();
      },
    },
  } as unknown as Store;
  const catalog = createCatalog(failing, forgetNone);
  await expect(catalog.find("a")).rejects.toThrow("locked");
  expect((await catalog.find("a"))?.model.name).toBe("a");
  expect(await catalog.find("b")).toBe(null);
  expect(reads).toBe(2);
});

test("forgets deleted and replaced channels once another process has changed them, without a call", async () => {
  const names = ["kept", "renamed", "moved", "enabled", "created again", "deleted"];
  const before = names.map((id) => channelRecord({ id, createdAt: 1, enabled: id !== "enabled" }));
  let channels = before;
  const listeners: ((topics: ReadonlySet<Topic>) => void)[] = [];
  const store = {
    models: { all: async () => [] },
    channels: { all: async () => channels },
    onChange: (listener: (topics: ReadonlySet<Topic>) => void) => listeners.push(listener),
  } as unknown as Store;
  const forgotten: string[] = [];
  const catalog = createCatalog(store, (id) => forgotten.push(id));
  await catalog.all();
  const changes: Record<string, Partial<ChannelRecord>> = {
    renamed: { name: "Other", weight: 9 },
    moved: { baseUrl: "https://elsewhere.example/v1" },
    enabled: { enabled: true },
    "created again": { createdAt: 2 },
  };
  channels = before.filter(({ id }) => id !== "deleted").map((one) => ({ ...one, ...changes[one.id] }));
  for (const listener of listeners) listener(new Set(["channels"]));
  await vi.waitFor(() => expect(forgotten).toEqual(["moved", "enabled", "created again", "deleted"]));
  for (const listener of listeners) listener(new Set(["channels"]));
  await catalog.all();
  expect(forgotten).toHaveLength(4);
});
