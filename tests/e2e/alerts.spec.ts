import type { Page } from "playwright/test";
import { call, changeSettings } from "./console-api";
import { asksToLeave, expect, holdRequests, test } from "./fixtures";

/** Prices the built-in embeddings model, and spends the daily budget of a new key; returns the last HTTP status. */
async function spendBudget(
  url: string,
  cookie: string,
  name: string,
): Promise<{ id: string; status: number }> {
  const { items } = await call(url, cookie, "GET", "/api/models");
  const model = items.find((one: { name: string }) => one.name === "patchbay-embed");
  const prices = { input_per_million_tokens: "1000" };
  await call(url, cookie, "PATCH", "/api/models/patchbay-embed", { version: model.version, prices });
  const { id, key } = await call(url, cookie, "POST", "/api/keys", { name, budget: { daily_usd: "0.01" } });
  let status = 200;
  while (status === 200) {
    const reply = await fetch(`${url}/v1/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "patchbay-embed", input: "a" }),
    });
    status = reply.status;
  }
  return { id, status };
}

test("shows an alert for a spent budget until the budget is raised", async ({ ownerPage: page, product }) => {
  test.slow();
  const { url, cookie } = product;
  const { id, status } = await spendBudget(url, cookie, "Hall radio");
  expect(status).toBe(429);

  await page.goto(`${url}/alerts`);
  const alert = page
    .getByRole("listitem")
    .filter({ hasText: "Hall radio has requests refused at 90% of its budget" });
  await expect(alert).toBeVisible({ timeout: 40_000 });
  await expect(page.getByRole("link", { name: /^Alerts New: \d+$/ })).toBeVisible();
  await expect(alert.getByRole("link", { name: "View key" })).toHaveAttribute("href", "/keys?q=Hall%20radio");
  await alert.getByRole("button", { name: "Acknowledge" }).click();
  await expect(alert.getByText(/^Acknowledged /)).toBeVisible();

  const { version } = await call(url, cookie, "GET", `/api/keys/${id}`);
  const raised = { version, budget: { daily_usd: "10" } };
  await call(url, cookie, "PATCH", `/api/keys/${id}`, raised);
  await expect(page.getByText("Hall radio had requests refused at 90% of its budget")).toBeVisible({
    timeout: 40_000,
  });
  await expect(page.getByRole("heading", { name: "All clear" })).toBeVisible();
});

test("saves alert rules and shows an invalid value at its field", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/alerts`);
  const minutes = page.getByLabel("Channel down for");
  await expect(minutes).toHaveAccessibleDescription("minutes");
  await expect(page.getByLabel(/^Free disk space/)).toHaveAccessibleDescription("% or less");
  await minutes.fill("0");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(minutes).toHaveAccessibleDescription(/1 or more/);
  await minutes.fill("5");
  await page.getByLabel("Failed requests").fill(" ");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Alert rules saved")).toBeVisible();
  await page.reload();
  await expect(minutes).toHaveValue("5");
  await expect(page.getByLabel("Failed requests")).toHaveValue("");
});

