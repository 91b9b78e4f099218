import { expect, signInByCookie } from "./fixtures";
import { test } from "./routed";
import { createUser } from "./users";

test.use({ needsNewInstance: true });

const BODY = { model: "patchbay-embed", input: "kettle" };

/** Sends `count` embeddings requests and expects this status of each. */
async function send(url: string, key: string, count: number, status: number, body: object = BODY) {
  for (let i = 0; i < count; i++) {
    const reply = await fetch(`${url}/v1/embeddings`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${key}`,
        "x-request-id": `e2e-${status}-${i}`,
        "cache-control": "no-store",
      },
      body: JSON.stringify(body),
    });
    expect([reply.status, await reply.text()]).toEqual([status, expect.any(String)]);
  }
}

test("opens a key's rejected requests from the keys page, with limit and Retry-After", async ({
  routedPage: page,
  routed,
}) => {
  const { url } = routed.product;
  const limited = await routed.call("/api/keys", { name: "Radio", rpm: 2 });
  const restricted = await routed.call("/api/keys", { name: "Office", allowed_addresses: ["203.0.113.7"] });
  const noBudget = await routed.call("/api/keys", { name: "Broke", budget: { total_usd: "0" } });
  await send(url, limited.key, 2, 200);
  await send(url, limited.key, 5, 429);
  await send(url, restricted.key, 3, 403);
  await send(url, noBudget.key, 4, 429);
  await send(url, "sk-pb-unknown", 6, 401);
  await send(url, noBudget.key, 7, 404, { ...BODY, model: "no-such-model" });
  await send(url, noBudget.key, 8, 400, { ...BODY, input: 5 });
  // Counts are written every two seconds; a minute may have ended in between.
  const counts = async () => {
    const { items } = await routed.call("/api/usage/rejected?limit=100");
    const sums = new Map<string, number>();
    for (const one of items) {
      const name = `${one.key_name} ${one.status} ${one.error} ${one.limit}`;
      sums.set(name, (sums.get(name) ?? 0) + one.calls);
    }
    return [...sums].map(([name, calls]) => `${calls} ${name}`).sort();
  };
  await expect(async () => {
    expect(await counts()).toEqual(
      [
        "5 Radio 429 rate_limited key_rpm",
        "3 Office 403 ip_not_allowed null",
        "4 Broke 429 insufficient_quota key_budget",
        "6 null 401 unauthenticated null",
        "7 Broke 404 model_not_found null",
        "8 Broke 400 invalid null",
      ].sort(),
    );
  }).toPass({ timeout: 15_000 });

  await page.goto(`${url}/keys`);
  await page
    .getByRole("row", { name: /Radio/ })
    .getByRole("link", { name: /Last rejected: rate limit/ })
    .click();
  await expect(page).toHaveURL(/\/logs\?.*status=rejected/);
  const table = page.getByRole("table", { name: "Rejected requests" });
  const row = table.getByRole("row").filter({ hasText: "rate_limited" }).first();
  await expect(row).toContainText("429");
  await expect(row).toContainText("Key: requests per minute");
  await expect(row).toContainText("This key is limited to 2 requests per minute.");
  await expect(row.getByRole("cell", { name: /^\d+ s$/ })).toBeVisible();
  await expect(row).toContainText("e2e-429-4");
  await expect(table).not.toContainText("Office");

  await page.goto(url);
  await expect(page.getByText("33 requests rejected before reaching a channel")).toBeVisible();
  await page.getByRole("link", { name: "View requests" }).click();
  await expect(page.getByLabel("Outcome")).toHaveValue("rejected");
  await expect(table).toContainText("No valid key");
  await page.goto(`${url}/usage`);
  await expect(page.getByText("33 requests rejected before reaching a channel")).toBeVisible();
});

test("shows members the rejected requests of their own keys only", async ({ page, routed }) => {
  const { url } = routed.product;
  const { cookie } = await createUser(url, routed.cookie, { username: "mia", role: "member" });
  const own = await fetch(`${url}/api/keys`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ name: "Mia's", rpm: 1 }),
  }).then((reply) => reply.json());
  const other = await routed.call("/api/keys", { name: "Radio", rpm: 1 });
  for (const key of [own.data.key, other.key]) {
    await send(url, key, 1, 200);
    await send(url, key, 2, 429);
  }
  await signInByCookie(page, url, cookie);
  await expect(async () => {
    await page.goto(`${url}/keys`);
    await page.getByRole("link", { name: /Last rejected: rate limit/ }).click({ timeout: 1_000 });
  }).toPass();
  await expect(page).toHaveURL(/\/usage\?.*status=rejected/);
  const table = page.getByRole("table", { name: "Rejected requests" });
  await expect(table).toContainText("Mia's");
  await page.goto(`${url}/usage?status=rejected`);
  await expect(table).toContainText("Mia's");
  await expect(table).not.toContainText("Radio");
});

test.describe("the cause of a failed request", () => {
  test.use({ allowedConsole: [[/status of 50\d/], { scope: "test" }] });

  test("shows administrators the upstream's message without secrets, and the channels that were not tried", async ({
    routedPage: page,
    routed,
  }) => {
    const { url } = routed.product;
    await routed.allow();
    const served = (as: string) => ({
      models: [{ name: "nomic", upstream_name: as, operation: "embeddings" }],
    });
    const first = await routed.channel("Main upstream", served("nomic-embed-text"));
    await routed.channel("Off", { ...served("nomic-embed-text"), enabled: false });
    // The upstream's error contains the refused key.
    routed.accepted.key = "another";
    expect(await routed.embed("nomic")).toBe(502);
    await page.goto(`${url}/logs?status=failed`);
    await page.getByRole("link", { name: /nomic at / }).click();
    const drawer = page.getByRole("dialog", { name: "Request" });
    await expect(drawer).toContainText("Incorrect API key provided: […].");
    await expect(drawer.getByRole("listitem").filter({ hasText: "Off" })).toContainText("Disabled");
    await page.goto(`${url}/channels/${first.id}`);
    await expect(page.getByText("Incorrect API key provided: […].")).toBeVisible();

    // The circuit is open now.
    expect(await routed.embed("nomic")).toBe(503);
    await page.goto(`${url}/logs?status=no_channel_available`);
    await page.getByRole("link", { name: /nomic at / }).click();
    await expect(drawer).toContainText("No channel was called.");
    await expect(drawer.getByRole("listitem").filter({ hasText: "Main upstream" })).toContainText(
      /Circuit open since .*: invalid upstream key/,
    );

    const { cookie: member } = await createUser(url, routed.cookie, { username: "mia", role: "member" });
    for (const [cookie, isAdmin] of [
      [routed.cookie, true],
      [member, false],
    ] as const) {
      // The open page would send its requests again, now as another user.
      await page.goto("about:blank");
      await page.context().clearCookies();
      await signInByCookie(page, url, cookie);
      await page.goto(`${url}/playground/embeddings`);
      await page.getByLabel("Model", { exact: true }).selectOption("nomic");
      await page.getByRole("button", { name: /^Help desk/ }).click();
      await expect(page.getByRole("alert").filter({ hasText: "nomic" })).toContainText(
        "No channel can serve the model 'nomic'",
      );
      const cause = page.getByRole("region", { name: "Cause, for administrators" });
      if (isAdmin) await expect(cause).toContainText("Circuit open since");
      else await expect(cause).toHaveCount(0);
    }
  });
});
