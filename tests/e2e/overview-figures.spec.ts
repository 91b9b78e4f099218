import path from "node:path";
import Database from "libsql";
import type { Page } from "playwright/test";
import { seedSqlite } from "../bench/seed-usage.mjs";
import { expect } from "./fixtures";
import { test } from "./routed";

test.use({ needsNewInstance: true });

const DAY = 86_400_000;
const embed = (name: string) => ({ name, upstream_name: "nomic-embed-text", operation: "embeddings" });

/** Adds 20 days of requests, of which two in a hundred failed, over these channels. */
function seed(
  file: string,
  keyId: string,
  userId: string,
  channels: readonly string[],
  { total = 456, endUsers = ["anna"] }: { total?: number; endUsers?: string[] } = {},
): void {
  const models = ["bge", "embed-large"].map((name) => ({ name, operation: "embeddings" as const }));
  const population = {
    keys: [{ id: keyId, user: userId }],
    models,
    channels: [...channels],
    tags: ["web"],
    endUsers,
  };
  const now = Date.now();
  seedSqlite(file, { count: total, from: now - 20 * DAY, to: now - 60_000, population });
}

interface Counted {
  calls: number;
  errors: number;
  tokens: number;
  nano: number;
  channels: Map<string | null, { calls: number; errors: number }>;
}

/** Counts the ledger's entries, without roll-ups. */
function count(file: string, from: number): Counted {
  const database = new Database(file, { readonly: true });
  try {
    const rows = database
      .prepare(
        "select channel_id, error, input_tokens + output_tokens as tokens, cost_nano from usage where at >= ?",
      )
      .all(from) as { channel_id: string | null; error: string | null; tokens: number; cost_nano: number }[];
    const counted: Counted = { calls: 0, errors: 0, tokens: 0, nano: 0, channels: new Map() };
    for (const row of rows) {
      const failed = row.error === null ? 0 : 1;
      counted.calls += 1;
      counted.errors += failed;
      counted.tokens += row.tokens;
      counted.nano += row.cost_nano;
      const known = counted.channels.get(row.channel_id) ?? { calls: 0, errors: 0 };
      counted.channels.set(row.channel_id, { calls: known.calls + 1, errors: known.errors + failed });
    }
    return counted;
  } finally {
    database.close();
  }
}

const figure = async (page: Page, name: string) =>
  (await page.getByTestId(`figure-${name}`).textContent()) ?? "";

test("shows overview figures and groups that match a count of the ledger's entries", async ({
  routedPage: page,
  routed,
}) => {
  const { url, dataDirectory } = routed.product;
  const file = path.join(dataDirectory, "patchbay.db");
  await routed.allow();
  const primary = await routed.channel("Primary", {
    models: [embed("bge"), embed("embed-large")],
    priority: 2,
  });
  const second = await routed.channel("Second", { models: [embed("embed-large")], priority: 2 });
  const failing = await routed.channel("Failing", {
    models: [{ ...embed("bge"), upstream_name: "nomic-embed-text--status-500" }],
    priority: 1,
  });
  await routed.channel("Wrong key", {
    keys: ["sk-old-key-that-ended"],
    models: [embed("bge")],
    priority: 0,
  });
  const { id, owner_id } = await routed.call("/api/keys", { name: "Search index" });
  seed(file, id, owner_id, [primary.id, second.id, failing.id]);
  for (let time = 0; time < 3; time += 1) expect(await routed.embed("bge")).toBe(200);

  await page.goto(`${url}/?range=30d`);
  await expect(page.getByRole("slider")).toBeAttached();
  const day = Date.now() - (Date.now() % DAY);
  const counted = count(file, day - 30 * DAY);
  expect(counted.calls).toBe(459);
  const number = (text: string) => Number(text.replaceAll(",", ""));
  expect(number(await figure(page, "calls"))).toBe(counted.calls);
  expect(number(await figure(page, "errors"))).toBe(counted.errors);
  expect(number(await figure(page, "tokens"))).toBe(counted.tokens);
  const dollars = counted.nano / 1e9;
  expect(await figure(page, "spend")).toBe(`$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`);

  const byChannel = page
    .locator("section")
    .filter({ has: page.getByRole("heading", { name: "By channel" }) });
  for (const [channelId, name] of [
    [primary.id, "Primary"],
    [second.id, "Second"],
    [failing.id, "Failing"],
  ] as const) {
    const { calls, errors } = counted.channels.get(channelId) ?? { calls: 0, errors: 0 };
    const row = byChannel.getByRole("listitem").filter({ hasText: name });
    await expect(row).toContainText(errors > 0 ? `${errors} failed${calls}` : `${calls}`);
  }
  const shown = await byChannel.getByRole("listitem").allTextContents();
  const sum = shown.reduce((total, text) => total + number(/([\d,]+)$/.exec(text)?.[1] ?? "0"), 0);
  expect(sum).toBe(counted.calls);
});

test("breaks usage down by more end users than are listed, and counts all of them", async ({
  routedPage: page,
  routed,
}) => {
  const { url, dataDirectory } = routed.product;
  const file = path.join(dataDirectory, "patchbay.db");
  const { id, owner_id } = await routed.call("/api/keys", { name: "Shop" });
  const endUsers = Array.from({ length: 5_000 }, (_, index) => `guest ${index} of the shop`);
  seed(file, id, owner_id, [], { total: 3_000, endUsers });
  const database = new Database(file);
  database
    .prepare(
      `update usage set end_user = 'rare guest', input_tokens = 1000000, output_tokens = 0 where id in
       (select max(id) from usage where key_id = ? and end_user is not null group by end_user having count(*) = 1 limit 1)`,
    )
    .run(id);
  database.close();
  await page.goto(`${url}/usage?range=30d&by=end_user&key_id=${id}`);
  const breakdown = page.locator("section").filter({ has: page.getByLabel("Break down by") });
  const bars = breakdown.getByRole("listitem");
  const sum = async () =>
    (await bars.allTextContents()).reduce(
      (total, text) => total + Number((/([\d,]+)$/.exec(text)?.[1] ?? "0").replaceAll(",", "")),
      0,
    );
  await expect(bars.last()).toContainText("At least 992 others");
  await expect(bars).toHaveCount(9);
  expect(await sum()).toBe(3_000);
  // The bars rank all end users, not only the thousand with the most calls.
  await page.getByRole("radio", { name: /^Tokens/ }).click();
  await expect(page).toHaveURL(/figure=tokens/);
  await expect(bars.filter({ hasText: "rare guest" })).toContainText("1,000,000");
});
