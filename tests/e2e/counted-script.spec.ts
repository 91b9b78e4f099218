import type { Locator, Page } from "playwright/test";
import { expect } from "./fixtures";
import { type Routed, test, UPSTREAM_KEY } from "./routed";

test.use({ needsNewInstance: true });

/** $0.001 per token, so that every call has an exact price. */
const NANO_PER_TOKEN = 1_000_000;
const PRICES = { input_per_million_tokens: "1000" };
const GROUPS = ["cached", "notRouted"] as const;

/** The requests of a script and their results, counted by the script itself. */
class Tally {
  calls = 0;
  errors = 0;
  tokens = 0;
  audioMs = 0;
  nano = 0;
  failedOver = 0;
  rejected = 0;
  cached = 0;
  notRouted = 0;
  readonly byModel = new Map<string, [calls: number, errors: number]>();
  readonly byChannel = new Map<string, [calls: number, errors: number]>();
  readonly byKey = new Map<string, [calls: number, errors: number]>();
  readonly nanoByKey = new Map<string, number>();

  add(
    call: { model: string; key: string; channel: string | (typeof GROUPS)[number] },
    got: { failed?: boolean; tokens?: number; nano?: number; audioMs?: number; attempts?: number },
  ): void {
    const failed = got.failed ? 1 : 0;
    this.calls += 1;
    this.errors += failed;
    this.tokens += got.tokens ?? 0;
    this.nano += got.nano ?? 0;
    this.audioMs += got.audioMs ?? 0;
    this.failedOver += (got.attempts ?? 1) > 1 && !got.failed ? 1 : 0;
    if (call.channel === "cached" || call.channel === "notRouted") this[call.channel] += 1;
    else add(this.byChannel, call.channel, failed);
    add(this.byModel, call.model, failed);
    add(this.byKey, call.key, failed);
    this.nanoByKey.set(call.key, (this.nanoByKey.get(call.key) ?? 0) + (got.nano ?? 0));
  }
}

function add(map: Map<string, [number, number]>, name: string, failed: number): void {
  const [calls, errors] = map.get(name) ?? [0, 0];
  map.set(name, [calls + 1, errors + failed]);
}

async function post(url: string, key: string, path: string, body: object, expected: number) {
  const reply = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  expect(reply.status, text).toBe(expected);
  return {
    channel: reply.headers.get("x-patchbay-channel") ?? "",
    attempts: Number(reply.headers.get("x-patchbay-attempts") ?? 1),
    cache: reply.headers.get("x-patchbay-cache"),
    // CONTRACT: OpenAI's or Gemini's reply; an error has no usage.
    json: JSON.parse(text) as {
      usage?: { prompt_tokens: number };
      usageMetadata?: { promptTokenCount: number; candidatesTokenCount: number };
      candidates?: { content: { parts: { inlineData: { data: string } }[] } }[];
    },
  };
}

