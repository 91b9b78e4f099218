import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { UpstreamProgress } from "@/lib/ports/upstream-progress";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";

interface Shown {
  id: string;
  name: string;
  version: number;
  priority: number;
}

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
let made: [Shown, Shown, Shown];
const create = async (name: string, fields: object = {}) => {
  services.clock.advance(1);
  const body = { name, provider: "openai", ...fields };
  return (await harness("/api/channels", { body, cookie: owner })).json.data;
};
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
  made = [await create("A"), await create("B"), await create("C")];
});
afterEach(() => services.close());

const at = ({ id, version }: Shown) => ({ id, version });
const order = (tiers: object[][], cookie = owner) =>
  harness("/api/channels/order", { body: { tiers }, cookie });
const listed = async (): Promise<Shown[]> =>
  (await harness("/api/channels", { cookie: owner })).json.data.items;
const priorities = async () => (await listed()).map((one) => [one.name, one.priority]);

describe("the order of channels", () => {
  test("is set for all channels at once, with a shared priority per tier", async () => {
    const [a, b, c] = made;
    const reply = await order([[at(c)], [at(a), at(b)]]);
    expect(reply.json.data.items.map((one: Shown) => one.name)).toEqual(["C", "A", "B"]);
    expect(await priorities()).toEqual([
      ["C", 0],
      ["A", 1],
      ["B", 1],
    ]);
  });

  test("is refused when a channel was changed, added or removed since", async () => {
    const [a, b, c] = made;
    await harness(`/api/channels/${c.id}`, {
      method: "PATCH",
      body: { version: 1, weight: 3 },
      cookie: owner,
    });
    expect((await order([[at(b)], [at(a)], [at(c)]])).status).toBe(409);
    expect((await order([[at(b)], [at(a)]])).status).toBe(409);
    const unknown = { id: "chn_none", version: 1 };
    expect((await order([[at(b)], [at(a)], [unknown]])).status).toBe(409);
    expect(await priorities()).toEqual([
      ["A", 0],
      ["B", 0],
      ["C", 0],
    ]);
  });

  test("must name each channel once, in the contract's form, and be sent by an administrator", async () => {
    const [a, b, c] = made;
    expect((await order([[at(a), at(a)], [at(b)], [at(c)]])).status).toBe(400);
    expect((await order([[], [at(a), at(b), at(c)]])).status).toBe(400);
    expect((await order([[{ ...at(a), priority: 1 }], [at(b)], [at(c)]])).status).toBe(400);
    const mia = await addUser(harness, owner, { username: "mia" });
    expect((await order([[at(a), at(b), at(c)]], mia.cookie)).status).toBe(403);
    expect((await harness("/api/channels/order", { body: { tiers: [] } })).status).toBe(401);
  });

  test("writes one audit row with the moved channels, and none without changes", async () => {
    const [a, b, c] = made;
    await order([[at(a), at(b), at(c)]]);
    await order([[at(a), at(b)], [at(c)]]);
    const { json } = await harness("/api/audit", { cookie: owner });
    const rows = json.data.items.filter((row: { action: string }) => row.action === "channel.order");
    expect(rows).toHaveLength(1);
    expect(rows[0].detail).toMatchObject({ before: { [c.id]: 0 }, after: { [c.id]: 1 } });
  });
});

describe("an open circuit", () => {
  const breakKeys = async (id: string) => {
    const record = await services.store.channels.find(id);
    const refused = () =>
      new AppError("upstream_error", "No.", { upstreamStatus: 401, upstreamRefusal: "credentials" });
    for (const key of record?.keys ?? [])
      services.state.circuits.enter(id, key.id, "m").failed(refused(), new UpstreamProgress());
  };
  const shown = async (id: string) => (await harness(`/api/channels/${id}`, { cookie: owner })).json.data;

  test("shows its reason, and its retry time per key", async () => {
    const { id } = await create("Keyed", { keys: ["sk-first-key-0001", "sk-second-key-0002"] });
    await breakKeys(id);
    const { health, keys } = await shown(id);
    expect(health).toMatchObject({ state: "open", reason: "credentials" });
    expect(Date.parse(health.retry_at) - services.clock.now()).toBe(30_000);
    expect(keys.map((key: { state: string }) => key.state)).toEqual(["open", "open"]);
  });

  test("of one model leaves the channel healthy and names the model; closing it resumes traffic", async () => {
    const models = ["good", "bad"].map((name) => ({ name, upstream_name: name, operation: "speech" }));
    const { id } = await create("Two models", { models });
    const { circuits } = services.state;
    for (let time = 0; time < 5; time += 1)
      circuits
        .enter(id, null, "bad")
        .failed(new AppError("upstream_invalid", "Not audio."), new UpstreamProgress());
    const { health, broken_models } = await shown(id);
    expect(health.state).toBe("closed");
    expect(broken_models).toMatchObject([{ name: "bad", state: "open", reason: "failures" }]);
    services.clock.advance(30_000);
    expect((await shown(id)).broken_models).toMatchObject([{ name: "bad", state: "half_open" }]);
    const closed = await harness(`/api/channels/${id}/close`, { body: {}, cookie: owner });
    expect(closed.json.data.broken_models).toEqual([]);
    expect(circuits.access(id, null, "bad")).toBe("closed");
  });

  test("is closed when the channel's models are changed", async () => {
    const { id, version } = await create("Mistyped");
    const failed = new AppError("invalid", "No such model.", { upstreamStatus: 404, isUnknownModel: true });
    for (let time = 0; time < 5; time += 1)
      services.state.circuits.enter(id, null, "tts").failed(failed, new UpstreamProgress());
    const models = [{ name: "tts", upstream_name: "tts-1", operation: "speech" }];
    const body = { version, models };
    const { json } = await harness(`/api/channels/${id}`, { method: "PATCH", body, cookie: owner });
    expect(json.data).toMatchObject({ health: { state: "closed" }, broken_models: [] });
  });

  test("can be closed manually for one key or all, with an audit row", async () => {
    const { id, keys } = await create("Keyed", { keys: ["sk-first-key-0001", "sk-second-key-0002"] });
    await breakKeys(id);
    const close = (body: object, cookie = owner) => harness(`/api/channels/${id}/close`, { body, cookie });
    const states = async () => (await shown(id)).keys.map((key: { state: string }) => key.state);
    expect((await close({ key_id: keys[1].id })).json.data.health.state).toBe("closed");
    expect(await states()).toEqual(["open", "closed"]);
    await close({});
    expect(await states()).toEqual(["closed", "closed"]);
    expect((await close({ key_id: "chk_none" })).status).toBe(404);
    expect((await close({ force: true })).status).toBe(400);
    const mia = await addUser(harness, owner, { username: "mia" });
    expect((await close({}, mia.cookie)).status).toBe(403);
    const { json } = await harness("/api/audit", { cookie: owner });
    const rows = json.data.items.filter((row: { action: string }) => row.action === "channel.close_circuit");
    expect(rows.map((row: { detail: { upstream_key?: string } }) => row.detail.upstream_key)).toEqual([
      undefined,
      keys[1].id,
    ]);
  });
});
