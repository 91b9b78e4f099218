import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../lib/errors";
import { UpstreamProgress } from "../../lib/ports/upstream-progress";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { freePort } from "../support/product";
import { type TestServices, testServices } from "../support/services";
import { readStoreBytes } from "../support/store-bytes";
import { startUpstream, type Upstream } from "../support/upstream/server";

const SECRET = "sk-draft-0123456789abcdef";

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream({ key: SECRET });
});
afterAll(() => upstream.close());

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
const open = async (upstreamAllow: string[]) => {
  services = await testServices({ upstreamAllow });
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
};
beforeEach(() => open(["127.0.0.1"]));
afterEach(() => services.close());

const draft = (fields: object = {}) => ({
  provider: "openai",
  base_url: `${upstream.origin}/v1`,
  keys: [SECRET],
  ...fields,
});
const askModels = (fields: object = {}, cookie = owner) =>
  harness("/api/channels/draft/models", { body: draft(fields), cookie });
const tryModel = (model: object, fields: object = {}, cookie = owner) =>
  harness("/api/channels/draft/test", { body: draft({ model, ...fields }), cookie });

describe("an unsaved channel", () => {
  test("lists its upstream's models with their operations, and stores nothing", async () => {
    const reply = await askModels();
    expect(reply.json.data).toEqual({
      models: [
        { name: "kokoro", operation: "speech" },
        { name: "nomic-embed-text", operation: "embeddings" },
        { name: "llama3", operation: null },
      ],
      error: null,
    });
    expect(upstream.ledger.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect((await harness("/api/channels", { cookie: owner })).json.data.items).toEqual([]);
  });

  test("runs test calls for speech and embeddings", async () => {
    const spoken = await tryModel({ upstream_name: "kokoro", operation: "speech" });
    expect(spoken.json.data).toMatchObject({ ok: true, operation: "speech", error: null });
    const wav = Buffer.from(spoken.json.data.audio_wav, "base64");
    expect(wav.subarray(0, 4).toString()).toBe("RIFF");
    const embedded = await tryModel({ upstream_name: "embed.768", operation: "embeddings" });
    expect(embedded.json.data).toMatchObject({ ok: true, dimensions: 768, audio_wav: null });
  });

  test("reports the upstream's refusal, or the network error", async () => {
    const wrongKey = await askModels({ keys: ["sk-wrong"] });
    expect(wrongKey.status).toBe(200);
    expect(wrongKey.json.data).toMatchObject({
      models: null,
      error: { code: "upstream_error", fault: "credentials", upstream_status: 401 },
    });
    const silent = await askModels({ base_url: `http://127.0.0.1:${await freePort()}/v1` });
    expect(silent.json.data.error).toMatchObject({ fault: "connection_refused" });
    const tried = await tryModel({ upstream_name: "kokoro", operation: "speech" }, { keys: ["sk-wrong"] });
    expect(tried.json.data).toMatchObject({ ok: false, error: { upstream_status: 401 } });
  });

  test("is called with each of its keys, and the error names the key that the upstream refused", async () => {
    const refused = { ok: false, error: { fault: "credentials", key: "****wxyz" } };
    for (const keys of [
      ["sk-revoked-key-wxyz", SECRET],
      [SECRET, "sk-revoked-key-wxyz"],
    ]) {
      expect((await askModels({ keys })).json.data.error).toMatchObject(refused.error);
      const tried = await tryModel({ upstream_name: "kokoro", operation: "speech" }, { keys });
      expect(tried.json.data).toMatchObject(refused);
    }
  });

  test("never shows its key in replies, logs, audit or store", async () => {
    const replies = [await askModels(), await tryModel({ upstream_name: "kokoro", operation: "speech" })];
    const audit = await harness("/api/audit", { cookie: owner });
    for (const { text } of [...replies, audit]) expect(text).not.toContain(SECRET);
    expect(services.logged.join()).not.toContain(SECRET);
    expect(readStoreBytes(services.dataDirectory).includes(SECRET)).toBe(false);
    expect(audit.json.data.items[0]).toMatchObject({
      action: "channel.test_draft",
      detail: { provider: "openai", model: "kokoro", ok: true },
    });
  });

  test("cannot reach an address that a saved channel cannot reach", async () => {
    await services.close();
    await open([]);
    const before = upstream.ledger.length;
    for (const reply of [await askModels(), await tryModel({ upstream_name: "a", operation: "speech" })]) {
      expect(reply.status).toBe(400);
      expect(reply.json.issues[0]).toMatchObject({ path: "base_url" });
    }
    for (const base_url of ["http://169.254.169.254/v1", "https://user:word@example.com/v1"])
      expect((await askModels({ base_url })).status).toBe(400);
    expect((await askModels({ headers: { Authorization: "Bearer x" } })).status).toBe(400);
    expect(upstream.ledger.length).toBe(before);
  });

  test("needs an administrator and refuses unknown fields", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    expect((await askModels({}, mia.cookie)).status).toBe(403);
    const model = { upstream_name: "kokoro", operation: "speech" };
    expect((await tryModel(model, {}, mia.cookie)).status).toBe(403);
    expect((await harness("/api/channels/draft/models", { body: draft() })).status).toBe(401);
    expect((await askModels({ embedded: true })).status).toBe(400);
    expect((await askModels({ provider: "lexical" })).status).toBe(400);
  });
});

