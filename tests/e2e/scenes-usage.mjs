/** Walks through usage and logs, on an instance with a month of requests. */
import path from "node:path";
import Database from "libsql";
import { seedSqlite } from "../bench/seed-usage.mjs";
import { callConsole } from "./scenes.mjs";

const DAY = 86_400_000;
const MONTH = 30 * DAY;

/** Distribution of requests over time: more by day than by night, growing every week. */
function dailyCurve(share) {
  const grown = share ** 0.8;
  return grown + (0.11 / 30) * Math.sin(2 * Math.PI * 30 * grown);
}

async function createKeys(url, cookie) {
  const keys = [];
  for (const name of ["Kitchen radio", "Search index", "Night reader", "Old importer"]) {
    const { id, owner_id: user } = await callConsole(url, "/api/keys", cookie, { name });
    keys.push({ id, user });
  }
  return keys;
}

async function createChannels(url, cookie) {
  const channels = [];
  for (const name of ["Berlin relay", "Cloud east", "Cloud west"]) {
    const channel = await callConsole(url, "/api/channels", cookie, {
      name,
      provider: "openai",
      base_url: "https://api.openai.com/v1",
      keys: ["sk-of-the-scenes-0000"],
      models: [{ name: "tts-clear", upstream_name: "tts-1", operation: "speech" }],
      enabled: false,
    });
    channels.push(channel);
  }
  return channels;
}

/** Gives one of the newest ledger entries other values and a request ID; `req_with_prompt` also gets a stored prompt. */
function updateEntry(file, fields, requestId) {
  const names = Object.keys(fields);
  const database = new Database(file);
  database.exec("pragma busy_timeout = 5000");
  const row = "(select id from usage where channel_id is not null order by at desc limit 1 offset ?)";
  database
    .prepare(
      `update usage set ${names.map((name) => `${name} = ?`).join(", ")}, request_id = ? where id = ${row}`,
    )
    .run([...Object.values(fields), requestId, 3 + names.length]);
  if (requestId === "req_with_prompt")
    database
      .prepare("insert into prompts (usage_id, at, input) select id, at, ? from usage where request_id = ?")
      .run([
        "Good evening. The lamps are lit, the lines are quiet, and every call finds its way.",
        requestId,
      ]);
  database.close();
}

/** Seeds a month of requests: 9,000, of which one failed over, one failed and one has a stored prompt. */
export async function seedMonth({ url, cookie, data }) {
  const keys = await createKeys(url, cookie);
  const channels = await createChannels(url, cookie);
  const file = path.join(data, "patchbay.db");
  const now = Date.now();
  const population = {
    keys,
    models: [
      { name: "patchbay-speech", operation: "speech" },
      { name: "patchbay-embed", operation: "embeddings" },
      { name: "tts-clear", operation: "speech" },
      { name: "embed-large", operation: "embeddings" },
    ],
    channels: channels.map((channel) => channel.id),
    tags: ["web", "batch", "web,beta", "night"],
    endUsers: ["anna", "bela", "chen", "dora"],
  };
  seedSqlite(file, { count: 9_000, from: now - MONTH, to: now - 60_000, population, when: dailyCurve });
  const [relay, east] = channels;
  const key = east.keys[0].id;
  const failedOver = [
    [relay.id, relay.keys[0].id, 0.9, null, 412, "upstream_error", 503],
    [east.id, key, 412.4, 655, 1_930.2, null, null],
  ];
  updateEntry(
    file,
    {
      trace: JSON.stringify([1, 0.6, 1_930.2, failedOver]),
      attempts: 2,
      channel_id: east.id,
      status: 200,
      error: null,
      latency_ms: 1_930,
      first_byte_ms: 655,
    },
    "req_failed_over",
  );
  const rejected = [[east.id, key, 0.8, null, 233.1, "upstream_error", 401]];
  updateEntry(
    file,
    {
      trace: JSON.stringify([1, 0.5, 233.4, rejected]),
      attempts: 1,
      channel_id: east.id,
      status: 502,
      error: "upstream_error",
      latency_ms: 233,
    },
    "req_failed",
  );
  updateEntry(file, { status: 200, error: null, tags: "web,beta" }, "req_with_prompt");
}

/** Usage: a day, a month of spend by key, filtered, without matches. */
export async function walkUsage({ page, url, shot }) {
  await page.goto(`${url}/usage`);
  await page.getByRole("heading", { name: "Breakdown" }).waitFor();
  await shot("usage", { fullPage: false });
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await page.waitForLoadState("networkidle");
  await shot("usage-calls", { fullPage: false });
  await page.goto(`${url}/usage?range=30d&figure=cost&by=key`);
  await shot("usage-month-spend", { fullPage: false });
  await page.goto(`${url}/usage?range=7d&figure=tokens&by=tag&operation=embeddings&status=ok`);
  await shot("usage-filtered", { fullPage: false });
  await page.goto(`${url}/usage?tag=nowhere`);
  await page.getByRole("heading", { name: "No requests match these filters" }).waitFor();
  await shot("usage-no-match");
}

/** Logs: all, failed ones only, and the details of three requests. */
export async function walkLogs({ page, url, shot }) {
  await page.goto(`${url}/logs`);
  await shot("logs", { fullPage: false });
  await page.goto(`${url}/logs?status=failed&range=7d`);
  await shot("logs-failed", { fullPage: false });
  for (const [name, query] of [
    ["failed-over", "request_id=req_failed_over"],
    ["failed", "request_id=req_failed"],
    ["prompt", "request_id=req_with_prompt"],
  ]) {
    await page.goto(`${url}/logs?range=30d&${query}`);
    const link = page
      .getByRole("link", { name: /: .* at / })
      .filter({ visible: true })
      .first();
    await link.click();
    await page.getByRole("dialog").getByRole("heading", { name: "Timeline" }).waitFor();
    await shot(`logs-call-${name}`, { fullPage: false });
  }
}