test("keeps what is entered while the rules are saved", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/alerts`);
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/settings", async (route) => {
    if (route.request().method() !== "GET") await isReleased;
    await route.continue();
  });
  const minutes = page.getByLabel("Channel down for");
  await minutes.fill("6");
  const save = page.getByRole("button", { name: "Save changes" });
  const request = page.waitForRequest(
    (one) => one.method() === "PATCH" && one.url().endsWith("/api/settings"),
  );
  await save.click();
  await request;
  const disk = page.getByLabel(/^Free disk space/);
  await disk.fill("11");
  release();
  await expect(page.getByText("Alert rules saved")).toBeVisible();
  await expect(disk).toHaveValue("11");
  await expect(save).toBeEnabled();
  await page.getByText("Alert rules saved").waitFor({ state: "hidden" });
  await save.click();
  await expect(page.getByText("Alert rules saved")).toBeVisible();
  await page.reload();
  await expect(minutes).toHaveValue("6");
  await expect(disk).toHaveValue("11");
});

test("shows the webhook secret once and reports why a test message failed", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/alerts`);
  // A name is resolved only when a message is sent.
  await page.getByRole("textbox", { name: "Signed webhook" }).fill("https://localhost/hook");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("button", { name: "Create secret" }).click();
  await expect(page.getByTestId("webhook-secret")).toHaveText(/^whsec_\w{40}$/);
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByTestId("webhook-secret")).toHaveCount(0);
  await page.getByRole("button", { name: "Send test message" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Test message failed" })).toContainText(
    "the address is private or plain http and not allowed",
  );
  await page.getByRole("button", { name: "Rotate secret" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Rotate the signing secret?" });
  const release = await holdRequests(page, "**/api/alerts/webhook/secret");
  await dialog.getByRole("button", { name: "Rotate secret" }).click();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  expect(await asksToLeave(page)).toBe(true);
  release();
  await expect(page.getByTestId("webhook-secret")).toBeVisible();
});

test.describe("a saved webhook URL", () => {
  test.use({ allowedConsole: [[/status of 400/], { scope: "test" }] });

  test("is shown masked and can only be replaced as a whole", async ({
    ownerPage: page,
    product: { url, cookie },
  }) => {
    const before = (await call(url, cookie, "GET", "/api/settings")).alerts;
    await page.goto(`${url}/alerts`);
    const webhook = page.getByRole("textbox", { name: "Signed webhook" });
    await webhook.fill("https://hooks.example.com/services/T0/0123456789");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(webhook).toHaveValue("https://hooks.example.com/****6789");
    await webhook.press("End");
    await webhook.pressSequentially("0");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText("Enter the full URL, e.g.")).toBeVisible();
    await webhook.fill("https://127.0.0.1/hook");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(webhook).toHaveAccessibleDescription(/Enter a public https:\/\/ address/);
    await page.reload();
    await expect(webhook).toHaveValue("https://hooks.example.com/****6789");
    const { version } = await call(url, cookie, "GET", "/api/settings");
    await call(url, cookie, "PATCH", "/api/settings", { version, alerts: { ...before, webhook_url: null } });
  });
});

test("keeps a rule that was changed elsewhere while the form was open", async ({
  ownerPage: page,
  product: { url, cookie },
}) => {
  const settings = () => call(url, cookie, "GET", "/api/settings");
  const before = (await settings()).alerts;
  const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
  await page.goto(`${url}/alerts`);
  await isLive;
  const webhook = page.getByRole("textbox", { name: "Signed webhook" });
  await webhook.fill("https://hooks.example.com/alerts");
  const { version } = await settings();
  await call(url, cookie, "PATCH", "/api/settings", {
    version,
    alerts: { ...before, error_rate_percent: 33 },
  });
  await expect(page.getByRole("textbox", { name: /^Failed requests/ })).toHaveValue("33", {
    timeout: 20_000,
  });
  await expect(webhook).toHaveValue("https://hooks.example.com/alerts");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect.poll(async () => (await settings()).alerts.webhook_url).toBe("https://hooks.example.com/****");
  expect((await settings()).alerts.error_rate_percent).toBe(33);
  await call(url, cookie, "PATCH", "/api/settings", { version: (await settings()).version, alerts: before });
});