describe("a saved channel that is being edited", () => {
  const save = async () =>
    (await harness("/api/channels", { body: { name: "Kept", ...draft() }, cookie: owner })).json.data;

  test("is tested with its stored key", async () => {
    const { id, keys } = await save();
    const kept = { channel_id: id, keys: [{ id: keys[0].id }] };
    expect((await askModels(kept)).json.data.models).toHaveLength(3);
    const other = await save();
    expect((await askModels({ channel_id: other.id, keys: [{ id: keys[0].id }] })).status).toBe(400);
    expect((await askModels({ keys: [{ id: keys[0].id }] })).status).toBe(400);
    expect((await askModels({ channel_id: "chn_none" })).status).toBe(404);
  });

  test("has each key tested, and only the circuits of those that pass are closed", async () => {
    const keys = [{ key: "sk-revoked-0123456789", label: "Old" }, SECRET];
    const fields = { ...draft({ keys }), name: "Two", models: [{ name: "spoken", upstream_name: "kokoro" }] };
    const made = (await harness("/api/channels", { body: fields, cookie: owner })).json.data;
    const [revoked, valid] = made.keys.map((key: { id: string }) => key.id);
    const { circuits } = services.state;
    for (const id of [revoked, valid])
      circuits
        .enter(made.id, id, "spoken")
        .failed(
          new AppError("upstream_error", "", { upstreamRefusal: "credentials" }),
          new UpstreamProgress(),
        );
    const tested = await harness(`/api/channels/${made.id}/test`, { body: {}, cookie: owner });
    expect(tested.json.data).toMatchObject({ ok: false, error: { fault: "credentials", key: "Old" } });
    expect([revoked, valid].map((id) => circuits.health(made.id, id, "spoken").state)).toEqual([
      "open",
      "closed",
    ]);
    // Later calls still list the voices, although the upstream refused one key.
    const record = (await services.store.channels.find(made.id)) ?? expect.unreachable();
    expect(await services.providers.speech(record).voices("kokoro")).toContainEqual(
      expect.objectContaining({ name: "af_kore" }),
    );
  });

  test("never sends its stored key to another address, even on the same host", async () => {
    const { id, keys } = await save();
    const elsewhere = await startUpstream();
    const kept = { channel_id: id, keys: [{ id: keys[0].id }], base_url: `${elsewhere.origin}/v1` };
    const listed = await askModels(kept);
    const tried = await tryModel({ upstream_name: "kokoro", operation: "speech" }, kept);
    expect([listed.status, tried.status]).toEqual([400, 400]);
    expect(listed.json.issues[0].path).toBe("keys");
    const before = upstream.connections();
    const beside = await askModels({ ...kept, base_url: `${upstream.origin}/tenants/stranger/v1` });
    expect([beside.status, upstream.connections()]).toEqual([400, before]);
    const { base_url: _, ...atProvider } = kept;
    expect((await askModels({ ...atProvider, base_url: null })).status).toBe(400);
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.close();
  });
});

describe("a saved channel", () => {
  const listWith = async (keys: string[]) => {
    const body = draft({ name: "saved", models: [], keys });
    const { json } = await harness("/api/channels", { body, cookie: owner });
    return harness(`/api/channels/${json.data.id}/models`, { body: {}, cookie: owner });
  };

  test("lists its upstream's models with the first key that the upstream does not refuse", async () => {
    const { json } = await listWith(["sk-revoked-key-wxyz", SECRET]);
    expect(json.data.models).toContainEqual({ name: "kokoro", operation: "speech" });
    expect((await listWith(["sk-revoked-key-wxyz", "sk-revoked-key-abcd"])).status).toBe(502);
  });
});
