import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ensureEmbedded } from "../../lib/console/channels/ensure-embedded";
import { toTimestamp } from "../../lib/contracts/timestamp";
import { AppError } from "../../lib/errors";
import type { UsageRecord } from "../../lib/ports/store";
import { UpstreamProgress } from "../../lib/ports/upstream-progress";
import {
  addUser,
  type ConsoleHarness,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { PERIOD, usageRecord } from "../support/factories";
import { freePort } from "../support/product";
import { type TestServices, testServices } from "../support/services";
import { readStoreBytes } from "../support/store-bytes";
import { startUpstream, type Upstream } from "../support/upstream/server";

const SECRET = "sk-upstream-0123456789abcdef";

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
beforeEach(async () => {
  services = await testServices({ upstreamAllow: ["127.0.0.1"] });
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const draft = (fields: object = {}) => ({
  name: "Loopback",
  provider: "openai",
  base_url: `${upstream.origin}/v1`,
  keys: [SECRET],
  models: [
    { name: "speech-a", upstream_name: "tts-1" },
    { name: "embed-a", upstream_name: "text-embedding-3-small" },
  ],
  ...fields,
});
const create = async (fields: object = {}, cookie = owner) => {
  const reply = await harness("/api/channels", { body: draft(fields), cookie });
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data;
};
const patch = (id: string, body: object, cookie = owner) =>
  harness(`/api/channels/${id}`, { method: "PATCH", body, cookie });
const models = async () => (await harness("/api/models", { cookie: owner })).json.data.items;

test("reports a stored change as done when usage cannot be read after it", async () => {
  const { ledger } = services.store;
  const { summarize } = ledger;
  const transaction = services.store.transaction.bind(services.store);
  services.store.transaction = async (work) => {
    const result = await transaction(work);
    ledger.summarize = async () => {
      throw new AppError("storage_unavailable", "All connections are in use.");
    };
    return result;
  };
  const statusOf = async (reply: Promise<{ status: number }>) => {
    const { status } = await reply;
    ledger.summarize = summarize;
    return status;
  };
  const made = await statusOf(harness("/api/channels", { body: draft(), cookie: owner }));
  const channels = await services.store.channels.all();
  const { id = "", version } = channels.find(({ name }) => name === "Loopback") ?? {};
  const tiers = [channels.map((one) => ({ id: one.id, version: one.version }))];
  expect([
    made,
    await statusOf(patch(id, { version, weight: 2 })),
    await statusOf(harness(`/api/channels/${id}/close`, { body: {}, cookie: owner })),
  ]).toEqual([200, 200, 200]);
  const read = await services.store.channels.find(id);
  const after = tiers.map((tier) =>
    tier.map((one) => (one.id === id ? { id, version: read?.version } : one)),
  );
  expect(await statusOf(harness("/api/channels/order", { body: { tiers: after }, cookie: owner }))).toBe(200);
  const user = { username: "mia", password: "nine blue lanterns drift" };
  expect(await statusOf(harness("/api/users", { body: user, cookie: owner }))).toBe(200);
});

describe("the label of an upstream key", () => {
  const labelsOf = (reply: { json: { data: { keys: { label: string | null }[] } } }) =>
    reply.json.data.keys.map((key) => key.label);

  test("is stored, kept, changed and removed, and names the key in the audit log", async () => {
    const made = await create({
      keys: [{ key: SECRET, label: " Team <b>North</b> " }, "sk-second-key-wxyz"],
    });
    expect(made.keys).toMatchObject([
      { label: "Team <b>North</b>", display: "****cdef" },
      { label: null, display: "****wxyz" },
    ]);
    const [first, second] = made.keys.map((key: { id: string }) => ({ id: key.id }));
    const kept = await patch(made.id, { version: 1, keys: [first, { ...second, label: "South" }] });
    expect(labelsOf(kept)).toEqual(["Team <b>North</b>", "South"]);
    const removed = await patch(made.id, { version: 2, keys: [{ ...first, label: null }, second] });
    expect(labelsOf(removed)).toEqual([null, "South"]);
    const audit = await harness("/api/audit?action=channel", { cookie: owner });
    expect(audit.text).not.toContain(SECRET);
    expect(audit.json.data.items[0].detail.after.keys).toEqual(["****cdef", "South"]);
    const updates = await harness("/api/audit?action=channel.update", { cookie: owner });
    expect(updates.json.data.items[0].target_name).toBe(made.name);
  });

  test("is unique in its channel and one line of at most 60 characters", async () => {
    const made = await create({ keys: [{ key: SECRET, label: "North" }] });
    const [{ id }] = made.keys;
    const taken = await patch(made.id, {
      version: 1,
      keys: [{ id }, { key: "sk-second-key", label: "NORTH" }],
    });
    expect([taken.status, taken.json.issues]).toEqual([
      400,
      [{ path: "keys.1.label", message: "Another key of this channel already has this label." }],
    ]);
    for (const label of ["", "a".repeat(61), "two\nlines", "hidden\u202e"])
      expect((await patch(made.id, { version: 1, keys: [{ id, label }] })).status, label).toBe(400);
    expect((await patch(made.id, { version: 1, keys: [{ id, label: "a".repeat(60) }] })).status).toBe(200);
  });

  test("does not let stored keys be sent to another address", async () => {
    const made = await create({ keys: [{ key: SECRET, label: "North" }] });
    const base_url = `${upstream.origin}/other`;
    const stolen = [{ id: made.keys[0].id, label: "x" }];
    expect((await patch(made.id, { version: 1, base_url, keys: stolen })).status).toBe(400);
    const entered = [{ key: "sk-new-key-wxyz", label: "North" }];
    expect((await patch(made.id, { version: 1, base_url, keys: entered })).status).toBe(200);
  });
});

test("counts a channel's failed attempts that failed over", async () => {
  const made = await create();
  const member = await addUser(harness, owner, { username: "mia" });
  const key = (await harness("/api/keys", { body: { name: "robot" }, cookie: owner })).json.data;
  const attempt = {
    keyId: made.keys[0].id,
    startedMs: 0,
    firstByteMs: null,
    endedMs: 5,
    upstreamStatus: 500,
    message: "Out of order.",
  };
  const row = usageRecord(key.id, key.owner_id, {
    at: services.clock.now() - 1_000,
    state: "settled",
    status: 200,
    reservedNano: 0,
    channelId: "chn_other",
    attempts: 2,
    trace: {
      admittedMs: 0,
      settledMs: 5,
      attempts: [
        { ...attempt, channelId: made.id, error: "upstream_error" },
        { ...attempt, channelId: "chn_other", keyId: null, error: null, upstreamStatus: null, message: null },
      ],
      skipped: [],
    },
  });
  await services.store.ledger.settle(row, PERIOD);
  await services.store.ledger.settle({ ...row, id: `${row.id}2`, model: "speech-b" }, PERIOD);
  const counted = await harness("/api/channels/attempts", { cookie: owner });
  expect(counted.json.data).toEqual({ items: [{ channel_id: made.id, failovers: 2 }] });
  const minute = Math.floor(row.at / 60_000) * 60_000;
  const countIn = async (from: number, to: number) => {
    const range = new URLSearchParams({ from: toTimestamp(from), to: toTimestamp(to) });
    return (await harness(`/api/channels/attempts?${range}`, { cookie: owner })).json.data.items;
  };
  expect(await countIn(minute, minute + 60_000)).toEqual([{ channel_id: made.id, failovers: 2 }]);
  expect(await countIn(minute - 60_000, minute)).toEqual([]);
  const { items } = (await harness(`/api/channels/${made.id}/errors`, { cookie: owner })).json.data;
  const failed = { error: "upstream_error", key: "****cdef", status: 200 };
  expect(items).toMatchObject([failed, failed]);
  expect((await harness("/api/channels/attempts", { cookie: member.cookie })).status).toBe(403);
});

describe("the use of a channel in the last 24 hours", () => {
  const settle = async (fields: Partial<UsageRecord>) => {
    const [key] = (await harness("/api/keys", { cookie: owner })).json.data.items;
    const { id, owner_id } =
      key ?? (await harness("/api/keys", { body: { name: "robot" }, cookie: owner })).json.data;
    const settled = { at: services.clock.now(), model: "embed-a", ...fields };
    await services.store.ledger.settle(usageRecord(id, owner_id, settled), PERIOD);
  };
  const failed = { status: 502, error: "upstream_error" } as const;
  /** The use of the channel in the list and on its page, and of its two models. */
  const uses = async (id: string) => {
    const { items } = (await harness("/api/channels", { cookie: owner })).json.data;
    const ofModels = (await models())
      .filter((model: { name: string }) => model.name.endsWith("-a"))
      .map((model: { channels: { use: string }[] }) => model.channels[0]?.use);
    const shown = (await harness(`/api/channels/${id}`, { cookie: owner })).json.data.use;
    return [items.find((one: { id: string }) => one.id === id).use, shown, ...ofModels];
  };

  test("is none without requests, failing until one succeeds, and separate for each model", async () => {
    const { id, use } = await create();
    expect(use).toBe("none");
    expect(await uses(id)).toEqual(["none", "none", "none", "none"]);
    await settle({ channelId: "chn_other" });
    await settle({ channelId: id, at: services.clock.now() - 25 * 3_600_000 });
    expect(await uses(id)).toEqual(["none", "none", "none", "none"]);
    await settle({ channelId: id, ...failed });
    expect(await uses(id)).toEqual(["failing", "failing", "failing", "none"]);
    await settle({ channelId: id, model: "speech-a" });
    await settle({ channelId: id, ...failed });
    expect(await uses(id)).toEqual(["serving", "serving", "failing", "serving"]);
  });

  test("is failing when every request failed over to another channel", async () => {
    const { id } = await create();
    const attempt = { startedMs: 0, firstByteMs: null, endedMs: 5, upstreamStatus: 500, message: null };
    const attempts = [
      { ...attempt, channelId: id, keyId: null, error: "upstream_error" },
      { ...attempt, channelId: "chn_other", keyId: null, error: null },
    ] as const;
    const trace = { admittedMs: 0, settledMs: 5, attempts: [...attempts], skipped: [] };
    await settle({ channelId: "chn_other", attempts: 2, trace });
    expect(await uses(id)).toEqual(["failing", "failing", "failing", "none"]);
  });
});

describe("a channel", () => {
  test("is created, listed and shown with only the last four characters of its key", async () => {
    const made = await create();
    expect(made).toMatchObject({
      name: "Loopback",
      keys: [{ display: "****cdef", state: "closed" }],
      version: 1,
    });
    const listed = await harness("/api/channels", { cookie: owner });
    expect(listed.json.data.items.map((one: { id: string }) => one.id)).toContain(made.id);
    const shown = await harness(`/api/channels/${made.id}`, { cookie: owner });
    for (const text of [listed.text, shown.text, services.logged.join(), JSON.stringify(made)]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain("encrypted");
    }
    expect(readStoreBytes(services.dataDirectory).includes(SECRET)).toBe(false);
  });

  test.each([
    [{ foo: 1 }, "options.foo", "Unknown field."],
    [{ batching: "x" }, "options.batching", "Must be a boolean, not a string."],
    [
      { sample_rate: "24000" },
      "options.sample_rate",
      "Must be 8000 or 16000 or 22050 or 24000 or 32000 or 44100 or 48000.",
    ],
  ])("answers 400 to the options %j and says what is accepted", async (options, path, message) => {
    const reply = await harness("/api/channels", { body: draft({ options }), cookie: owner });
    expect([reply.status, reply.json.issues]).toEqual([400, [{ path, message }]]);
    expect(reply.json.message).toBe(`${path}: ${message}`);
  });

  test("accepts the old name of batching in options and returns the new one", async () => {
    const made = await create({ options: { coalescing: false } });
    expect(made.options).toEqual({ batching: false });
    const changed = await patch(made.id, { version: 1, options: { batching: true, coalescing: false } });
    expect(changed.json.data.options).toEqual({ batching: true });
  });

  test("creates models for unknown names, with prices of the shipped list", async () => {
    await create();
    const made = (await models()).filter((model: { name: string }) => model.name.endsWith("-a"));
    expect(made).toMatchObject([
      {
        name: "embed-a",
        operation: "embeddings",
        dimensions: 1536,
        prices: { input_per_million_tokens: "0.020000000" },
      },
      { name: "speech-a", operation: "speech", prices: { input_per_million_characters: "15.000000000" } },
    ]);
  });

  test("gets prices from a price list whose date is shown", async () => {
    const { json } = await harness("/api/models", { cookie: owner });
    expect(json.data.price_list_date).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  test("needs a model's operation when neither the name nor the provider implies it", async () => {
    const models = [{ name: "mystery", upstream_name: "blue-owl" }];
    const reply = await harness("/api/channels", { body: draft({ models }), cookie: owner });
    expect(reply.status).toBe(400);
    expect(reply.json.issues[0].path).toBe("models.0.operation");
    const named = [{ ...models[0], operation: "speech" }];
    expect((await create({ models: named })).models).toHaveLength(1);
  });

  test("retains keys by ID, adds new ones and deletes omitted ones", async () => {
    const made = await create();
    const kept = made.keys[0].id;
    const both = await patch(made.id, { version: 1, keys: [{ id: kept }, "sk-second-key-wxyz"] });
    expect(both.json.data.keys.map((key: { display: string }) => key.display)).toEqual([
      "****cdef",
      "****wxyz",
    ]);
    const one = await patch(made.id, { version: 2, keys: [{ id: both.json.data.keys[1].id }] });
    expect(one.json.data.keys).toHaveLength(1);
    expect((await patch(made.id, { version: 3, keys: [{ id: kept }] })).status).toBe(400);
    const { id } = one.json.data.keys[0];
    const twice = await patch(made.id, { version: 3, keys: [{ id }, { id }] });
    expect([twice.status, twice.json.issues?.[0]?.path]).toEqual([400, "keys.1.id"]);
  });

  test.each([
    ["host", () => "https://example.com/v1"],
    ["path of the same host, which may belong to another customer", () => `${upstream.origin}/v1/tenant`],
  ])("never sends a stored key to another %s: keys must be entered again", async (_name, addressOf) => {
    const base_url = addressOf();
    const made = await create();
    const kept = [{ id: made.keys[0].id }];
    for (const body of [
      { base_url },
      { base_url, keys: kept },
      { base_url, keys: ["sk-new-key-wxyz", ...kept] },
    ]) {
      const refused = await patch(made.id, { version: 1, ...body });
      expect(refused.status).toBe(400);
      expect(refused.json.issues[0].path).toBe("keys");
    }
    const moved = await patch(made.id, { version: 1, base_url, keys: ["sk-new-key-wxyz"] });
    expect(moved.json.data).toMatchObject({ base_url, keys: [{ display: "****wxyz" }] });
    const sameUrl = await patch(made.id, { version: 2, base_url: `${base_url}/` });
    expect([sameUrl.status, sameUrl.json.data?.base_url]).toEqual([200, base_url]);
  });

  test.each(["Authorization", "x-api-key", "X-Secret-Word", "cookie"])(
    "refuses the header %s, because every administrator can see a channel's headers",
    async (name) => {
      const reply = await harness("/api/channels", {
        body: draft({ headers: { [name]: "HEADERSECRET123" } }),
        cookie: owner,
      });
      expect(reply.status).toBe(400);
      expect(reply.text).not.toContain("HEADERSECRET123");
    },
  );

  test.each([
    [{ priority: -1 }, "Must be 0 or more."],
    [{ priority: 1_001 }, "Must be 1000 or less."],
    [{ weight: 1.5 }, "Must be a whole number."],
    [{ timeouts: { idle_ms: 0 } }, "Must be 1 or more."],
    [{ rpm: 1_000_000_001 }, "Must be 1000000000 or less."],
  ])("refuses %j and names the rule", async (fields, message) => {
    const reply = await harness("/api/channels", { body: draft(fields), cookie: owner });
    expect([reply.status, reply.json.issues[0].message]).toEqual([400, message]);
  });

  test("refuses an update with a stale version", async () => {
    const made = await create();
    expect((await patch(made.id, { version: 1, weight: 5 })).json.data).toMatchObject({
      weight: 5,
      version: 2,
    });
    expect((await patch(made.id, { version: 1, weight: 6 })).status).toBe(409);
  });

  test("answers 409 to a stale update that sends back an address and keys that were replaced meanwhile", async () => {
    const made = await create();
    const change = { base_url: `${upstream.origin}/v2`, keys: ["sk-replaced-0123456789"] };
    expect((await patch(made.id, { version: 1, ...change })).status).toBe(200);
    const kept = { keys: [{ id: made.keys[0].id }] };
    for (const sent of [kept, { ...kept, base_url: made.base_url }]) {
      const refused = await patch(made.id, { version: 1, name: "Renamed", ...sent });
      expect([refused.status, refused.json.code]).toEqual([409, "conflict"]);
    }
  });

  test("can be deleted; an embedded engine cannot be deleted or redirected", async () => {
    const made = await create();
    const { traffic } = services.state;
    traffic.begin(made.id, "speech-a", false).answered();
    expect(traffic.latencyMs(made.id, "speech-a")).not.toBeNull();
    expect((await harness(`/api/channels/${made.id}`, { method: "DELETE", cookie: owner })).status).toBe(200);
    await services.catalog.all();
    expect(traffic.latencyMs(made.id, "speech-a")).toBeNull();
    expect((await harness(`/api/channels/${made.id}`, { cookie: owner })).status).toBe(404);
    const { ensureEmbedded } = await import("../../lib/console/channels/ensure-embedded");
    await ensureEmbedded(services.store, services.clock);
    const id = "chn_builtin_speech";
    expect((await harness(`/api/channels/${id}`, { method: "DELETE", cookie: owner })).status).toBe(400);
    expect((await patch(id, { version: 1, base_url: "https://example.com" })).status).toBe(400);
    expect((await patch(id, { version: 1, enabled: false })).json.data.enabled).toBe(false);
  });

  test("needs an administrator: 403 for a member, 401 without sign-in, 400 for unknown fields", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    expect((await harness("/api/channels", { cookie: mia.cookie })).status).toBe(403);
    expect((await harness("/api/channels", { body: draft(), cookie: mia.cookie })).status).toBe(403);
    expect((await harness("/api/channels")).status).toBe(401);
    expect((await harness("/api/channels", { body: draft({ embedded: true }), cookie: owner })).status).toBe(
      400,
    );
  });

  test("writes an audit row for each change, never with a key", async () => {
    const made = await create();
    await patch(made.id, { version: 1, keys: ["sk-second-key-wxyz"] });
    await harness(`/api/channels/${made.id}`, { method: "DELETE", cookie: owner });
    const { text, json } = await harness("/api/audit", { cookie: owner });
    const rows: { action: string; target: string }[] = json.data.items.slice(0, 5);
    expect(rows.map(({ action, target }) => [action, target])).toEqual([
      ["channel.delete", made.id],
      ["channel.update", made.id],
      ["channel.create", made.id],
      ["model.create", "embed-a"],
      ["model.create", "speech-a"],
    ]);
    expect(text).not.toContain("sk-second");
    expect(text).not.toContain(SECRET);
  });
});

describe("a test call", () => {
  test("returns audio from a speech model", async () => {
    const made = await create();
    const spoken = () => upstream.ledger.filter((call) => call.path.endsWith("/audio/speech")).length;
    const before = spoken();
    const reply = await harness(`/api/channels/${made.id}/test`, {
      body: { model: "speech-a" },
      cookie: owner,
    });
    const { data } = reply.json;
    expect(data).toMatchObject({ ok: true, operation: "speech", dimensions: null, error: null });
    const wav = Buffer.from(data.audio_wav, "base64");
    expect(wav.subarray(0, 4).toString()).toBe("RIFF");
    expect(wav.readUInt32LE(24)).toBe(24_000);
    expect(Math.round((wav.length - 44) / 48)).toBe(data.audio_ms);
    expect(spoken()).toBe(before + 1);
  });

  test("speaks with the default voice of the model, as requests without a voice do", async () => {
    const made = await create();
    const [{ id, version }] = (await models()).filter(({ name }: { name: string }) => name === "speech-a");
    const body = { version, default_voice: "bf_emma" };
    await harness(`/api/models/${id}`, { method: "PATCH", body, cookie: owner });
    await harness(`/api/channels/${made.id}/test`, { body: { model: "speech-a" }, cookie: owner });
    expect(upstream.ledger.at(-1)?.body).toMatchObject({ voice: "bf_emma" });
  });

  test("returns the vector's length from an embeddings model", async () => {
    const made = await create();
    const reply = await harness(`/api/channels/${made.id}/test`, {
      body: { model: "embed-a" },
      cookie: owner,
    });
    expect(reply.json.data).toMatchObject({
      ok: true,
      operation: "embeddings",
      dimensions: 256,
      audio_wav: null,
    });
  });

  test("reports the error of an unreachable upstream, without its address", async () => {
    const made = await create({ base_url: `http://127.0.0.1:${await freePort()}/v1` });
    const reply = await harness(`/api/channels/${made.id}/test`, { body: {}, cookie: owner });
    expect(reply.json.data).toMatchObject({
      ok: false,
      error: { code: "upstream_error", fault: "connection_refused" },
    });
    expect(reply.json.data.error.message).not.toContain("127.0.0.1");
  });

  test("is in the audit log, even when it fails", async () => {
    const made = await create({ models: [{ name: "speech-a", upstream_name: "tts-1--status-500" }] });
    await harness(`/api/channels/${made.id}/test`, { body: {}, cookie: owner });
    const audit = await harness("/api/audit", { cookie: owner });
    expect(audit.json.data.items[0]).toMatchObject({
      action: "channel.test",
      target: made.id,
      detail: { model: "speech-a", ok: false },
    });
  });

  test("returns the upstream's message without secrets, at most 500 characters", async () => {
    const models = [{ name: "speech-a", upstream_name: "tts-1--says-900" }];
    const made = await create({ models });
    const tested = await harness(`/api/channels/${made.id}/test`, { body: {}, cookie: owner });
    const { name: _, models: __, ...unsaved } = draft();
    const model = { upstream_name: "tts-1--says-900", operation: "speech" };
    const drafted = await harness("/api/channels/draft/test", { body: { ...unsaved, model }, cookie: owner });
    for (const { json } of [tested, drafted]) {
      expect(json.data.error.message).toBe("The channel's upstream answered with an error (500).");
      expect(json.data.error.upstream_message).toMatch(/^CUDA out of memory \S+ x{100}/);
      expect(json.data.error.upstream_message.length).toBeLessThanOrEqual(500);
      expect(json.data.error.upstream_message).not.toContain(SECRET);
    }
    const silent = await create({ base_url: `http://127.0.0.1:${await freePort()}/v1` });
    const reply = await harness(`/api/channels/${silent.id}/test`, { body: {}, cookie: owner });
    expect(reply.json.data.error.upstream_message).toBeNull();
  });

  test("lists the upstream's models", async () => {
    const made = await create();
    const reply = await harness(`/api/channels/${made.id}/models`, { body: {}, cookie: owner });
    const names = reply.json.data.models.map((model: { name: string }) => model.name);
    expect(names).toContain("kokoro");
  });
});

describe("a private address", () => {
  beforeEach(async () => {
    await services.close();
    services = await testServices();
    harness = openConsoleHarness(services);
    owner = await setUpOwner(harness);
  });

  test("is refused until the owner allows exactly that host and port with the password", async () => {
    const refused = await harness("/api/channels", { body: draft(), cookie: owner });
    expect(refused.status).toBe(400);
    expect(refused.json.issues[0].path).toBe("base_url");
    const base_url = `${upstream.origin}/v1`;
    const wrong = await harness("/api/upstreams/allowed", {
      body: { base_url, password: "wrong one" },
      cookie: owner,
    });
    expect(wrong.status).toBe(403);
    const allowed = await harness("/api/upstreams/allowed", {
      body: { base_url, password: OWNER.password },
      cookie: owner,
    });
    expect(allowed.json.data.targets).toEqual([new URL(upstream.origin).host]);
    await create();
    const otherPort = await harness("/api/channels", {
      body: draft({ base_url: "http://127.0.0.1:1/v1" }),
      cookie: owner,
    });
    expect(otherPort.status).toBe(400);
  });

  test("cannot be allowed by an administrator; removing it from the list stops the channel", async () => {
    const base_url = `${upstream.origin}/v1`;
    const anna = await addUser(harness, owner, { username: "anna", role: "admin" });
    const tried = { body: { base_url, password: anna.password }, cookie: anna.cookie };
    expect((await harness("/api/upstreams/allowed", tried)).status).toBe(403);
    await harness("/api/upstreams/allowed", { body: { base_url, password: OWNER.password }, cookie: owner });
    const made = await create();
    const target = new URL(upstream.origin).host;
    const taken = await harness(`/api/upstreams/allowed/${target}`, { method: "DELETE", cookie: owner });
    expect(taken.json.data).toBeNull();
    expect((await harness("/api/upstreams/allowed", { cookie: owner })).json.data.targets).toEqual([]);
    const { items } = (await harness("/api/audit?action=upstream", { cookie: owner })).json.data;
    expect(items).toMatchObject([
      { action: "upstream.disallow", target },
      { action: "upstream.allow", target },
    ]);
    const before = upstream.ledger.length;
    const reply = await harness(`/api/channels/${made.id}/test`, { body: {}, cookie: owner });
    expect(reply.json.data.ok).toBe(false);
    expect(upstream.ledger.length).toBe(before);
  });

  test("that is a wildcard cannot be allowed", async () => {
    const body = { base_url: "https://*.lan:8443/v1", password: OWNER.password };
    const { status, json } = await harness("/api/upstreams/allowed", { body, cookie: owner });
    expect([status, json.issues]).toEqual([
      400,
      [{ path: "base_url", message: expect.stringContaining("without wildcards") }],
    ]);
  });

  test.each([
    ["http://169.254.169.254/v1", "cloud metadata address"],
    ["http://[fd00:ec2::254]/v1", "cloud metadata address"],
    ["http://cache.lan:6379/v1", "uses port 6379"],
  ])("%s cannot be allowed", async (base_url, why) => {
    const body = { base_url, password: OWNER.password };
    const allowed = await harness("/api/upstreams/allowed", { body, cookie: owner });
    const made = await harness("/api/channels", { body: draft({ base_url }), cookie: owner });
    for (const { status, json } of [allowed, made])
      expect([status, json.issues]).toEqual([
        400,
        [{ path: "base_url", message: expect.stringContaining(why) }],
      ]);
  });

  test("with a port below 1024 can be allowed", async () => {
    const base_url = "http://tts.lan:81/v1";
    const body = draft({ base_url });
    const refused = await harness("/api/channels", { body, cookie: owner });
    expect(refused.json.issues[0].message).toContain("lower ones that the owner has allowed");
    const proof = { base_url, password: OWNER.password };
    await harness("/api/upstreams/allowed", { body: proof, cookie: owner });
    expect((await harness("/api/channels", { body, cookie: owner })).status).toBe(200);
  });
});

describe("a model", () => {
  test("changes prices, aliases and limits with the current version", async () => {
    await create();
    const prices = { input_per_million_characters: "12.5" };
    const body = { version: 1, prices, aliases: ["voice"], max_characters: 1000 };
    const changed = await harness("/api/models/speech-a", { method: "PATCH", body, cookie: owner });
    expect(changed.json.data).toMatchObject({
      prices: { input_per_million_characters: "12.500000000" },
      aliases: ["voice"],
      max_characters: 1000,
      version: 2,
    });
    expect((await services.catalog.find("voice"))?.model.name).toBe("speech-a");
    expect((await harness("/api/models/speech-a", { method: "PATCH", body, cookie: owner })).status).toBe(
      409,
    );
  });

  test("is refused with a default voice that none of its channels has", async () => {
    await create();
    const change = (default_voice: string) =>
      harness("/api/models/speech-a", {
        method: "PATCH",
        body: { version: 1, default_voice },
        cookie: owner,
      });
    const refused = await change("aloy");
    const message = "default_voice 'aloy' is not a voice of model speech-a; did you mean 'alloy'?";
    expect([refused.status, refused.json.issues]).toEqual([400, [{ path: "default_voice", message }]]);
    expect((await change("Ash")).json.data.default_voice).toBe("Ash");
  });

  test("is refused with its own name as alias", async () => {
    await create();
    const own = { name: "own", operation: "speech", aliases: ["voice", "own"] };
    const message = (name: string) => `'${name}' is the model's own name and cannot be its alias.`;
    const created = await harness("/api/models", { body: own, cookie: owner });
    const changed = await harness("/api/models/speech-a", {
      method: "PATCH",
      body: { version: 1, aliases: ["speech-a"] },
      cookie: owner,
    });
    expect([created.status, created.json.issues]).toEqual([
      400,
      [{ path: "aliases.1", message: message("own") }],
    ]);
    expect([changed.status, changed.json.issues]).toEqual([
      400,
      [{ path: "aliases.0", message: message("speech-a") }],
    ]);
  });

  test("keeps its own name as alias when an earlier version stored that alias", async () => {
    await create();
    const [stored] = (await services.store.models.all()).filter(({ name }) => name === "speech-a");
    await services.store.models.update("speech-a", stored?.version ?? 0, { aliases: ["speech-a"] });
    const body = { version: 2, aliases: ["speech-a", "voice"], description: "A voice" };
    const changed = await harness("/api/models/speech-a", { method: "PATCH", body, cookie: owner });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.json.data).toMatchObject({ aliases: ["speech-a", "voice"], description: "A voice" });
  });

  test("accepts the old name of batching and returns the new one", async () => {
    await create();
    const body = { version: 1, coalescing: false };
    const changed = await harness("/api/models/speech-a", { method: "PATCH", body, cookie: owner });
    expect(changed.json.data.batching).toBe(false);
    expect(changed.json.data).not.toHaveProperty("coalescing");
  });

  test("is refused with a taken name, and not served after deletion", async () => {
    await create();
    const body = { name: "other", operation: "speech", aliases: ["speech-a"] };
    const refused = await harness("/api/models", { body, cookie: owner });
    expect(refused.status).toBe(409);
    expect(refused.json.issues).toEqual([
      { path: "aliases.0", message: "'speech-a' is already a name or alias of the model 'speech-a'." },
    ]);
    expect((await harness("/api/models/speech-a", { method: "DELETE", cookie: owner })).status).toBe(200);
    expect(await services.catalog.find("speech-a")).toBeNull();
  });

  test("is removed from its channels when it is deleted, and returns only to a channel that adds it again", async () => {
    const speech = { name: "speech-a", upstream_name: "tts-1" };
    const embed = { name: "embed-a", upstream_name: "text-embedding-3-small" };
    const [first, second] = [await create(), await create({ name: "Second" })];
    await create({ name: "Other", models: [embed] });
    await harness("/api/models/speech-a", { method: "DELETE", cookie: owner });
    const { items } = (await harness("/api/channels", { cookie: owner })).json.data;
    const shown = Object.fromEntries(
      items.map((one: { name: string; models: unknown; version: number }) => [
        one.name,
        [one.models, one.version],
      ]),
    );
    expect(shown).toMatchObject({ Loopback: [[embed], 2], Second: [[embed], 2], Other: [[embed], 1] });
    const [deleted] = (await harness("/api/audit?action=model", { cookie: owner })).json.data.items;
    expect(deleted).toMatchObject({
      action: "model.delete",
      target: "speech-a",
      detail: { channels: ["Loopback", "Second"] },
    });

    await patch(first.id, { version: 2, name: "Renamed", models: [embed] });
    expect(await services.catalog.find("speech-a")).toBeNull();
    await patch(second.id, { version: 2, models: [embed, speech] });
    expect(await services.catalog.find("speech-a")).not.toBeNull();
    const [made] = (await harness("/api/audit?action=model", { cookie: owner })).json.data.items;
    expect(made).toMatchObject({ action: "model.create", target: "speech-a" });
  });

  test("that an older version deleted is not created by an edit of a channel that still lists it", async () => {
    const made = await create();
    await services.store.models.delete("speech-a");
    const { status } = await patch(made.id, { version: 1, name: "Renamed", models: draft().models });
    expect(status).toBe(200);
    expect((await models()).some(({ name }: { name: string }) => name === "speech-a")).toBe(false);
  });

  test("of an embedded engine is served again when it was deleted and is created again", async () => {
    await ensureEmbedded(services.store, services.clock);
    const remove = await harness("/api/models/patchbay-embed", { method: "DELETE", cookie: owner });
    expect(remove.status).toBe(200);
    const [deleted] = (await harness("/api/audit?action=model", { cookie: owner })).json.data.items;
    expect(deleted.detail.channels).toEqual([]);
    const body = { name: "patchbay-embed", operation: "embeddings" };
    expect((await harness("/api/models", { body, cookie: owner })).status).toBe(200);
    const channel = await services.store.channels.find("chn_builtin_embeddings");
    expect(channel?.models).toMatchObject([{ name: "patchbay-embed" }]);
  });
});

describe.each([
  ["/api/channels", "id"],
  ["/api/models", "name"],
])("the list %s", (path, id) => {
  const page = async (query = "") => (await harness(path + query, { cookie: owner })).json.data;
  const ids = (items: Record<string, string>[]) => items.map((item) => item[id]);
  beforeEach(async () => {
    for (const name of ["North", "East", "South", "West", "Centre"]) {
      const model = { name: name.toLowerCase(), upstream_name: "tts-1" };
      await create({ name, models: [model] });
      // Channels that were created at the same time are listed in random order.
      services.clock.advance(1);
    }
  });

  test("is complete without a query, and can be read in pages", async () => {
    const all = await page();
    expect(all.next_cursor).toBeNull();
    expect(all.items).toHaveLength(5);
    const read = [];
    let query = "?limit=2";
    for (;;) {
      const { items, next_cursor } = await page(query);
      expect(items.length).toBeLessThanOrEqual(2);
      read.push(...items);
      if (next_cursor === null) break;
      query = `?limit=2&cursor=${next_cursor}`;
    }
    expect(ids(read)).toEqual(ids(all.items));
    const { next_cursor } = await page("?limit=2");
    expect(ids((await page(`?cursor=${next_cursor}`)).items)).toEqual(ids(all.items).slice(2));
  });

  test("continues after an item that was deleted since", async () => {
    const all = ids((await page()).items);
    const index = (await page()).items.findIndex(({ name }: { name: string }) => /^north$/i.test(name));
    const { next_cursor } = await page(`?limit=${index + 1}`);
    await harness(`${path}/${all[index]}`, { method: "DELETE", cookie: owner });
    expect(ids((await page(`?limit=1&cursor=${next_cursor}`)).items)).toEqual([all[index + 1]]);
  });

  test("continues at the right item after other items were deleted as well", async () => {
    const all = ids((await page()).items);
    const { next_cursor } = await page("?limit=3");
    for (const one of all.slice(1, 3)) await harness(`${path}/${one}`, { method: "DELETE", cookie: owner });
    expect(ids((await page(`?cursor=${next_cursor}`)).items)).toEqual(all.slice(3));
  });

  test("refuses a cursor of the other list", async () => {
    const other = path === "/api/models" ? "/api/channels" : "/api/models";
    const { next_cursor } = (await harness(`${other}?limit=2`, { cookie: owner })).json.data;
    const reply = await harness(`${path}?cursor=${next_cursor}`, { cookie: owner });
    expect([reply.status, reply.json.issues]).toEqual([
      400,
      [{ path: "cursor", message: "Must be next_cursor of the previous page." }],
    ]);
  });

  test("is searched case-insensitively", async () => {
    const names = async (query: string) =>
      (await page(query)).items.map(({ name }: { name: string }) => name.toLowerCase());
    expect(await names("?q=OUTH")).toEqual(["south"]);
    expect(await names("?q=nothing%20like%20it")).toEqual([]);
  });

  test.each(["?limit=0", "?limit=101", "?limit=x", "?cursor=nonsense", "?q=x", "?order=name"])(
    "answers 400 to the query %s",
    async (query) => {
      const reply = await harness(path + query, { cookie: owner });
      expect([reply.status, reply.json.code]).toEqual([400, "invalid"]);
    },
  );
});

test("the list of channels continues where a page ended although its last channel moved to the end", async () => {
  for (const name of ["A", "B", "C", "D"]) await create({ name });
  const list = async (query = "") => (await harness(`/api/channels${query}`, { cookie: owner })).json.data;
  const ids = (items: { id: string }[]) => items.map(({ id }) => id);
  const all = ids((await list()).items);
  const { next_cursor } = await list("?limit=2");
  const [first, second, ...others] = all;
  expect((await patch(second ?? "", { version: 1, priority: 100 })).status).toBe(200);
  expect(ids((await list()).items)).toEqual([first, ...others, second]);
  expect(ids((await list(`?cursor=${next_cursor}`)).items)).toEqual([...others, second]);
});

test("the channels of a model are listed by priority, then in the order of their creation", async () => {
  for (const [name, priority] of Object.entries({ A: 2, B: 1, C: 2, D: 1 })) {
    await create({ name, priority });
    services.clock.advance(1);
  }
  const { channels } = (await harness("/api/models", { cookie: owner })).json.data.items[0];
  expect(channels.map((one: { name: string }) => one.name)).toEqual(["B", "D", "A", "C"]);
});

describe("a change of a channel with an open circuit", () => {
  const saved = {
    provider: "openai",
    name: "Loopback",
    models: [{ name: "speech-a", upstream_name: "tts-1" }],
    timeouts: { idle_ms: 5_000 },
    headers: { "x-team": "north" },
    options: { speech_format: "wav", max_batch: 8 },
  };
  /** State of the circuit after a request as the channel form sends it: every field, most of them unchanged. */
  const stateAfter = async (fields: (keyId: string) => object) => {
    const made = await create(saved);
    const keyId: string = made.keys[0].id;
    const failed = new AppError("upstream_invalid", "Not audio.");
    for (let time = 0; time < 5; time += 1)
      services.state.circuits.enter(made.id, keyId, "speech-a").failed(failed, new UpstreamProgress());
    const { provider: _, ...others } = saved;
    const unchanged = { ...others, base_url: `${upstream.origin}/v1`, keys: [{ id: keyId }], enabled: true };
    const reply = await patch(made.id, { version: 1, ...unchanged, ...fields(keyId) });
    expect(reply.status, reply.text).toBe(200);
    return services.state.circuits.health(made.id, keyId, "speech-a").state;
  };

  test.each<[string, (keyId: string) => object]>([
    ["nothing", () => ({})],
    ["the name", () => ({ name: "Renamed" })],
    ["the priority and the limits", () => ({ priority: 4, weight: 2, rpm: 60, concurrency: 3 })],
    ["the label of a key", (id) => ({ keys: [{ id, label: "North" }] })],
    ["the order of the options", () => ({ options: { max_batch: 8, speech_format: "wav" } })],
  ])("keeps the circuit open when the request changes %s", async (_what, fields) => {
    expect(await stateAfter(fields)).toBe("open");
  });

  test.each<[string, (keyId: string) => object]>([
    ["the address", () => ({ base_url: `${upstream.origin}/v2`, keys: ["sk-new-key-wxyz"] })],
    ["the keys", (id) => ({ keys: [{ id }, "sk-second-key-wxyz"] })],
    ["the models", () => ({ models: [{ name: "speech-a", upstream_name: "tts-1-hd" }] })],
    ["the timeouts", () => ({ timeouts: { idle_ms: 60_000 } })],
    ["the headers", () => ({ headers: { "x-team": "south" } })],
    ["the options", () => ({ options: { speech_format: "pcm", max_batch: 8 } })],
  ])("closes the circuit when the request changes %s", async (_what, fields) => {
    expect(await stateAfter(fields)).toBe("closed");
  });

  test("closes the circuit when the channel is enabled again", async () => {
    const made = await create(saved);
    const keyId: string = made.keys[0].id;
    await patch(made.id, { version: 1, enabled: false });
    const failed = new AppError("upstream_invalid", "Not audio.");
    for (let time = 0; time < 5; time += 1)
      services.state.circuits.enter(made.id, keyId, "speech-a").failed(failed, new UpstreamProgress());
    expect(services.state.circuits.health(made.id, keyId, "speech-a").state).toBe("open");
    await patch(made.id, { version: 2, enabled: true });
    expect(services.state.circuits.health(made.id, keyId, "speech-a").state).toBe("closed");
  });
});