test.describe("rules that were changed elsewhere while they were edited", () => {
  test.use({ allowedConsole: [[/status of 409/], { scope: "test" }] });

  test("are not merged by their position: the form shows the newest ones and asks to save again", async ({
    ownerPage: page,
    product: { url, cookie },
  }) => {
    const before = (await call(url, cookie, "GET", "/api/settings")).alerts;
    const rule = (model: string, error_rate_percent: number) => ({
      scope: "model",
      model,
      error_rate_percent,
      channel_open_minutes: null,
    });
    const [first, second] = [rule("patchbay-embed", 10), rule("patchbay-speech", 20)];
    await changeSettings(url, cookie, { alerts: { ...before, rules: [first, second] } });
    const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
    await page.goto(`${url}/alerts`);
    await isLive;
    const rows = page.getByRole("listitem").filter({ has: page.getByRole("combobox", { name: "Model" }) });
    await rows.first().getByLabel("Failed requests").fill("5");
    const isRead = page.waitForResponse((reply) => reply.url().endsWith("/api/settings"));
    await changeSettings(url, cookie, { alerts: { ...before, rules: [second], error_rate_percent: 44 } });
    await isRead;
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText(/settings were changed elsewhere/)).toBeVisible();
    await expect(rows).toHaveCount(1);
    await expect(rows.getByLabel("Failed requests")).toHaveValue("20");
    await rows.getByLabel("Failed requests").fill("25");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText("Alert rules saved")).toBeVisible();
    const saved = (await call(url, cookie, "GET", "/api/settings")).alerts;
    expect(saved).toMatchObject({ rules: [{ ...second, error_rate_percent: 25 }], error_rate_percent: 44 });
    await changeSettings(url, cookie, { alerts: before });
  });
});

test.describe("a threshold that was changed elsewhere while it was edited", () => {
  test.use({ allowedConsole: [[/status of 409/], { scope: "test" }] });

  test("is shown, and not silently overwritten", async ({ ownerPage: page, product: { url, cookie } }) => {
    const before = (await call(url, cookie, "GET", "/api/settings")).alerts;
    const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
    await page.goto(`${url}/alerts`);
    await isLive;
    const threshold = page.getByRole("textbox", { name: /^Failed requests/ });
    await threshold.fill("11");
    const isRead = page.waitForResponse((reply) => reply.url().endsWith("/api/settings"));
    await changeSettings(url, cookie, { alerts: { ...before, error_rate_percent: 22 } });
    await isRead;
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText(/settings were changed elsewhere/)).toBeVisible();
    await expect(threshold).toHaveValue("22");
    expect((await call(url, cookie, "GET", "/api/settings")).alerts.error_rate_percent).toBe(22);
    await changeSettings(url, cookie, { alerts: before });
  });
});

test("shows a threshold that was changed elsewhere once the user undoes the edit of it", async ({
  ownerPage: page,
  product: { url, cookie },
}) => {
  const before = (await call(url, cookie, "GET", "/api/settings")).alerts;
  await changeSettings(url, cookie, { alerts: { ...before, error_rate_percent: 10 } });
  const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
  await page.goto(`${url}/alerts`);
  await isLive;
  const threshold = page.getByRole("textbox", { name: /^Failed requests/ });
  const minutes = page.getByLabel("Channel down for");
  await minutes.fill("7");
  await threshold.fill("11");
  const isRead = page.waitForResponse((reply) => reply.url().endsWith("/api/settings"));
  await changeSettings(url, cookie, { alerts: { ...before, error_rate_percent: 22 } });
  await isRead;
  await expect(threshold).toHaveValue("11");
  await threshold.fill("10");
  await expect(threshold).toHaveValue("22");
  await expect(minutes).toHaveValue("7");
  await changeSettings(url, cookie, { alerts: before });
});

/** An open alert of a channel, as the API returns it. */
const openAlert = (id: string) => ({
  id,
  kind: "channel_open",
  subject: "chn_1",
  subject_name: id,
  state: "opened",
  message: "",
  detail: { reason: "failures" },
  opened_at: new Date().toISOString(),
  resolved_at: null,
  seen_at: null,
  snooze: null,
  delivery: { state: "none", attempts: 0, at: null, next_at: null, error: null, webhook: null },
});

/** Answers with two open alerts, one on each page of the list; the returned function counts requests to check one. */
async function routeOpenAlerts(page: Page): Promise<() => number> {
  const reply = (data: object) => ({ json: { success: true, message: "", data } });
  await page.route(/\/api\/alerts\?.*state=opened/, (route) => {
    const isLast = route.request().url().includes("cursor=");
    return route.fulfill(
      reply({ items: [openAlert(isLast ? "Cellar" : "Attic")], next_cursor: isLast ? null : "2" }),
    );
  });
  let checks = 0;
  await page.route("**/api/alerts/*/check", (route) => {
    checks += 1;
    return route.fulfill(reply({ probes: [] }));
  });
  return () => checks;
}

