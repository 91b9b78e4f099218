/** Admin pages in Chinese by URL, on an instance with a month of requests. */
const PAGES = [
  ["/usage", "zh-usage"],
  ["/usage?tag=nowhere", "zh-usage-no-match"],
  ["/logs", "zh-logs"],
  ["/audit", "zh-audit"],
  ["/alerts", "zh-alerts"],
  ["/settings", "zh-settings-general"],
  ["/settings?section=security", "zh-settings-security"],
  ["/settings?section=limits", "zh-settings-limits"],
  ["/settings?section=network", "zh-settings-network"],
  ["/settings?section=data", "zh-settings-data"],
  ["/settings?section=transfer", "zh-settings-transfer"],
  ["/channels", "zh-channels"],
  ["/channels/new", "zh-channels-new"],
  ["/models", "zh-models"],
  ["/users", "zh-users"],
  ["/docs", "zh-docs"],
  ["/docs/guides/alerts", "zh-docs-guide-alerts"],
];

export async function walkChinesePages({ page, url, shot }) {
  for (const [path, name] of PAGES) {
    await page.goto(url + path);
    await shot(name, { fullPage: !["zh-docs", "zh-usage", "zh-logs"].includes(name) });
  }
  await page.goto(`${url}/logs?range=30d&request_id=req_failed_over`);
  await page.locator("table a").first().click();
  await page.getByRole("dialog").getByRole("list").first().waitFor();
  await shot("zh-logs-call", { fullPage: false });
  await page.goto(`${url}/audit`);
  await page.locator("summary").first().click();
  await shot("zh-audit-open");
  const { token } = await create(page, `${url}/api/invites`, { role: "member", expires_hours: 24 });
  // An open page would redirect to sign-in during the next visit.
  await page.goto("about:blank");
  await page.context().clearCookies();
  await page.goto(`${url}/invite#token=${token}`);
  await page.locator("form").waitFor();
  await shot("zh-invite");
}

async function create(page, address, data) {
  const reply = await page.context().request.post(address, { data });
  return (await reply.json()).data;
}
