import { afterEach, beforeEach, expect, test } from "vitest";
import { sweepUsage } from "../../lib/console/usage/sweep";
import type { CallTrace } from "../../lib/ports/store";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { channelRecord, usageRecord } from "../support/factories";
import { type TestServices, testServices } from "../support/services";

const DAY = 86_400_000;
const PERIOD = { day: "2026-09-21", month: "2026-09" };

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;
let mia: { id: string; cookie: string };
beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
  mia = await addUser(harness, owner, { username: "mia" });
});
afterEach(() => services.close());

async function recordCall(userId: string, prompt?: string) {
  const channel = channelRecord({ name: "Kitchen upstream" });
  await services.store.channels.insert(channel);
  const trace: CallTrace = {
    admittedMs: 1,
    settledMs: 60,
    attempts: [
      {
        channelId: channel.id,
        keyId: "k1",
        startedMs: 2,
        firstByteMs: 30,
        endedMs: 60,
        error: null,
        upstreamStatus: null,
        message: null,
      },
    ],
  };
  const row = usageRecord("key_gone", userId, { channelId: channel.id, trace, at: services.clock.now() });
  await services.store.ledger.settle(row, PERIOD, prompt);
  return row;
}

const show = (id: string, cookie: string) => harness(`/api/usage/${encodeURIComponent(id)}`, { cookie });

test("shows a call with its attempts, names and stored prompt", async () => {
  const row = await recordCall(mia.id, "good evening");
  const { status, json } = await show(row.id, owner);
  expect(status).toBe(200);
  expect(json.data).toMatchObject({
    id: row.id,
    request_id: row.requestId,
    key_name: null,
    key_display: null,
    user_name: "mia",
    channel_name: "Kitchen upstream",
    prompt: "good evening",
    trace: {
      admitted_ms: 1,
      settled_ms: 60,
      attempts: [{ channel_name: "Kitchen upstream", key: "****wxyz", started_ms: 2, first_byte_ms: 30 }],
    },
  });
  expect((await show(row.requestId, owner)).json.data.id).toBe(row.id);
});

test("shows members only their own calls, and no channel keys", async () => {
  const own = await recordCall(mia.id);
  const others = await recordCall("usr_other");
  const { json } = await show(own.id, mia.cookie);
  expect(json.data).toMatchObject({ id: own.id, prompt: null });
  expect(json.data.trace.attempts[0].key).toBeNull();
  expect((await show(others.id, mia.cookie)).status).toBe(404);
  expect((await show(others.requestId, mia.cookie)).status).toBe(404);
  expect((await show("use_nowhere", owner)).status).toBe(404);
});

test("deletes rows and prompts after the days in the settings, and never without a setting", async () => {
  const row = await recordCall(mia.id, "good evening");
  services.clock.advance(8 * DAY);
  expect(await sweepUsage(services)).toEqual({ rows: 0, prompts: 1, rejections: 0 });
  const login = await harness("/api/user/login", {
    body: { username: "olivia", password: "seven green kettles hum" },
  });
  expect((await show(row.id, login.cookie)).json.data).toMatchObject({ id: row.id, prompt: null });
  await services.store.settings.put("retention_days", { usage: 9, prompts: null });
  expect(await sweepUsage(services)).toEqual({ rows: 0, prompts: 0, rejections: 0 });
  services.clock.advance(2 * DAY);
  expect(await sweepUsage(services)).toEqual({ rows: 1, prompts: 0, rejections: 0 });
  // A prompt is deleted with its entry at the latest.
  await recordCall(mia.id, "good night");
  services.clock.advance(10 * DAY);
  expect(await sweepUsage(services)).toEqual({ rows: 1, prompts: 1, rejections: 0 });
});

test("lists a channel's failed attempts with the callers' status; refuses an empty range", async () => {
  const row = await recordCall(mia.id);
  const channelId = row.channelId ?? "";
  const at = services.clock.now();
  const [good] = row.trace?.attempts ?? [];
  if (!good) throw new Error("no try");
  const bad = { ...good, error: "upstream_error", upstreamStatus: 503, message: "No GPU is free." };
  const attempts = [bad, { ...good, channelId: "chn_other" }];
  const trace: CallTrace = { admittedMs: 1, settledMs: 60, attempts };
  const saved = usageRecord("key_gone", mia.id, { channelId: "chn_other", trace, at, attempts: 2 });
  await services.store.ledger.settle(saved, PERIOD);
  services.clock.advance(1);
  const { status, json } = await harness(`/api/channels/${channelId}/errors`, { cookie: owner });
  expect(status).toBe(200);
  expect(json.data.items).toEqual([
    {
      id: saved.id,
      request_id: saved.requestId,
      at: new Date(at).toISOString(),
      model: saved.model,
      error: "upstream_error",
      upstream_status: 503,
      key: "****wxyz",
      message: "No GPU is free.",
      status: 200,
    },
  ]);
  const noon = "2026-09-21T12:00:00Z";
  const turned = await harness(`/api/channels/${channelId}/errors?from=${noon}&to=${noon}`, {
    cookie: owner,
  });
  expect(turned).toMatchObject({ status: 400, json: { success: false } });
});
