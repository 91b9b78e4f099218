import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { getChannelRecord } from "../../lib/console/access/guards";
import { AppError } from "../../lib/errors";
import { keyIds } from "../../lib/gateway/routing/circuit-health";
import { createDispatcher } from "../../lib/http/core/dispatch";
import { SETTINGS_ROUTES } from "../../lib/http/routes/console/settings";
import type { ChannelRecord, Channels, ModelRecord, Models, Repositories } from "../../lib/ports/store";
import { UpstreamProgress } from "../../lib/ports/upstream-progress";
import {
  addUser,
  type ConsoleHarness,
  changeSettings,
  OWNER,
  openConsoleHarness,
  setUpOwner,
} from "../support/console-harness";
import { chunked } from "../support/exchange";
import { expectDocumented } from "../support/expect-documented";
import { localVoiceChannel } from "../support/factories";
import { type TestServices, testServices } from "../support/services";
import { digestStore } from "../support/store-dump";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;

beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const CHANNEL = {
  name: "OpenAI",
  provider: "openai",
  keys: ["sk-upstream-secret-0123456789"],
  models: [{ name: "tts-1", upstream_name: "tts-1", operation: "speech" }],
  priority: 2,
};

const patch = (body: object, cookie = owner) => changeSettings(harness, cookie, body);
const addChannel = async (fields: object = {}) =>
  (await harness("/api/channels", { body: { ...CHANNEL, ...fields }, cookie: owner })).json.data;
const importFile = (file: unknown, dry_run = false, cookie = owner) =>
  harness("/api/settings/import", { body: { dry_run, file }, cookie });

/** Downloads a streamed reply completely. */
async function download(target: string, body: object, cookie: string) {
  const handler = createDispatcher([...SETTINGS_ROUTES], async () => services);
  const bytes = Buffer.from(JSON.stringify(body));
  const reply = await handler({
    method: "POST",
    path: target,
    query: "",
    headers: new Map([
      ["cookie", cookie],
      ["content-type", "application/json"],
    ]),
    peer: { address: "127.0.0.1", isLocal: true, isSecure: false },
    requestId: "req-1",
    receivedAt: 0,
    signal: new AbortController().signal,
    onFinished: () => undefined,
    readBody: async () => bytes,
    streamBody: () => chunked(bytes),
  });
  if (reply.body === null || reply.body instanceof Uint8Array)
    return { status: reply.status, headers: reply.headers, bytes: Buffer.from(reply.body ?? []) };
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  return { status: reply.status, headers: reply.headers, bytes: Buffer.concat(chunks) };
}

const exported = async (cookie = owner) => {
  const target = "/api/settings/export";
  const reply = await download(target, {}, cookie);
  const text = reply.bytes.toString("utf8");
  expectDocumented({ method: "POST", path: target }, { ...reply, text });
  return { ...reply, file: JSON.parse(text) };
};

describe("the settings export", () => {
  test("has channels, models and settings, but no secrets", async () => {
    await addChannel();
    const alerts = (await harness("/api/settings", { cookie: owner })).json.data.alerts;
    await patch({ alerts: { ...alerts, webhook_url: "https://hooks.example.com/SECRET" } });
    await harness("/api/settings/metrics-token", { body: { password: OWNER.password }, cookie: owner });
    const { status, headers, file, bytes } = await exported();
    expect(status).toBe(200);
    expect(headers["content-disposition"]).toMatch(/^attachment; filename="patchbay-settings-[\d-]+\.json"$/);
    expect(file).toMatchObject({ format: "patchbay-settings", version: 1 });
    expect(file.channels.map((one: { name: string }) => one.name)).toContain("OpenAI");
    expect(file.models.map((one: { name: string }) => one.name)).toContain("tts-1");
    expect(file.settings.session_hours).toBeDefined();
    for (const secret of ["sk-upstream", "SECRET", "6789", "digest", "encrypted", OWNER.password])
      expect(bytes.toString("utf8")).not.toContain(secret);
  });

  test("requires an administrator", async () => {
    const mia = await addUser(harness, owner, { username: "mia" });
    expect((await download("/api/settings/export", {}, mia.cookie)).status).toBe(403);
  });
});