test("checks a channel's alert again at every visit", async ({ ownerPage: page, product: { url } }) => {
  const checks = await routeOpenAlerts(page);
  await page.goto(`${url}/alerts`);
  await expect.poll(checks).toBe(1);
  // SWR repeats no request within two seconds.
  await expect(async () => {
    await page.getByRole("link", { name: "Models", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Models", level: 1 })).toBeVisible();
    await page.getByRole("link", { name: /^Alerts/ }).click();
    await expect(page.getByRole("heading", { name: /Attic/ })).toBeVisible();
    expect(checks()).toBeGreaterThan(1);
  }).toPass({ timeout: 15_000 });
});

test("moves the focus to an alert's title when its button is replaced", async ({
  ownerPage: page,
  product: { url },
}) => {
  const reply = (data: unknown) => ({ json: { success: true, message: "", data } });
  const alert = { ...openAlert("Attic"), kind: "budget_spent" };
  let changes: object = {};
  await page.route(/\/api\/alerts\?.*state=opened/, (route) =>
    route.fulfill(reply({ items: [{ ...alert, ...changes }], next_cursor: null })),
  );
  await page.route(/\/api\/alerts\/Attic\//, (route) => {
    const action = new URL(route.request().url()).pathname.split("/").at(-1);
    if (action === "seen") changes = { ...changes, seen_at: new Date().toISOString() };
    else changes = { ...changes, snooze: action === "snooze" ? { by: "olivia", until: null } : null };
    return route.fulfill(reply({ ...alert, ...changes }));
  });
  // The menu fades out while the list is loaded again.
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.goto(`${url}/alerts`);
  const title = page.getByRole("heading", { name: /Attic/ });
  await page.getByRole("button", { name: "Snooze" }).press("Enter");
  await expect(page.getByRole("menu")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "End snooze" })).toBeVisible();
  await expect(title).toBeFocused();
  await page.getByRole("button", { name: "End snooze" }).press("Enter");
  await expect(page.getByRole("button", { name: "Snooze", exact: true })).toBeVisible();
  await expect(title).toBeFocused();
  await page.getByRole("button", { name: "Acknowledge" }).press("Enter");
  await expect(page.getByText(/^Acknowledged /)).toBeVisible();
  await expect(title).toBeFocused();
});