/** Creates models and channels, sends the script and returns its counts. */
async function runScript({ product, allow, call, channel }: Routed): Promise<Tally> {
  const { url } = product;
  await allow();
  const served = (name: string, as = "nomic-embed-text") => ({ models: [{ name, upstream_name: as }] });
  const model = (name: string, fields: object = {}) =>
    call("/api/models", { name, operation: "embeddings", cacheable: false, batching: false, ...fields });
  await model("priced", { prices: PRICES });
  await model("unpriced");
  await model("repeated", { prices: PRICES, cacheable: true });
  await model("broken");
  await model("switched-off");
  await channel("Flaky", { ...served("priced", "nomic-embed-text--status-500"), priority: 0 });
  const names = ["priced", "unpriced", "repeated"];
  await channel("Steady", {
    models: names.map((name) => ({ name, upstream_name: "nomic-embed-text" })),
    priority: 1,
  });
  await channel("Broken", served("broken", "nomic-embed-text--status-500"));
  await channel("Off", { ...served("switched-off"), enabled: false });
  const site = (await call("/api/keys", { name: "Website" })).key;
  const app = (await call("/api/keys", { name: "App" })).key;

  const tally = new Tally();
  const embed = async (name: string, key: string, input: string) => {
    const got = await post(url, key, "/v1/embeddings", { model: name, input }, 200);
    const tokens = got.json.usage?.prompt_tokens ?? 0;
    const isCached = got.cache === "hit";
    tally.add(
      { model: name, key: key === site ? "Website" : "App", channel: isCached ? "cached" : got.channel },
      { tokens, attempts: got.attempts, nano: name === "unpriced" || isCached ? 0 : tokens * NANO_PER_TOKEN },
    );
  };
  // The first channel fails, the second serves; after five failures the first is skipped.
  for (let at = 0; at < 7; at += 1) await embed("priced", at % 3 === 0 ? app : site, `kettle ${at}`);
  expect(tally.failedOver).toBeGreaterThanOrEqual(5);
  for (const text of ["lamp", "cord"]) await embed("unpriced", site, text);
  for (let at = 0; at < 3; at += 1) await embed("repeated", app, "the same text");
  expect(tally.cached).toBe(2);
  for (let at = 0; at < 2; at += 1) {
    await post(url, app, "/v1/embeddings", { model: "broken", input: "x" }, 502);
    tally.add({ model: "broken", key: "App", channel: "Broken" }, { failed: true });
  }
  await post(url, site, "/v1/embeddings", { model: "switched-off", input: "x" }, 503);
  tally.add({ model: "switched-off", key: "Website", channel: "notRouted" }, { failed: true });
  for (const text of ["The kettle is on.", "Good evening."]) {
    const path = "/v1beta/models/patchbay-speech:generateContent";
    const got = await post(
      url,
      site,
      path,
      { contents: [{ parts: [{ text }] }], generationConfig: { responseModalities: ["AUDIO"] } },
      200,
    );
    const usage = got.json.usageMetadata;
    const audio = got.json.candidates?.[0]?.content.parts[0]?.inlineData.data ?? "";
    tally.add(
      { model: "patchbay-speech", key: "Website", channel: got.channel },
      {
        tokens: (usage?.promptTokenCount ?? 0) + (usage?.candidatesTokenCount ?? 0),
        audioMs: Buffer.from(audio, "base64").length / 48,
      },
    );
  }

  // One request for every reason to reject one.
  const key = async (fields: object) => (await call("/api/keys", { name: "Limited", ...fields })).key;
  const reject = async (bearer: string, status: number, body: object = {}) => {
    const input = { model: "priced", input: "x", ...body };
    await post(url, bearer, "/v1/embeddings", input, status);
    tally.rejected += 1;
  };
  await reject("sk-pb-unknown", 401);
  await reject(await key({ allowed_addresses: ["203.0.113.7"] }), 403);
  await reject(await key({ operations: ["speech"] }), 403);
  await reject(site, 404, { model: "no-such-model" });
  await reject(site, 400, { input: 5 });
  await reject(await key({ budget: { total_usd: "0" } }), 429);
  await reject(await key({ tpm: 1 }), 429, { input: "more tokens than one minute may have" });
  return tally;
}