describe("a settings import", () => {
  test("into another instance creates channels disabled and without keys, and the models and settings unchanged", async () => {
    await addChannel();
    await patch({
      password_minimum: 14,
      cors_origins: ["https://app.example.com"],
      share_caches: true,
    });
    await harness("/api/models/tts-1", {
      method: "PATCH",
      body: { version: 1, description: "A voice", prices: { input_per_million_characters: "15" } },
      cookie: owner,
    });
    const { file } = await exported();

    const other = await testServices();
    const otherHarness = openConsoleHarness(other);
    const cookie = await setUpOwner(otherHarness);
    const send = (dry_run: boolean) =>
      otherHarness("/api/settings/import", { body: { dry_run, file }, cookie });
    const before = JSON.stringify([
      await other.store.channels.all(),
      await other.store.models.all(),
      await other.store.settings.all(),
    ]);
    const dry = await send(true);
    expect(dry.status, dry.text).toBe(200);
    expect(
      JSON.stringify([
        await other.store.channels.all(),
        await other.store.models.all(),
        await other.store.settings.all(),
      ]),
    ).toBe(before);

    const real = await send(false);
    expect(real.json.data.steps).toEqual(dry.json.data.steps);
    expect(real.json.data.steps).toEqual(
      expect.arrayContaining([
        { kind: "channel", name: "OpenAI", action: "create", fields: [], reason: null },
        { kind: "model", name: "tts-1", action: "create", fields: [], reason: null },
        {
          kind: "setting",
          name: "password_minimum",
          action: "change",
          fields: ["password_minimum"],
          reason: null,
        },
      ]),
    );
    const [channel] = (await other.store.channels.all()).filter(({ name }) => name === "OpenAI");
    expect(channel).toMatchObject({ enabled: false, keys: [], priority: 2 });
    const model = (await other.store.models.all()).find(({ name }) => name === "tts-1");
    expect(model?.description).toBe("A voice");
    expect(other.instance.passwordMinimum).toBe(14);
    expect(other.instance.sharesCaches).toBe(true);
    expect(other.instance.corsOrigins?.has("https://app.example.com")).toBe(true);

    const again = await send(false);
    expect(again.json.data.steps.filter((one: { action: string }) => one.action !== "same")).toEqual([]);
    await other.close();
  });

  test("is in the audit log with its changes", async () => {
    const { file } = await exported();
    await importFile({ ...file, settings: { password_minimum: 12 }, models: [], channels: [] });
    const rows = (await services.store.audit.list({ limit: 5, cursor: null, q: null })).items;
    const row = rows.find(({ action }) => action === "settings.import");
    expect(row?.detail).toMatchObject({ changed: ["setting password_minimum"], created: [], skipped: [] });
    const channels = [{ ...CHANNEL, keys: undefined, name: "Patchbay", priority: 7, weight: 3 }];
    await addChannel({ name: "Patchbay" });
    await importFile({ ...file, settings: {}, models: [], channels });
    const [last] = (await services.store.audit.list({ limit: 1, cursor: null, q: null })).items;
    expect(last?.detail).toMatchObject({ changed: ["channel Patchbay: priority, weight"] });
  });

  test("enables and disables existing channels as the file says, but enables none without keys", async () => {
    const { id } = await addChannel();
    await addChannel({ name: "Empty", keys: [] });
    const isEnabled = async () =>
      Object.fromEntries((await services.store.channels.all()).map((one) => [one.name, one.enabled]));
    const { file } = await exported();
    const importAs = (enabled: boolean) => {
      const channels = [CHANNEL.name, "Empty"].map((name) => ({ name, provider: CHANNEL.provider, enabled }));
      return importFile({ ...file, settings: {}, models: [], channels });
    };
    expect((await importAs(false)).json.data.steps[0]).toMatchObject({
      action: "change",
      fields: ["enabled"],
    });
    expect(await isEnabled()).toMatchObject({ [CHANNEL.name]: false, Empty: false });
    expect((await importAs(true)).json.data.steps).toMatchObject([{ action: "change" }, { action: "same" }]);
    expect(await isEnabled()).toMatchObject({ [CHANNEL.name]: true, Empty: false });
    expect((await services.store.channels.find(id))?.version).toBe(3);
  });

  test("names at most a hundred changes of a kind in the audit log", async () => {
    const { file } = await exported();
    const models = Array.from({ length: 103 }, (_, at) => ({ name: `m-${at}`, operation: "speech" }));
    expect((await importFile({ ...file, models, channels: [] })).json.data.steps.length).toBeGreaterThan(102);
    const rows = (await services.store.audit.list({ limit: 5, cursor: null, q: null })).items;
    const names = rows.find(({ action }) => action === "settings.import")?.detail.created;
    expect(names).toHaveLength(101);
    expect(names).toEqual(expect.arrayContaining(["model m-99", "and 3 more"]));
  });

  test.each([["https://evil.example.com/v1"], ["https://api.openai.com/tenants/stranger/v1"]])(
    "skips a channel with stored keys whose base URL changes to %s",
    async (base_url) => {
      await addChannel({ base_url: "https://api.openai.com/v1" });
      const { file } = await exported();
      const moved = file.channels.map((one: { name: string }) =>
        one.name === "OpenAI" ? { ...one, base_url } : one,
      );
      const reply = await importFile({ ...file, channels: moved });
      const step = reply.json.data.steps.find((one: { name: string }) => one.name === "OpenAI");
      expect([step.action, step.reason]).toEqual(["skip", expect.stringContaining("address differs")]);
    },
  );

  test("skips a private upstream that the owner has not allowed, and a header with a secret", async () => {
    const { file } = await exported();
    const channels = [
      { name: "LAN", provider: "openai", base_url: "http://192.168.1.9:8000/v1" },
      { name: "Metadata", provider: "openai", base_url: "http://169.254.169.254/" },
      { name: "Loud", provider: "openai", headers: { authorization: "Bearer x" } },
      { name: "Strange", provider: "nobody" },
    ];
    const reply = await importFile({ ...file, settings: {}, models: [], channels });
    expect(reply.json.data.steps.map((one: { action: string }) => one.action)).toEqual(
      channels.map(() => "skip"),
    );
    expect((await services.store.channels.all()).every(({ embedded }) => embedded)).toBe(true);
  });

  test("skips the channel of a local voice that this instance does not have", async () => {
    await services.store.channels.insert(localVoiceChannel("amy"));
    const { file } = await exported();
    const models = [{ name: "kokoro", upstream_name: "kokoro" }];
    const channel = { name: "kokoro", provider: "local-voices", embedded: true, priority: 7, models };
    const reply = await importFile({ ...file, settings: {}, models: [], channels: [channel] });
    expect(reply.json.data.steps).toMatchObject([{ name: "kokoro", action: "skip" }]);
    expect(await services.store.channels.find("chn_voice_amy")).toMatchObject({ name: "amy", priority: 0 });
  });

  test("restores the mapping of voice names of a local voice", async () => {
    const mapped = localVoiceChannel("amy", { options: { voices: { alloy: "amy" } } });
    await services.store.channels.insert(mapped);
    const { file } = await exported();
    const [stored] = await services.store.channels.all();
    if (stored === undefined) throw new Error("The channel was not stored.");
    await services.store.channels.update(stored, { options: {} });
    const send = async (options: unknown) => {
      const [channel] = file.channels;
      const channels = [{ ...channel, options }];
      const reply = await importFile({ ...file, settings: {}, models: [], channels });
      return reply.json.data.steps[0];
    };
    expect(await send({ voices: { alloy: 7 } })).toMatchObject({ action: "skip" });
    expect(await send(file.channels[0].options)).toMatchObject({ action: "change", fields: ["options"] });
    expect(await services.store.channels.find(mapped.id)).toMatchObject({ options: mapped.options });
  });

  test("keeps the fields of a channel that the file leaves out", async () => {
    const { id } = await addChannel({
      base_url: "https://proxy.example/v1",
      headers: { "x-team": "voices" },
      options: { batching: true },
      timeouts: { connect_ms: 2_000 },
    });
    const before = await services.store.channels.find(id);
    const { file } = await exported();
    const { name, provider } = CHANNEL;
    const channels = [{ name, provider, priority: 7 }];
    const reply = await importFile({ ...file, settings: {}, models: [], channels });
    expect(reply.json.data.steps).toMatchObject([{ action: "change", fields: ["priority"] }]);
    expect(await services.store.channels.find(id)).toEqual({ ...before, priority: 7, version: 2 });
  });

  test("closes the circuits of a channel whose models it changes, as an edit does, but not in a dry run", async () => {
    const { id } = await addChannel();
    const { file } = await exported();
    const { circuits } = services.state;
    const [key = null] = keyIds(await getChannelRecord(services.store, id));
    const open = () =>
      circuits
        .enter(id, key, "tts-1")
        .failed(new AppError("upstream_invalid", "Not audio."), new UpstreamProgress());
    const stateAfter = async (fields: object, dry_run = false) => {
      for (let time = 0; time < 5; time += 1) open();
      const channel = {
        ...file.channels.find((one: { name: string }) => one.name === CHANNEL.name),
        ...fields,
      };
      const reply = await importFile({ ...file, settings: {}, models: [], channels: [channel] }, dry_run);
      expect(reply.json.data.steps[0]).toMatchObject({ action: "change" });
      await services.catalog.all();
      return circuits.health(id, key, "tts-1").state;
    };
    const models = [{ ...CHANNEL.models[0], upstream_name: "tts-1-hd" }];
    expect(await stateAfter({ priority: 3 })).toBe("open");
    expect(await stateAfter({ models }, true)).toBe("open");
    expect(await stateAfter({ models })).toBe("closed");
  });

  test("skips models whose names are taken", async () => {
    await addChannel();
    const { file } = await exported();
    const models = [
      { name: "other", operation: "speech", aliases: ["tts-1"] },
      { name: "tts-1", operation: "embeddings" },
    ];
    const reply = await importFile({ ...file, settings: {}, models, channels: [] });
    expect(reply.json.data.steps.map((one: { action: string }) => one.action)).toEqual(["skip", "skip"]);
  });

  test("moves aliases between models of the file, whatever their order", async () => {
    const { file } = await exported();
    const send = (models: object[]) => importFile({ ...file, settings: {}, models, channels: [] });
    const model = (name: string, aliases: string[], operation = "speech") => ({ name, operation, aliases });
    const names = async () => {
      const models = (await services.store.models.all()).filter(({ name }) => /^v\d$/.test(name));
      return Object.fromEntries(models.map((one) => [one.name, one.aliases]));
    };
    await send([model("v1", ["latest"]), model("v2", ["previous"]), model("v3", ["old"])]);
    // v1 and v2 swap their aliases, and the new model v4 takes the alias of v3.
    const swapped = await send([
      model("v4", ["old"]),
      model("v1", ["previous"]),
      model("v2", ["latest"]),
      model("v3", []),
    ]);
    expect(swapped.status, swapped.text).toBe(200);
    expect(swapped.json.data.steps).toMatchObject([
      { name: "v4", action: "create" },
      { name: "v1", action: "change" },
      { name: "v2", action: "change" },
      { name: "v3", action: "change" },
    ]);
    expect(await names()).toEqual({ v1: ["previous"], v2: ["latest"], v3: [], v4: ["old"] });
    // v4 is skipped and keeps its alias, which v3 therefore cannot take.
    const kept = await send([
      model("v3", ["old"]),
      model("v4", ["next"], "embeddings"),
      model("v2", ["next"]),
    ]);
    expect(kept.json.data.steps).toMatchObject([
      { name: "v3", action: "skip", reason: "'old' is already a name or alias of 'v4'." },
      { name: "v4", action: "skip", reason: "Its operation is speech on this instance." },
      { name: "v2", action: "change" },
    ]);
    expect(await names()).toEqual({ v1: ["previous"], v2: ["next"], v3: [], v4: ["old"] });
    // v1 is skipped, because its new alias is taken, and keeps the alias that v3 wants.
    const taken = await send([model("v3", ["previous"]), model("v1", ["next"])]);
    expect(taken.json.data.steps).toMatchObject([
      { name: "v3", action: "skip", reason: "'previous' is already a name or alias of 'v1'." },
      { name: "v1", action: "skip", reason: "'next' is already a name or alias of 'v2'." },
    ]);
    expect(await names()).toEqual({ v1: ["previous"], v2: ["next"], v3: [], v4: ["old"] });
    // v3 is skipped, so the other alias that it wanted stays free for v5.
    const freed = await send([
      model("v3", ["fresh", "previous"]),
      model("v1", ["next"]),
      model("v5", ["fresh"]),
    ]);
    expect(freed.json.data.steps.map((step: { action: string }) => step.action)).toEqual([
      "skip",
      "skip",
      "create",
    ]);
  });

  test("skips a second model of the file with the same name", async () => {
    const { file } = await exported();
    const model = (aliases: string[]) => ({ name: "twin", operation: "speech", aliases });
    const reply = await importFile({
      ...file,
      settings: {},
      models: [model(["one"]), model(["two"])],
      channels: [],
    });
    expect(reply.json.data.steps).toMatchObject([
      { name: "twin", action: "create" },
      { name: "twin", action: "skip", reason: "Another model of the file has this name." },
    ]);
    expect((await services.store.models.all()).find(({ name }) => name === "twin")?.aliases).toEqual(["one"]);
  });

  test("does not create a skipped model, which would have no prices, for a channel that names it", async () => {
    await addChannel();
    const { file } = await exported();
    const model = { name: "late", operation: "speech", aliases: ["tts-1"], enabled: false };
    const models = [{ name: "late", upstream_name: "tts-2", operation: "speech" }];
    const channels = [{ name: "Second", provider: "openai", models }];
    const reply = await importFile({ ...file, settings: {}, models: [model], channels });
    expect(reply.json.data.steps).toMatchObject([
      { kind: "model", name: "late", action: "skip" },
      { kind: "channel", name: "Second", action: "create" },
    ]);
    expect((await services.store.models.all()).map(({ name }) => name)).not.toContain("late");
  });

  test("accepts the export of an instance with thousands of models and channels", async () => {
    const { file } = await exported();
    const models = Array.from({ length: 2_001 }, (_, at) => ({ name: `voice-${at}`, operation: "speech" }));
    const channels = Array.from({ length: 1_001 }, (_, at) => ({ name: `Tenant ${at}`, provider: "openai" }));
    const reply = await importFile({ ...file, settings: {}, models, channels }, true);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.data.steps).toHaveLength(3_002);
  });

  test("leaves out a model's own name among its aliases", async () => {
    const { file } = await exported();
    const models = [{ name: "own", operation: "speech", aliases: ["voice", "own"] }];
    const send = () => importFile({ ...file, settings: {}, models, channels: [] });
    expect((await send()).json.data.steps).toMatchObject([{ name: "own", action: "create" }]);
    const model = (await services.store.models.all()).find(({ name }) => name === "own");
    expect(model?.aliases).toEqual(["voice"]);
    expect((await send()).json.data.steps).toMatchObject([{ name: "own", action: "same" }]);
  });

  test("keeps the alert rules of models and keys when the file is from a version without such rules", async () => {
    const rule = { scope: "model", model: "tts-1", error_rate_percent: 5, channel_open_minutes: 1 };
    const readAlerts = async () => (await harness("/api/settings", { cookie: owner })).json.data.alerts;
    await patch({ alerts: { ...(await readAlerts()), rules: [rule] } });
    const { file } = await exported();
    const { rules: _, ...general } = file.settings.alerts;
    const send = async (alerts: object) => {
      const reply = await importFile({ ...file, settings: { alerts }, models: [], channels: [] });
      return reply.json.data.steps[0].action;
    };
    expect(await send(general)).toBe("same");
    expect(await send({ ...general, error_rate_percent: 33 })).toBe("change");
    expect(await readAlerts()).toMatchObject({ error_rate_percent: 33, rules: [rule] });
    expect(await send({ ...general, rules: [] })).toBe("change");
    expect((await readAlerts()).rules).toEqual([]);
  });

  test("keeps the alert rules of this instance's API keys, and leaves out those of unknown keys", async () => {
    const key = (await harness("/api/keys", { body: { name: "watched" }, cookie: owner })).json.data;
    const other = (await harness("/api/keys", { body: { name: "other" }, cookie: owner })).json.data;
    const ruleOf = (id: string, percent: number) => ({
      scope: "key",
      key_id: id,
      error_rate_percent: percent,
      budgets: true,
    });
    const { alerts } = (await harness("/api/settings", { cookie: owner })).json.data;
    await patch({ alerts: { ...alerts, rules: [ruleOf(key.id, 5), ruleOf(other.id, 6)] } });
    const { file } = await exported();
    const model = { scope: "model", model: "tts-1", error_rate_percent: 7, channel_open_minutes: null };
    const rules = [ruleOf("key_of_another_instance", 8), ruleOf(other.id, 9), model];
    const settings = { alerts: { ...file.settings.alerts, rules } };
    const reply = await importFile({ ...file, settings, models: [], channels: [] });
    const reason = "This instance has no API key with this ID.";
    expect(reply.json.data.steps).toMatchObject([
      { kind: "rule", name: "key_of_another_instance", action: "skip", reason },
      { kind: "setting", name: "alerts", action: "change", reason: null },
    ]);
    const stored = (await harness("/api/settings", { cookie: owner })).json.data.alerts.rules;
    expect(stored).toEqual([ruleOf(other.id, 9), model, ruleOf(key.id, 5)]);
    const many = Array.from({ length: 99 }, (_, at) => ({ ...model, model: `m-${at}` }));
    const tooMany = { alerts: { ...file.settings.alerts, rules: many } };
    const refused = await importFile({ ...file, settings: tooMany, models: [], channels: [] });
    expect(refused.json.data.steps).toMatchObject([
      { action: "skip", reason: expect.stringContaining("100") },
    ]);
    expect((await harness("/api/settings", { cookie: owner })).json.data.alerts.rules).toEqual(stored);
  });

  test("skips owner-only settings, and settings that would lock out the importing administrator", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    const { file } = await exported();
    const settings = { demo_site: true, two_factor_roles: ["admin"], self_use_mode: true };
    const reply = await importFile({ ...file, settings, models: [], channels: [] }, false, ada.cookie);
    expect(reply.json.data.steps.map((one: { action: string }) => one.action)).toEqual([
      "change",
      "skip",
      "skip",
    ]);
    expect((await harness("/api/settings", { cookie: owner })).json.data).toMatchObject({
      demo_site: false,
      two_factor_roles: [],
      self_use_mode: true,
    });
  });

  test("skips a minimum password length below the environment's, which the settings form refuses too", async () => {
    const { base } = services.instance;
    if (base !== undefined) base.passwordMinimum = 16;
    const file = (await exported()).file;
    file.settings.password_minimum = 12;
    for (const isDryRun of [true, false]) {
      const { steps } = (await importFile(file, isDryRun)).json.data;
      expect(steps).toContainEqual({
        kind: "setting",
        name: "password_minimum",
        action: "skip",
        fields: [],
        reason: "Must be at least 16.",
      });
    }
    const { data } = (await harness("/api/settings", { cookie: owner })).json;
    expect(data.password_minimum).toBeNull();
    file.settings.password_minimum = 20;
    await importFile(file);
    expect((await harness("/api/settings", { cookie: owner })).json.data.password_minimum).toBe(20);
  });

  test("is refused to administrators on a demo site", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    const { file } = await exported();
    await patch({ demo_site: true });
    expect((await importFile(file, true, ada.cookie)).status).toBe(403);
  });

  test.each<[string, (file: Record<string, unknown>) => unknown]>([
    ["another format", (file) => ({ ...file, format: "something" })],
    ["a newer version", (file) => ({ ...file, version: 2 })],
    ["an unknown field", (file) => ({ ...file, users: [] })],
    ["an unknown setting", (file) => ({ ...file, settings: { digest_key: "x" } })],
    ["a webhook URL", (file) => ({ ...file, settings: { alerts: { webhook_url: "https://x.example" } } })],
    ["upstream keys", (file) => ({ ...file, channels: [{ ...CHANNEL }] })],
    ["no file", () => null],
  ])("answers 400 to %s and changes nothing", async (_name, corrupt) => {
    const { file } = await exported();
    // Each part has a change that the import would make.
    const changing = {
      ...file,
      settings: { ...file.settings, password_minimum: 14 },
      models: [{ name: "new-model", operation: "speech" }],
      channels: [{ name: "New", provider: "openai" }],
    };
    const before = digestStore(services.dataDirectory);
    expect((await importFile(corrupt(changing))).status).toBe(400);
    expect(digestStore(services.dataDirectory)).toBe(before);
    expect(services.instance.passwordMinimum).not.toBe(14);
    expect((await importFile(changing)).json.data.steps).toContainEqual(
      expect.objectContaining({ kind: "model", name: "new-model", action: "create" }),
    );
  });

  test("reads records once and inserts them in bulk, whatever their number, and sees those it has just created", async () => {
    await addChannel();
    const { file } = await exported();
    const models = Array.from({ length: 40 }, (_, i) => ({
      name: `model-${i}`,
      operation: "speech",
      // The last model has an alias of the first one.
      aliases: i === 0 ? ["spoken"] : i === 39 ? ["spoken", "model-1"] : [],
    }));
    const channels = Array.from({ length: 20 }, (_, i) => ({
      name: `Upstream ${i}`,
      provider: "openai",
      models: [{ name: i === 19 ? "spoken" : "new-voice", upstream_name: "tts-1", operation: "speech" }],
    }));
    const reads = { models: 0, channels: 0 };
    const inserts = { models: [] as number[], channels: [] as number[] };
    const counting = <R, T extends { all(): Promise<readonly R[]>; insert(...records: R[]): Promise<void> }>(
      noun: keyof typeof reads,
      repository: T,
    ): T => ({
      ...repository,
      all() {
        reads[noun] += 1;
        return repository.all();
      },
      insert(...records: R[]) {
        inserts[noun].push(records.length);
        return repository.insert(...records);
      },
    });
    const { transaction } = services.store;
    Object.assign(services.store, {
      transaction: (work: (tx: Repositories) => Promise<unknown>) =>
        transaction((tx) =>
          work({
            ...tx,
            models: counting<ModelRecord, Models>("models", tx.models),
            channels: counting<ChannelRecord, Channels>("channels", tx.channels),
          }),
        ),
    });
    const reply = await importFile({ ...file, settings: {}, models, channels });
    expect(reply.status, reply.text).toBe(200);
    expect(reads).toEqual({ models: 1, channels: 1 });
    // The file's models, and the one that a channel names.
    expect(inserts).toEqual({ models: [39, 1], channels: [19] });
    const skipped = reply.json.data.steps.filter((one: { action: string }) => one.action !== "create");
    expect(skipped).toMatchObject([
      { name: "model-39", action: "skip", reason: "'spoken' is already a name or alias of 'model-0'." },
      { name: "Upstream 19", action: "skip" },
    ]);
    expect((await services.store.models.all()).filter(({ name }) => name === "new-voice")).toHaveLength(1);
  });

  test("accepts the old name of batching and exports the new one", async () => {
    await addChannel({ options: { coalescing: false } });
    const { file } = await exported();
    const [channel] = file.channels.filter(({ name }: { name: string }) => name === "OpenAI");
    expect(channel.options).toEqual({ batching: false });
    const model = { name: "embed-old", operation: "embeddings", coalescing: false };
    const old = { ...channel, name: "Old", options: { coalescing: false, max_batch: 5 } };
    const reply = await importFile({ ...file, channels: [channel, old], models: [model] });
    expect(reply.status, reply.text).toBe(200);
    const again = await exported();
    const sent = again.file.channels.find(({ name }: { name: string }) => name === "Old");
    expect(sent.options).toEqual({ batching: false, max_batch: 5 });
    const models = again.file.models.filter(({ name }: { name: string }) => name === "embed-old");
    expect(models).toMatchObject([{ batching: false }]);
    expect(again.bytes.toString("utf8")).not.toContain("coalescing");
  });

  test("accepts a file larger than other console bodies", async () => {
    const { file } = await exported();
    const models = Array.from({ length: 900 }, (_, i) => ({
      name: `model-${i}`,
      operation: "speech",
      description: "d".repeat(100),
      aliases: [],
      prices: { input_per_million_tokens: "1" },
      max_characters: 5,
      enabled: true,
      cacheable: false,
      batching: false,
      dimensions: null,
      default_voice: null,
    }));
    const reply = await importFile({ ...file, settings: {}, channels: [], models }, true);
    expect([reply.status, reply.json.data.steps.length]).toEqual([200, 900]);
  });
});

