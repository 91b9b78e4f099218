/** Walks through alerts, the audit log and the API docs, for tests/e2e/screenshots.mjs. */

const call = async (url, method, path, body, cookie) => {
  const reply = await fetch(url + path, {
    method,
    headers: { "content-type": "application/json", cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { success, data, message } = await reply.json();
  if (!success) throw new Error(`${method} ${path}: ${message}`);
  return data;
};

/** Spends almost all of one budget and all of another, and waits for the alerts. */
export async function raiseAlerts({ url, cookie }) {
  const models = await call(url, "GET", "/api/models", undefined, cookie);
  const { version } = models.items.find((one) => one.name === "patchbay-embed");
  const prices = { input_per_million_tokens: "1000" };
  await call(url, "PATCH", "/api/models/patchbay-embed", { version, prices }, cookie);
  for (const [name, calls] of [
    ["Night reader", 8],
    ["Door bell", 12],
  ]) {
    const budget = { daily_usd: "0.0100" };
    const { key } = await call(url, "POST", "/api/keys", { name, budget }, cookie);
    for (let sent = 0; sent < calls; sent += 1)
      await fetch(`${url}/v1/embeddings`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: "patchbay-embed", input: "a" }),
      });
  }
  const { alerts, ...rest } = await call(url, "GET", "/api/settings", undefined, cookie);
  const changed = { ...alerts, webhook_url: "https://hooks.example.com/patchbay", disk_free_percent: 8 };
  await call(url, "PATCH", "/api/settings", { alerts: changed, version: rest.version }, cookie);
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const { open } = await call(url, "GET", "/api/alerts/summary", undefined, cookie);
    if (open >= 2) return;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  throw new Error("no alert was raised");
}

export async function walkAlerts({ page, url, shot }) {
  await page.goto(`${url}/alerts`);
  await page.getByRole("button", { name: "Save changes" }).waitFor();
  await page.getByText("Door bell", { exact: false }).first().waitFor();
  await shot("alerts");
}

export async function walkAudit({ page, url, shot }) {
  await page.goto(`${url}/audit`);
  await page.getByText(/rows verified/).waitFor();
  await shot("audit");
  await page.getByText("changed the settings").first().click();
  await page.getByText("Hash", { exact: true }).waitFor();
  await shot("audit-open");
  await page.goto(`${url}/audit?what=models&time=days&from=2020-01-01&to=2020-01-02`);
  await page.getByText("No rows match these filters").waitFor();
  await shot("audit-no-match");
}

export async function walkDocs({ page, url, shot }) {
  await page.goto(`${url}/docs`);
  const speech = page.locator("#post-v1-audio-speech");
  await speech.waitFor();
  await shot("docs", { fullPage: false });
  await speech.locator("summary").first().click();
  await speech.getByRole("button", { name: "Try it" }).click();
  await speech.getByRole("button", { name: "Send" }).click();
  await speech.getByText(/200 OK/).waitFor();
  await shot("docs-tried");
  await page.goto(`${url}/docs?q=audit#get-api-audit`);
  await page.getByRole("group", { name: "Code: curl" }).waitFor();
  await shot("docs-search");
  await page.goto(`${url}/docs/guides/sdks`);
  await shot("docs-guide-sdks");
  await page.goto(`${url}/docs/guides/alerts`);
  await shot("docs-guide-alerts");
}
