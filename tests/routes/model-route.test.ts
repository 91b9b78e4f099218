import { afterEach, beforeEach, expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { UpstreamProgress } from "@/lib/ports/upstream-progress";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { PERIOD, usageRecord } from "../support/factories";
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

const create = async (name: string, fields: object = {}) => {
  const models = [{ name: "tts", upstream_name: `${name}-tts`, operation: "speech" }];
  const body = { name, provider: "openai", models, ...fields };
  const reply = await harness("/api/channels", { body, cookie: owner });
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data.id as string;
};
const route = (model: string, cookie = owner) =>
  harness(`/api/models/${encodeURIComponent(model)}/route`, { cookie });
const patchModel = (body: object) =>
  harness("/api/models/tts", { method: "PATCH", body: { version: 1, ...body }, cookie: owner });

test("shows the route in channel order, by name or alias", async () => {
  await create("second", { priority: 5 });
  await create("first");
  await patchModel({ aliases: ["voice"] });
  const { data } = (await route("voice")).json;
  expect(data).toMatchObject({ model: "tts", operation: "speech", enabled: true, attempts: 2, skipped: [] });
  expect(data.turns).toMatchObject([
    { priority: 0, channels: [{ name: "first", upstream_name: "first-tts", share: 1, use: "none" }] },
    { priority: 5, channels: [{ name: "second", share: 1 }] },
  ]);
});

test("shows each channel's use by recent requests for this model", async () => {
  const id = await create("first");
  const use = async () => (await route("tts")).json.data.turns[0].channels[0].use;
  const { data: key } = (await harness("/api/keys", { body: { name: "robot" }, cookie: owner })).json;
  const settle = (model: string) =>
    services.store.ledger.settle(
      usageRecord(key.id, key.owner_id, { at: services.clock.now(), model, channelId: id }),
      PERIOD,
    );
  await settle("another");
  expect(await use()).toBe("none");
  await settle("tts");
  expect(await use()).toBe("serving");
});

test("lists skipped channels separately, each with the reason and until when", async () => {
  const broken = await create("broken");
  await create("off", { enabled: false });
  await create("well", { priority: 1 });
  const error = new AppError("upstream_error", "No.", { upstreamStatus: 402, upstreamRefusal: "account" });
  services.state.circuits.enter(broken, null, "tts").failed(error, new UpstreamProgress());
  const { data } = (await route("tts")).json;
  expect(data.turns.flatMap((turn: { channels: object[] }) => turn.channels)).toMatchObject([
    { name: "well" },
  ]);
  expect(data.skipped).toMatchObject([
    { name: "broken", reason: "circuit", circuit_reason: "account" },
    { name: "off", reason: "disabled", circuit_reason: null, until: null },
  ]);
  expect(Date.parse(data.skipped[0].until) - services.clock.now()).toBe(30_000);
});

test("shows a channel as down, then as recovering with one probe, in the route and the list of models", async () => {
  const broken = await create("broken");
  const stateOf = async () => {
    const { items } = (await harness("/api/models", { cookie: owner })).json.data;
    const tts = items.find((one: { name: string }) => one.name === "tts");
    return tts.channels.map((one: { name: string; state: string }) => [one.name, one.state]);
  };
  expect(await stateOf()).toEqual([["broken", "closed"]]);
  const error = new AppError("upstream_error", "No.", { upstreamStatus: 402, upstreamRefusal: "account" });
  services.state.circuits.enter(broken, null, "tts").failed(error, new UpstreamProgress());
  expect(await stateOf()).toEqual([["broken", "open"]]);
  expect((await route("tts")).json.data).toMatchObject({
    turns: [],
    recovering: [],
    skipped: [{ name: "broken" }],
  });
  services.clock.advance(30_000);
  expect(await stateOf()).toEqual([["broken", "half_open"]]);
  expect((await route("tts")).json.data).toMatchObject({
    turns: [],
    skipped: [],
    recovering: [{ name: "broken", health: { state: "half_open", reason: "account" } }],
  });
});

test("shows no route for a disabled model and an empty one for a model without channels", async () => {
  await create("only");
  await patchModel({ enabled: false });
  expect((await route("tts")).json.data).toMatchObject({ enabled: false, turns: [] });
  await harness("/api/models", { body: { name: "lonely", operation: "speech" }, cookie: owner });
  expect((await route("lonely")).json.data).toMatchObject({ enabled: true, turns: [], skipped: [] });
});

test("changes and deletes a model whose name ends in /route, with its slash unencoded", async () => {
  const created = await harness("/api/models", {
    body: { name: "acme/route", operation: "speech" },
    cookie: owner,
  });
  expect(created.status, created.text).toBe(200);
  const path = "/api/models/acme/route";
  const changed = await harness(path, {
    method: "PATCH",
    body: { version: 1, description: "Fast." },
    cookie: owner,
  });
  expect(changed.json.data, changed.text).toMatchObject({ name: "acme/route", description: "Fast." });
  expect((await harness(path, { method: "DELETE", cookie: owner })).status).toBe(200);
  const wrong = await harness(path, { method: "PUT", body: {}, cookie: owner });
  expect([wrong.status, wrong.headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("needs an administrator and an existing model", async () => {
  await create("only");
  const mia = await addUser(harness, owner, { username: "mia" });
  expect((await route("tts", mia.cookie)).status).toBe(403);
  expect((await harness("/api/models/tts/route")).status).toBe(401);
  expect((await route("nothing")).status).toBe(404);
});
