/** Walks through the overview, with 20 days of requests and a channel whose key is rejected. */
import { createServer } from "node:http";
import path from "node:path";
import Database from "libsql";
import { seedSqlite } from "../bench/seed-usage.mjs";
import { callConsole } from "./scenes.mjs";

const DAY = 86_400_000;
const KEY = "sk-scenes-0123456789abcdef";

/** A fake OpenAI-compatible embeddings upstream; rejects any key but KEY. */
function startUpstream() {
  const server = createServer((request, reply) => {
    request.resume();
    const isAccepted = request.headers.authorization === `Bearer ${KEY}`;
    reply.writeHead(isAccepted ? 200 : 401, { "content-type": "application/json" });
    const data = [{ index: 0, embedding: Array(768).fill(0.036) }];
    const rejection = { error: { message: "Incorrect API key provided.", code: "invalid_api_key" } };
    reply.end(
      JSON.stringify(isAccepted ? { data, usage: { prompt_tokens: 4, total_tokens: 4 } } : rejection),
    );
  });
  server.unref();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}/v1`));
  });
}

/** Deletes the roll-ups. */
function clearRollups(file) {
  const database = new Database(file);
  database.exec("pragma busy_timeout = 5000; delete from rollups; delete from daily_rollups");
  database.close();
}

/** Distribution of requests over time: more by day than by night, growing slowly. */
function dailyCurve(days) {
  return (share) => {
    const grown = share ** 0.85;
    return grown - (0.1 / days) * Math.sin(2 * Math.PI * days * grown);
  };
}

/** Sends embeddings requests with an API key and ignores the replies. */
async function sendRequests(url, key, model, times) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  for (let index = 0; index < times; index++) {
    const body = JSON.stringify({ model, input: `lamp ${index}` });
    await fetch(`${url}/v1/embeddings`, { method: "POST", headers, body }).then((reply) => reply.text());
  }
}

async function createChannels(url, cookie) {
  const base_url = await startUpstream();
  const channel = (fields) =>
    callConsole(url, "/api/channels", cookie, { provider: "openai", base_url, ...fields });
  const model = (name, operation) => ({ name, upstream_name: name, operation });
  const speech = [model("tts-clear", "speech"), model("tts-quick", "speech")];
  const [large, bge] = [model("embed-large", "embeddings"), model("bge-m3", "embeddings")];
  const cellar = await channel({ name: "Kokoro in the cellar", keys: [KEY], models: [...speech, bge] });
  const cloud = await channel({ name: "Cloud east", keys: [KEY], models: [...speech, large] });
  await channel({ name: "Rented machine", keys: ["sk-old-key-that-ended"], models: [bge] });
  const { items } = await callConsole(url, "/api/channels", cookie);
  const builtIn = items.find((one) => one.embedded && one.name.includes("speech"));
  return { cellar, cloud, builtIn };
}

async function createKeys(url, cookie) {
  const keys = [];
  let secret = "";
  for (const name of ["Kitchen radio", "Search index", "Night reader", "Old importer"]) {
    const created = await callConsole(url, "/api/keys", cookie, { name });
    keys.push({ id: created.id, user: created.owner_id });
    secret = created.key;
  }
  return { keys, secret };
}

/** Adds 20 days of requests to the usage ledger. */
function seedRequests(file, keys, { cellar, cloud, builtIn }) {
  const now = Date.now();
  const routes = [
    ["tts-clear", "speech", cloud.id, 7_000],
    ["tts-clear", "speech", cellar.id, 2_400],
    ["tts-quick", "speech", cellar.id, 3_000],
    ["embed-large", "embeddings", cloud.id, 5_200],
    ["bge-m3", "embeddings", cellar.id, 1_500],
    ["patchbay-speech", "speech", builtIn?.id, 900],
  ];
  for (const [seed, [name, operation, id, count]] of routes.entries()) {
    const population = {
      keys,
      models: [{ name, operation }],
      channels: [id],
      tags: ["web"],
      endUsers: ["anna"],
    };
    // Seeding rebuilds the roll-ups from the whole ledger.
    clearRollups(file);
    seedSqlite(file, {
      count,
      from: now - 20 * DAY,
      to: now - 30_000,
      population,
      seed: seed + 1,
      when: dailyCurve(20),
    });
  }
}

/** Opens the circuit of the channel with the rejected key: without `other` it is the only one for bge-m3. */
async function openCircuit(url, cookie, secret, other) {
  const { version } = await callConsole(url, `/api/channels/${other.id}`, cookie);
  const enable = (enabled, at) =>
    fetch(`${url}/api/channels/${other.id}`, {
      method: "PATCH",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify({ enabled, version: at }),
    }).then((reply) => reply.json());
  const disabled = await enable(false, version);
  await sendRequests(url, secret, "bge-m3", 3);
  await enable(true, disabled.data.version);
}

/** Seeds a new instance (`PATCHBAY_UPSTREAM_ALLOW=127.0.0.1`) with channels and requests; returns an API key. */
export async function seedOverview({ url, cookie, data }) {
  const channels = await createChannels(url, cookie);
  const { keys, secret } = await createKeys(url, cookie);
  seedRequests(path.join(data, "patchbay.db"), keys, channels);
  await openCircuit(url, cookie, secret, channels.cellar);
  await sendRequests(url, secret, "patchbay-embed", 6);
  return { secret };
}

/** The overview over a day, a month, a week and an hour, with the metrics requests, spend, latency and errors. */
export async function walkOverview({ page, url, shot }) {
  await page.goto(url);
  await page.getByRole("slider").waitFor();
  await shot("overview-busy");
  await page.goto(`${url}/?range=30d&figure=spend`);
  await page.getByRole("slider").waitFor();
  await shot("overview-month", { fullPage: false });
  await page.goto(`${url}/?range=7d&figure=latency`);
  await page.getByRole("slider").focus();
  for (const _ of [1, 2, 3, 4, 5, 6]) await page.keyboard.press("ArrowLeft");
  await shot("overview-week-latency", { fullPage: false });
  await page.goto(`${url}/?range=1h&figure=errors`);
  await page.getByRole("slider").waitFor();
  await shot("overview-hour", { fullPage: false });
}