test("keeps the focus in the rules when one of them is removed", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/alerts`);
  const add = page.getByRole("button", { name: "Add model" });
  const remove = page.getByRole("button", { name: /^Remove rule for/ });
  await add.click();
  await add.click();
  await expect(remove).toHaveCount(2);
  await remove.first().press("Enter");
  await expect(remove).toHaveCount(1);
  await expect(remove).toBeFocused();
  await remove.press("Enter");
  await expect(remove).toHaveCount(0);
  await expect(add).toBeFocused();
});

test("shows the open alerts beyond the first page", async ({ ownerPage: page, product: { url } }) => {
  await routeOpenAlerts(page);
  await page.goto(`${url}/alerts`);
  const list = page.getByRole("region", { name: "Open" });
  await list.getByRole("button", { name: "Load more" }).press("Enter");
  for (const name of [/Attic/, /Cellar/]) await expect(list.getByRole("heading", { name })).toBeVisible();
  await expect(list.getByRole("button", { name: "Load more" })).toHaveCount(0);
  await expect(list.getByRole("listitem").filter({ hasText: "Attic" }).getByRole("link")).toBeFocused();
});

test("snoozes an alert, sends a test to a Slack-compatible webhook and saves a rule of one model", async ({
  ownerPage: page,
  product: { url, cookie },
}) => {
  test.slow();
  const before = (await call(url, cookie, "GET", "/api/settings")).alerts;
  await page.goto(`${url}/alerts`);
  await page.getByRole("textbox", { name: "Slack-compatible webhook" }).fill("https://localhost/services/T0");
  await page.getByRole("button", { name: "Add model" }).click();
  await page.getByRole("combobox", { name: "Model", exact: true }).fill("patchbay-embed");
  const row = page.getByRole("listitem").filter({ has: page.getByRole("combobox", { name: "Model" }) });
  await row.getByLabel("Failed requests").fill("0");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(row.getByLabel("Failed requests")).toHaveAccessibleDescription(/1 or more/);
  await row.getByLabel("Failed requests").fill("5");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Alert rules saved")).toBeVisible();
  expect((await call(url, cookie, "GET", "/api/settings")).alerts.rules).toEqual([
    {
      scope: "model",
      model: "patchbay-embed",
      error_rate_percent: 5,
      channel_open_minutes: expect.any(Number),
    },
  ]);
  await page.getByRole("button", { name: "Send test message" }).last().click();
  await expect(page.getByRole("alert").filter({ hasText: "Test message failed" })).toContainText(
    "the address is private",
  );

  await spendBudget(url, cookie, "Night radio");
  const alert = page.getByRole("listitem").filter({ hasText: "Night radio has requests refused at" });
  await expect(alert).toBeVisible({ timeout: 40_000 });
  await alert.getByRole("button", { name: "Snooze" }).click();
  await page.getByRole("menuitem", { name: "For 8 hours" }).click();
  await expect(alert.getByText(/^Snoozed by \S+ until .+: nothing is sent$/)).toBeVisible();
  const { items: entries } = await call(url, cookie, "GET", "/api/audit?action=alerts.snooze");
  expect(entries[0].detail.kind).toBe("budget_spent");
  await alert.getByRole("button", { name: "End snooze" }).click();
  await expect(alert.getByRole("button", { name: "Snooze" })).toBeVisible();
  await changeSettings(url, cookie, { alerts: { ...before, slack_url: null } });
});

test("finds an API key beyond the first hundred for a rule, with the keyboard", async ({
  ownerPage: page,
  product: { url, cookie },
}) => {
  test.slow();
  const before = (await call(url, cookie, "GET", "/api/settings")).alerts;
  const { id } = await call(url, cookie, "POST", "/api/keys", { name: "Oldest key" });
  for (let index = 0; index < 101; index++)
    await call(url, cookie, "POST", "/api/keys", { name: `Newer key ${index}` });
  await page.goto(`${url}/alerts`);
  let loadKeys = () => {};
  const keysLoad = new Promise<void>((resolve) => {
    loadKeys = resolve;
  });
  await page.route(/\/api\/keys\?/, (route) => keysLoad.then(() => route.continue()));
  await page.getByRole("button", { name: "Add API key", exact: true }).click();
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("combobox", { name: "API key" })).toBeFocused();
  loadKeys();
  const field = page.getByRole("button", { name: "API key: Select an API key" });
  await expect(field).toBeFocused();
  await field.click();
  const list = page.getByRole("dialog", { name: "API key" });
  await expect(list.getByText("Search to find others")).toBeVisible();
  await list.getByPlaceholder("Search").fill("oldest");
  // Before the reply there is nothing to choose.
  await page.keyboard.press("Enter");
  await expect(list.getByRole("option", { name: /Oldest key/ })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "API key: Oldest key" })).toBeVisible();
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Alert rules saved")).toBeVisible();
  const { rules } = (await call(url, cookie, "GET", "/api/settings")).alerts;
  expect(rules).toMatchObject([{ scope: "key", key_id: id }]);
  await page.reload();
  const saved = page.getByRole("button", { name: "API key: Oldest key" });
  await saved.focus();
  await page.keyboard.press("Tab");
  await page.getByLabel("Failed requests").last().fill("7");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Alert rules saved")).toBeVisible();
  await expect(saved).toHaveAccessibleDescription("");
  await changeSettings(url, cookie, { alerts: before });
});
