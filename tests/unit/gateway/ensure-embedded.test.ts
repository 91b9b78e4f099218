import { beforeEach, expect, test } from "vitest";
import { ensureEmbedded } from "@/lib/console/channels/ensure-embedded";
import type { ChannelRecord, ModelRecord, Repositories, Store } from "@/lib/ports/store";
import { EMBEDDED_PROVIDERS } from "@/lib/providers/registry";
import { embedModel, FakeClock } from "../../support/factories";

let channels: Map<string, ChannelRecord>;
let models: Map<string, ModelRecord>;
let store: Store;

beforeEach(() => {
  channels = new Map();
  models = new Map();
  const tx = {
    channels: {
      find: async (id: string) => channels.get(id) ?? null,
      insert: async (one: ChannelRecord) => void channels.set(one.id, one),
    },
    models: {
      all: async () => [...models.values()],
      insert: async (one: ModelRecord) => void models.set(one.name, one),
    },
  } as unknown as Repositories;
  let last: Promise<unknown> = Promise.resolve();
  // One write transaction at a time, like the store.
  store = {
    transaction: (work: (tx: Repositories) => Promise<unknown>) => {
      last = last.then(() => work(tx));
      return last;
    },
  } as unknown as Store;
});

test("adds the built-in engines with one model each to an empty store", async () => {
  await ensureEmbedded(store, new FakeClock());
  expect([...models.keys()].sort()).toEqual(["patchbay-embed", "patchbay-embed-en", "patchbay-speech"]);
  expect([...channels.values()].map((one) => one.name)).toEqual([
    "Built-in speech",
    "Built-in English embeddings",
    "Built-in embeddings",
  ]);
  for (const channel of channels.values()) {
    expect(channel.embedded).toBe(true);
    expect(EMBEDDED_PROVIDERS.map(({ name }) => name)).toContain(channel.provider);
    for (const served of channel.models) expect(models.has(served.name)).toBe(true);
  }
});

test("changes nothing at concurrent and later starts", async () => {
  const clock = new FakeClock();
  await Promise.all(Array.from({ length: 8 }, () => ensureEmbedded(store, clock)));
  const before = structuredClone([...channels.values(), ...models.values()]);
  clock.at += 1_000;
  await ensureEmbedded(store, clock);
  expect([...channels.values(), ...models.values()]).toEqual(before);
});

test("adds an engine that is new in this version to an existing installation", async () => {
  await ensureEmbedded(store, new FakeClock());
  channels.delete("chn_builtin_semantic");
  models.delete("patchbay-embed-en");
  const before = structuredClone([...channels.values()]);
  await ensureEmbedded(store, new FakeClock());
  expect(channels.get("chn_builtin_semantic")).toMatchObject({ provider: "semantic", enabled: true });
  expect(models.get("patchbay-embed-en")).toMatchObject({ operation: "embeddings", dimensions: 512 });
  expect([...channels.values()].slice(0, 2)).toEqual(before);
});

test("does not restore a built-in model that the operator deleted or renamed", async () => {
  await ensureEmbedded(store, new FakeClock());
  models.delete("patchbay-embed");
  await ensureEmbedded(store, new FakeClock());
  expect(models.has("patchbay-embed")).toBe(false);

  channels.clear();
  models.clear();
  const own = embedModel({ name: "mine", aliases: ["patchbay-embed"] });
  models.set("mine", own);
  await ensureEmbedded(store, new FakeClock());
  expect([...models.keys()].sort()).toEqual(["mine", "patchbay-embed-en", "patchbay-speech"]);
});