const number = (text: string | null) => Number((text ?? "").replaceAll(/[^\d.]/g, ""));
/** Audio below a minute, as the console formats it. */
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1).replace(/\.0$/, "")} s`;
/** Dollars, as the console formats them. */
const money = (nano: number) => `$${(nano / 1e9).toFixed(nano < 1e8 ? 4 : 2)}`;

/** The rows of a list of bars, such as `priced7` or `2 failed2`, by name. */
async function expectBars(section: Locator, expected: ReadonlyMap<string, readonly [number, number]>) {
  await expect(section.getByRole("listitem")).toHaveCount(expected.size);
  for (const [name, [calls, errors]] of expected) {
    const row = section.getByRole("listitem").filter({ hasText: new RegExp(`^${name}`) });
    await expect
      .soft(row, name)
      .toHaveText(new RegExp(`${errors > 0 ? `${errors} failed` : ""}\\s*${calls}$`));
  }
}

async function expectOverview(page: Page, url: string, tally: Tally): Promise<void> {
  await page.goto(`${url}/?range=24h`);
  const figure = (name: string) => page.getByTestId(`figure-${name}`);
  await expect(figure("calls")).toHaveText(`${tally.calls}`);
  await expect.soft(figure("errors")).toHaveText(`${tally.errors}`);
  expect.soft(number(await figure("tokens").textContent())).toBe(tally.tokens);
  await expect.soft(figure("spend")).toHaveText(money(tally.nano));
  await expect.soft(figure("audio")).toHaveText(seconds(tally.audioMs));
  await expect.soft(page.getByText("excludes 1 unpriced model")).toBeVisible();
  await expect
    .soft(page.getByText(`${tally.rejected} requests rejected before reaching a channel`))
    .toBeVisible();
  const section = (name: string) =>
    page.locator("section").filter({ has: page.getByRole("heading", { name, exact: true }) });
  await expectBars(section("By model"), tally.byModel);
  await expectBars(section("By key"), tally.byKey);
  await expectBars(
    section("By channel"),
    new Map([
      ...tally.byChannel,
      ["Cached or repeated", [tally.cached, 0] as const],
      ["Not routed", [tally.notRouted, tally.notRouted] as const],
    ]),
  );
}

async function expectUsage(page: Page, url: string, tally: Tally): Promise<void> {
  await page.goto(`${url}/usage?range=24h`);
  const figure = (name: string) => page.getByRole("radiogroup").locator("label").filter({ hasText: name });
  const errors = ((100 * tally.errors) / tally.calls).toFixed(1).replace(/\.0$/, "");
  await expect(figure("Requests")).toHaveText(`Requests${tally.calls}${errors}% failed`);
  await expect.soft(figure("Spend")).toContainText(`Spend${money(tally.nano)}`);
  await expect.soft(figure("Tokens")).toContainText(`Tokens${tally.tokens}`);
  await expect.soft(figure("Audio")).toContainText(`Audio${seconds(tally.audioMs)}`);
  const breakdown = page.locator("section").filter({ has: page.getByLabel("Break down by") });
  await expect(breakdown.getByRole("listitem")).toHaveCount(tally.byModel.size);
  for (const [name, [calls]] of tally.byModel)
    await expect
      .soft(breakdown.getByRole("listitem").filter({ hasText: new RegExp(`^${name}`) }))
      .toHaveText(new RegExp(`${calls}$`));
}

async function expectLogs(page: Page, url: string, tally: Tally): Promise<void> {
  const rows = page.getByRole("table", { name: "Requests", exact: true }).locator("tbody tr");
  for (const [query, count] of [
    ["", tally.calls],
    ["&status=ok", tally.calls - tally.errors],
    ["&status=failed", tally.errors],
    ["&status=no_channel_available", tally.notRouted],
    ["&model=priced", tally.byModel.get("priced")?.[0] ?? 0],
    ["&q=App", tally.byKey.get("App")?.[0] ?? 0],
  ] as const) {
    await page.goto(`${url}/logs?range=24h${query}`);
    await expect.soft(rows, query).toHaveCount(count);
  }
  await page.goto(`${url}/logs?range=24h&status=ok`);
  await expect.soft(rows.filter({ hasText: "Cached" })).toHaveCount(tally.cached);
  const texts = await rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? "")),
  );
  // Columns: time, outcome, model, channel, attempts, latency, amount, cost, request ID.
  expect.soft(texts.filter((cells) => Number(cells[4]) > 1).length).toBe(tally.failedOver);
  const cost = texts.reduce((sum, cells) => sum + number(cells[7] ?? ""), 0);
  expect.soft(cost).toBeCloseTo(tally.nano / 1e9, 6);
  await page.goto(`${url}/logs?range=24h&status=rejected`);
  const rejected = page.getByRole("table", { name: "Rejected requests" }).locator("tbody tr");
  await expect.soft(rejected).toHaveCount(tally.rejected);
}

test("shows exact figures for a counted script of requests: success, failover, failure, cache, no price and every rejection", async ({
  routedPage: page,
  routed,
}) => {
  const { url } = routed.product;
  expect(routed.accepted.key).toBe(UPSTREAM_KEY);
  const tally = await runScript(routed);
  // Rejected requests are written every two seconds.
  await expect
    .poll(async () => (await routed.call("/api/usage/rejected?limit=100")).items.length, { timeout: 15_000 })
    .toBe(tally.rejected);
  await expectOverview(page, url, tally);
  await expectUsage(page, url, tally);
  await expectLogs(page, url, tally);

  await page.goto(`${url}/keys`);
  for (const [name, [calls]] of tally.byKey) {
    const row = page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
    await expect.soft(row, name).toContainText(`${calls} requests`);
    await expect.soft(row, name).toContainText(money(tally.nanoByKey.get(name) ?? 0));
  }
  const { items } = await routed.call("/api/channels");
  const all = [...tally.byChannel.values()].reduce((sum, [calls]) => sum + calls, 0);
  const percent = (share: number) => `${(share * 100).toFixed(1).replace(/\.0$/, "")}%`;
  for (const [name, [calls, errors]] of tally.byChannel) {
    const channel = items.find((one: { name: string; id: string }) => one.name === name);
    await page.goto(`${url}/channels/${channel?.id}?range=24h`);
    const metrics = page.locator("dl").first();
    await expect
      .soft(metrics, name)
      .toContainText(
        `Requests${calls}Share of traffic${percent(calls / all)}Error rate${percent(errors / calls)}`,
      );
  }
});