describe("the database backup", () => {
  const ask = (password = OWNER.password, cookie = owner) =>
    download("/api/settings/backup", { password }, cookie);
  const leftovers = () => readdirSync(services.dataDirectory).filter((name) => name.startsWith("backup-"));

  test("is a complete database and leaves no temporary file", async () => {
    await addChannel();
    const reply = await ask();
    expect(reply.status).toBe(200);
    expect(reply.headers["content-disposition"]).toMatch(/filename="patchbay-.*\.db"/);
    const file = path.join(services.dataDirectory, "copy.db");
    writeFileSync(file, reply.bytes);
    const copy = new Database(file);
    expect(copy.prepare("pragma integrity_check").get()).toMatchObject({ integrity_check: "ok" });
    expect(copy.prepare("select count(*) as n from users").get()).toMatchObject({ n: 1 });
    copy.close();
    expect(leftovers()).toEqual([]);
  });

  test("requires the owner and the owner's password", async () => {
    const ada = await addUser(harness, owner, { username: "ada", role: "admin" });
    expect((await ask(ada.password, ada.cookie)).status).toBe(403);
    expect((await ask("not the password")).status).toBe(403);
    expect(leftovers()).toEqual([]);
  });

  test("closes the copy when the audit entry cannot be written", async () => {
    const { takeBackup } = services;
    if (takeBackup === undefined) throw new Error("no backups");
    const copies: AsyncIterable<Uint8Array>[] = [];
    services.takeBackup = async () => {
      const copy = await takeBackup();
      copies.push(copy);
      vi.spyOn(services.store, "transaction").mockRejectedValueOnce(new Error("The disk is full."));
      return copy;
    };
    expect((await ask()).status).toBe(500);
    expect(copies).toHaveLength(1);
    for (const copy of copies)
      expect(await copy[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  });
});
