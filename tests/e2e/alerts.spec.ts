import { expect, test } from "./fixtures";

async function call(url: string, cookie: string, method: string, route: string, body?: object) {
  const reply = await fetch(url + route, {
    method,
    headers: { "content-type": "application/json", cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await reply.json()).data;
}

test("a budget that has no room left is told of, with the way to its key, until it is raised", async ({
  ownerPage: page,
  product,
}) => {
  test.slow();
  const { url, cookie } = product;
  const { items } = await call(url, cookie, "GET", "/api/models");
  const model = items.find((one: { name: string }) => one.name === "patchbay-embed");
  const prices = { input_per_million_tokens: "1000" };
  await call(url, cookie, "PATCH", "/api/models/patchbay-embed", { version: model.version, prices });
  const key = await call(url, cookie, "POST", "/api/keys", {
    name: "Door bell",
    budget: { daily_usd: "0.01" },
  });
  let status = 200;
  while (status === 200) {
    const reply = await fetch(`${url}/v1/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key.key}` },
      body: JSON.stringify({ model: "patchbay-embed", input: "a" }),
    });
    status = reply.status;
  }
  expect(status).toBe(429);

  await page.goto(`${url}/alerts`);
  const alert = page.getByRole("listitem").filter({ hasText: "Door bell has no room left in its budget" });
  await expect(alert).toBeVisible({ timeout: 40_000 });
  await expect(page.getByRole("link", { name: /^Alerts New: \d+$/ })).toBeVisible();
  await expect(alert.getByRole("link", { name: "Show key" })).toHaveAttribute("href", "/keys?q=Door%20bell");
  await alert.getByRole("button", { name: "Mark as seen" }).click();
  await expect(alert.getByText(/^Seen /)).toBeVisible();

  const { version } = await call(url, cookie, "GET", `/api/keys/${key.id}`);
  const raised = { version, budget: { daily_usd: "10" } };
  await call(url, cookie, "PATCH", `/api/keys/${key.id}`, raised);
  await expect(page.getByText("Door bell had no room left in its budget")).toBeVisible({ timeout: 40_000 });
  await expect(page.getByRole("heading", { name: "Nothing needs you" })).toBeVisible();
});

test("rules are saved, and a wrong one is told at its field", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/alerts`);
  const minutes = page.getByLabel("A channel takes no calls for");
  await minutes.fill("0");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(minutes).toHaveAccessibleDescription(/1 or more/);
  await minutes.fill("5");
  await page.getByLabel("Calls that fail").fill("");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Alerts saved")).toBeVisible();
  await page.reload();
  await expect(minutes).toHaveValue("5");
  await expect(page.getByLabel("Calls that fail")).toHaveValue("");
});

test("the webhook's secret is shown once, and a test says why nothing arrived", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/alerts`);
  await page.getByRole("textbox", { name: "Webhook" }).fill("http://127.0.0.1:9/hook");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("button", { name: "Make secret" }).click();
  await expect(page.getByTestId("webhook-secret")).toHaveText(/^whsec_\w{40}$/);
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByTestId("webhook-secret")).toHaveCount(0);
  await page.getByRole("button", { name: "Send a test" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "did not take it" })).toContainText(
    "its address is private or plain http and not allowed",
  );
  await page.getByRole("button", { name: "Replace secret" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Replace the signing secret?" });
  await dialog.getByRole("button", { name: "Replace secret" }).click();
  await expect(page.getByTestId("webhook-secret")).toBeVisible();
});

test.describe("a saved webhook URL", () => {
  test.use({ allowedConsole: [[/status of 400/], { scope: "test" }] });

  test("shows host and last characters, and is replaced whole or not at all", async ({
    ownerPage: page,
    product: { url, cookie },
  }) => {
    const before = (await call(url, cookie, "GET", "/api/settings")).alerts;
    await page.goto(`${url}/alerts`);
    const webhook = page.getByRole("textbox", { name: "Webhook" });
    await webhook.fill("https://hooks.example.com/services/T0/0123456789");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(webhook).toHaveValue("https://hooks.example.com/****6789");
    await webhook.press("End");
    await webhook.pressSequentially("0");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText("Enter the whole URL, e.g.")).toBeVisible();
    await page.reload();
    await expect(webhook).toHaveValue("https://hooks.example.com/****6789");
    const { version } = await call(url, cookie, "GET", "/api/settings");
    await call(url, cookie, "PATCH", "/api/settings", { version, alerts: { ...before, webhook_url: null } });
  });
});

test("a rule that somebody else changed meanwhile is shown, and not written back", async ({
  ownerPage: page,
  product: { url, cookie },
}) => {
  const settings = () => call(url, cookie, "GET", "/api/settings");
  const before = (await settings()).alerts;
  const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
  await page.goto(`${url}/alerts`);
  await isLive;
  const webhook = page.getByRole("textbox", { name: "Webhook" });
  await webhook.fill("https://hooks.example.com/lamp");
  const { version } = await settings();
  await call(url, cookie, "PATCH", "/api/settings", {
    version,
    alerts: { ...before, error_rate_percent: 33 },
  });
  await expect(page.getByRole("textbox", { name: /^Calls that fail/ })).toHaveValue("33", {
    timeout: 20_000,
  });
  await expect(webhook).toHaveValue("https://hooks.example.com/lamp");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect.poll(async () => (await settings()).alerts.webhook_url).toBe("https://hooks.example.com/****");
  expect((await settings()).alerts.error_rate_percent).toBe(33);
  await call(url, cookie, "PATCH", "/api/settings", { version: (await settings()).version, alerts: before });
});
