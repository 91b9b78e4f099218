import { afterEach, beforeEach, expect, test } from "vitest";
import { playgroundModels } from "@/lib/console/models/playground-models";
import { AppError } from "@/lib/errors";
import { UpstreamProgress } from "@/lib/ports/upstream-progress";
import { type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { channelRecord, usageRecord } from "../support/factories";
import { type TestServices, testServices } from "../support/services";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const names = async () => {
  const [user] = (await services.store.users.list({ limit: 1, cursor: null, q: null })).items;
  if (user === undefined) throw new Error("There is no owner.");
  const caller = { kind: "session" as const, user, session: { userId: user.id } as never };
  const entries = await playgroundModels({ ...services, caller }, "embeddings");
  return { user, names: entries.map((entry) => entry.model.name) };
};
const channel = async (name: string, model: string) => {
  const models = [{ name: model, upstream_name: model, operation: "embeddings" }];
  const reply = await harness("/api/channels", { body: { name, provider: "openai", models }, cookie: owner });
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data.id as string;
};

const builtIn = async (model: string, provider: string) => {
  const reply = await harness("/api/models", {
    body: { name: model, operation: "embeddings" },
    cookie: owner,
  });
  expect(reply.status, reply.text).toBe(200);
  const models = [{ name: model, upstreamName: model }];
  const record = channelRecord({
    id: `chn_${provider}`,
    name: provider,
    provider,
    embedded: true,
    keys: [],
    models,
  });
  await services.store.transaction((tx) => tx.channels.insert(record));
};
const breakModel = (channelId: string, model: string) =>
  services.state.circuits
    .enter(channelId, null, model)
    .failed(
      new AppError("upstream_error", "No.", { upstreamStatus: 402, upstreamRefusal: "account" }),
      new UpstreamProgress(),
    );

test("lists free models first, semantic before lexical, then those without a price, and those that are down last", async () => {
  const down = await channel("Down", "a-down");
  await channel("Up", "b-unpriced");
  await channel("Up too", "text-embedding-3-small");
  await builtIn("c-lexical", "lexical");
  await builtIn("d-semantic", "semantic");
  breakModel(down, "a-down");
  expect((await names()).names).toEqual([
    "d-semantic",
    "c-lexical",
    "text-embedding-3-small",
    "b-unpriced",
    "a-down",
  ]);
});

test("lists first the model that the user's playground called last, not one called with another key", async () => {
  const id = await channel("Up", "b-unpriced");
  await builtIn("c-lexical", "lexical");
  const { user } = await names();
  const first = async () => (await names()).names[0];
  expect(await first()).toBe("c-lexical");
  const settle = (keyId: string, at: number) =>
    services.store.ledger.settle(
      usageRecord(keyId, user.id, {
        at,
        model: "b-unpriced",
        operation: "embeddings",
        state: "settled",
        status: 200,
      }),
      { day: "2026-09-21", month: "2026-09" },
    );
  await settle("key_program", services.clock.now());
  expect(await first()).toBe("c-lexical");
  await settle("play_1", services.clock.now() - 60_000);
  expect(await first()).toBe("b-unpriced");
  breakModel(id, "b-unpriced");
  expect(await first()).toBe("c-lexical");
});
