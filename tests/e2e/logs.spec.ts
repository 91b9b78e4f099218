import { readFileSync } from "node:fs";
import type { Page } from "playwright/test";
import { changeSettings } from "./console-api";
import { expect, test } from "./fixtures";
import { createTestKey, createUnavailableModel, embed, type TestKey } from "./usage-calls";

let testKey: TestKey;
test.beforeEach(async ({ product }, { title }) => {
  testKey = await createTestKey(product, title.slice(0, 40));
});

const cards = (page: Page) => page.getByRole("list", { name: "Requests", exact: true }).getByRole("link");
const rows = (page: Page) => page.getByRole("table", { name: "Requests", exact: true }).getByRole("row");
const drawer = (page: Page) => page.getByRole("dialog", { name: "Request" });
const callLink = (page: Page) => page.getByRole("link", { name: /patchbay-embed at / });
const storePrompts = ({ url, cookie }: { url: string; cookie: string }, isOn: boolean) =>
  changeSettings(url, cookie, { keep_prompts: isOn });

test("opens a call next to the list, with its timeline and its own URL", async ({
  ownerPage: page,
  product,
}) => {
  const requestId = await embed(product.url, testKey);
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText("200");
  await callLink(page).click();
  await expect(page).toHaveURL(/call=usg_/);
  await expect(drawer(page).getByRole("heading", { name: "Timeline" })).toBeVisible();
  await expect(drawer(page).getByRole("listitem").filter({ hasText: "Authorised" })).toBeVisible();
  await expect(drawer(page).getByRole("listitem").filter({ hasText: "Attempt 1" })).toBeVisible();
  await expect(drawer(page).getByText(requestId)).toBeVisible();
  await page.reload();
  await expect(drawer(page).getByText(requestId)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await expect(page).not.toHaveURL(/call=/);
});

test("explains the error code of a failed call and links to calls with the same error", async ({
  ownerPage: page,
  product,
}) => {
  await createUnavailableModel(product, "logs-dead-model");
  await embed(product.url, testKey, { model: "logs-dead-model" });
  await embed(product.url, testKey);
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel("Outcome").selectOption("failed");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText("no_channel_available");
  await page.getByRole("link", { name: /logs-dead-model at / }).click();
  await expect(drawer(page)).toContainText(
    "Every channel of this model was at its limit, had its circuit open, or was disabled.",
  );
  await drawer(page).getByRole("link", { name: "Same error" }).click();
  await expect(page).toHaveURL(/status=no_channel_available/);
  await expect(page.getByLabel("Outcome").locator("option:checked")).toHaveText(
    "No channel available (no_channel_available)",
  );
  await expect(rows(page)).toHaveCount(2);
});

test("links from a call outside of the page's range to the calls of the same request", async ({
  ownerPage: page,
  product,
}) => {
  const requestId = await embed(product.url, testKey);
  const range = "from=2026-01-01T00:00:00.000Z&to=2026-01-02T00:00:00.000Z";
  await page.goto(`${product.url}/logs?${range}&call=${requestId}`);
  await drawer(page).getByRole("link", { name: "Same request" }).click();
  await expect(page).toHaveURL(new RegExp(`request_id=${requestId}`));
  await expect(rows(page)).toHaveCount(2);
});

test("shows the input text of a call, or that it was not stored", async ({ ownerPage: page, product }) => {
  await embed(product.url, testKey, { input: "sent before storing" });
  await storePrompts(product, true);
  const stored = await embed(product.url, testKey, { input: "the lights are on" });
  await storePrompts(product, false);
  await page.goto(`${product.url}/logs?key_id=${testKey.id}&call=${stored}`);
  await expect(drawer(page).getByText("the lights are on")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await callLink(page).last().click();
  await expect(drawer(page).getByText("The input text of this request is not stored.")).toBeVisible();
});

test("keeps the focus at the open call, announces the call and scrolls its text with the arrow keys", async ({
  ownerPage: page,
  product,
}) => {
  await storePrompts(product, true);
  await embed(product.url, testKey, { input: "the first line\n".repeat(40) });
  await embed(product.url, testKey, { input: "the second line\n".repeat(40) });
  await storePrompts(product, false);
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`, { waitUntil: "networkidle" });
  const link = callLink(page);
  await link.first().focus();
  await page.keyboard.press("Enter");
  await expect(drawer(page).getByRole("status").filter({ hasText: "patchbay-embed at " })).toBeAttached();
  await expect(cards(page).first()).toHaveAttribute("aria-current", "true");
  const text = drawer(page).getByRole("group", { name: "Input text" }).locator("[tabindex]");
  await text.focus();
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => text.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
  await expect(drawer(page).getByText("the second line")).toBeVisible();
  await page.keyboard.press("j");
  await expect(drawer(page).getByText("the first line")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await expect(link.nth(1)).toBeFocused();
});

test("announces how many requests a filter has found", async ({ ownerPage: page, product }) => {
  const count = page
    .locator("main")
    .getByRole("status")
    .filter({ hasText: /result/i });
  await embed(product.url, testKey, { tags: "counted" });
  await page.goto(`${product.url}/logs`);
  await expect(cards(page).or(rows(page)).first()).toBeVisible();
  await expect(count).toHaveCount(0);
  const search = page.getByLabel("Search", { exact: true });
  await search.fill("counted");
  await search.press("Enter");
  await expect(count).toHaveText("1 result");
  // A live list changes each second; only what the filter found is announced.
  await embed(product.url, testKey, { tags: "counted" });
  await expect(cards(page).or(rows(page))).toHaveCount(2);
  await expect(count).toHaveText("1 result");
  await search.fill("nothing has this");
  await search.press("Enter");
  await expect(count).toHaveText("No results");
  await search.fill("counted");
  await search.press("Enter");
  await expect(count).toHaveText("2 results");
  await page.goto(`${product.url}/logs?status=rejected&model=nothing-has-this`);
  await expect(count).toHaveText("No results");
  await page.goto(`${product.url}/logs?status=rejected`, { waitUntil: "networkidle" });
  await expect(count).toHaveCount(0);
});

test("moves the focus to the content when the filters are cleared", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/logs?status=failed`, { waitUntil: "networkidle" });
  const clear = page.getByRole("button", { name: "Clear filters" });
  await clear.focus();
  await page.keyboard.press("Enter");
  await expect(clear).toHaveCount(0);
  await expect(page.locator("#content")).toBeFocused();
});

test("adds new calls to the open list on revalidation", async ({ ownerPage: page, product }) => {
  await embed(product.url, testKey);
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
  await expect(rows(page)).toHaveCount(2);
  await embed(product.url, testKey, { tags: "second" });
  // SWR revalidates when the window gets the focus.
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await expect(rows(page)).toHaveCount(3, { timeout: 1_000 });
  }).toPass();
});

test("loads hundreds of calls by scrolling, each once", async ({ ownerPage: page, product }) => {
  for (let index = 0; index < 120; index += 20)
    await Promise.all(Array.from({ length: 20 }, () => embed(product.url, testKey)));
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
  await expect(rows(page)).toHaveCount(51);
  await expect(async () => {
    await page.mouse.wheel(0, 4_000);
    await expect(rows(page)).toHaveCount(121, { timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole("button", { name: "Load more" })).toHaveCount(0);
  const ids = await rows(page)
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  expect(new Set(ids).size).toBe(120);
});

test("shows the end of a call that was running at the page load", async ({ ownerPage: page, product }) => {
  const abort = new AbortController();
  const reply = await fetch(`${product.url}/v1/audio/speech`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${testKey.key}` },
    body: JSON.stringify({
      model: "patchbay-speech",
      voice: "alloy",
      response_format: "pcm",
      input: "A long sentence. ".repeat(240),
    }),
    signal: abort.signal,
  });
  expect(reply.status).toBe(200);
  for (let call = 0; call < 50; call++) await embed(product.url, testKey);
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
  await rows(page).last().scrollIntoViewIfNeeded();
  await expect(rows(page)).toHaveCount(52);
  await expect(rows(page).last()).toContainText("Running");
  abort.abort();
  await expect(rows(page).last()).toContainText("caller_left");
});

test("keeps the loaded calls when the start of the range moves on", async ({ ownerPage: page, product }) => {
  for (let call = 0; call <= 50; call++) await embed(product.url, testKey);
  await page.clock.install();
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
  await rows(page).last().scrollIntoViewIfNeeded();
  await expect(rows(page)).toHaveCount(52);
  const moved = page.waitForRequest(/\/api\/usage\?(?!.*cursor=)/);
  await page.route(/\/api\/usage\?/, () => undefined);
  await page.clock.fastForward("01:01:00");
  await moved;
  await expect(rows(page)).toHaveCount(52);
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("steps through the calls with j, k and the arrow keys while the list stays usable", async ({
  ownerPage: page,
  product,
}) => {
  for (const tags of ["first", "second", "third"]) await embed(product.url, testKey, { tags });
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
  await expect(rows(page)).toHaveCount(4);
  await callLink(page).first().click();
  const tag = (name: string) => expect(drawer(page).getByText(name, { exact: true })).toBeVisible();
  await tag("third");
  await page.keyboard.press("j");
  await tag("second");
  await page.keyboard.press("ArrowDown");
  await tag("first");
  await expect(drawer(page).getByRole("button", { name: "Next request" })).toBeDisabled();
  await page.keyboard.press("ArrowDown");
  await tag("first");
  await page.keyboard.press("k");
  await tag("second");
  await page.keyboard.press("ArrowUp");
  await tag("third");
  // The drawer does not cover the list: another call can be clicked.
  await cards(page).last().click();
  await tag("first");
  await drawer(page).getByRole("button", { name: "Previous request" }).click();
  await tag("second");
  // Letters typed into a field are text.
  await page.getByLabel("Search", { exact: true }).press("j");
  await tag("second");
  await page.getByLabel("Search", { exact: true }).fill("");
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
});

test("opens the first or last call with j and k while none is open, then the neighbours of the last opened call", async ({
  ownerPage: page,
  product,
}) => {
  const tags = ["one", "two", "three"].map((name) => `closed-${name}`);
  for (const tag of tags) await embed(product.url, testKey, { tags: tag });
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
  await expect(callLink(page).first()).toBeVisible();
  const opens = async (key: string, name: string) => {
    await page.keyboard.press(key);
    await expect(drawer(page).getByText(name, { exact: true })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(drawer(page)).toHaveCount(0);
  };
  await page.keyboard.press("ArrowDown");
  await opens("j", "closed-three");
  await opens("j", "closed-two");
  await opens("j", "closed-one");
  await opens("k", "closed-two");
  await page.reload();
  await expect(callLink(page).first()).toBeVisible();
  const last = await callLink(page).last().getAttribute("href");
  await page.keyboard.press("k");
  await expect(page).toHaveURL(new RegExp(`call=${new URLSearchParams(last ?? "").get("call")}`));
});

test("searches request ID, model, error, end user and key name, as plain text", async ({
  ownerPage: page,
  product,
}) => {
  await createUnavailableModel(product, "search-dead-model");
  const failed = await embed(product.url, testKey, { model: "search-dead-model" });
  await embed(product.url, testKey);
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
  await expect(rows(page)).toHaveCount(3);
  const search = page.getByLabel("Search", { exact: true });
  const countFor = async (text: string, count: number) => {
    await search.fill(text);
    await search.press("Enter");
    if (count > 0) await expect(rows(page)).toHaveCount(count + 1);
    else await expect(page.getByRole("heading", { name: "No requests match these filters" })).toBeVisible();
  };
  await countFor(failed.toUpperCase(), 1);
  await expect(page).toHaveURL(/q=/);
  await countFor("DEAD-model", 1);
  await countFor("no_channel_avail", 1);
  await countFor("searches request", 2);
  await countFor("%_%", 0);
  await countFor("' or 1=1 --", 0);
  await page.goto(`${product.url}/logs?status=rejected&q=nothing-like-it`);
  await expect(page.getByRole("heading", { name: "No rejected requests" })).toBeVisible();
});

test("shows a chosen filter or range at once, before the URL has it", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/logs`);
  const outcome = page.getByLabel("Outcome", { exact: true });
  await expect(outcome).toBeVisible();
  const chosen = await outcome.evaluate((select: HTMLSelectElement) => {
    select.value = "failed";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    return select.value;
  });
  expect(chosen).toBe("failed");
  await expect(page).toHaveURL(/status=failed$/);
  const isChecked = await page.getByRole("radio", { name: "Month" }).evaluate((radio: HTMLInputElement) => {
    radio.click();
    return radio.checked;
  });
  expect(isChecked).toBe(true);
  await expect(page).toHaveURL(/range=30d/);
});

test("keeps a filter that was picked just before a call is opened", async ({ ownerPage: page, product }) => {
  await embed(product.url, testKey);
  await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
  const link = await callLink(page).elementHandle();
  await page.getByLabel("Outcome", { exact: true }).evaluate((select: HTMLSelectElement, call) => {
    select.value = "ok";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    call?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }, link);
  await expect(page).toHaveURL(/status=ok.*call=usg_/);
  await expect(drawer(page).getByRole("heading", { name: "Timeline" })).toBeVisible();
});

test("undoes a change of the range with Back, even before the new range is shown", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/logs`);
  const month = page.getByRole("radio", { name: "Month" });
  await expect(month).toBeVisible();
  await month.evaluate((radio: HTMLInputElement) => {
    radio.click();
    window.history.back();
  });
  await expect(page).toHaveURL(`${product.url}/logs`);
  await expect(page.getByRole("radio", { name: "Day" })).toBeChecked();
  await expect(month).not.toBeChecked();
});

test("keeps what is typed while a search is applied, and drops it with the filters", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/logs`);
  const search = page.getByLabel("Search", { exact: true });
  await expect(search).toHaveAccessibleDescription("");
  await search.fill("one");
  await expect(search).toHaveAccessibleDescription("Press Enter to apply");
  // An input method's Enter chooses a word.
  await search.dispatchEvent("keydown", { key: "Enter", bubbles: true, isComposing: true });
  await expect(search).toHaveAccessibleDescription("Press Enter to apply");
  await search.evaluate((field: HTMLInputElement) => {
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    // As typed: React does not notice a value that is set on the element itself.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, "one two");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const clear = page.getByRole("button", { name: "Clear filters" });
  await expect(clear).toBeVisible();
  await expect(search).toHaveValue("one two");
  await clear.click();
  await expect(search).toHaveValue("");
  await expect(page).not.toHaveURL(/q=/);
  await page.goBack();
  await expect(search).toHaveValue("one two");
});

test("exports the filtered list as CSV and JSON Lines", async ({ ownerPage: page, product }) => {
  await embed(product.url, testKey, { tags: "=1+1" });
  await embed(product.url, testKey, { tags: "other" });
  await page.goto(`${product.url}/logs?key_id=${testKey.id}&q=${encodeURIComponent("=1+1")}`);
  await expect(rows(page)).toHaveCount(2);
  const textOf = async (name: string) => {
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name }).click(),
    ]);
    return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")] as const;
  };
  const [csvName, csv] = await textOf("CSV");
  expect(csvName).toBe("usage.csv");
  expect(csv.startsWith("\uFEFFat,")).toBe(true);
  expect(csv.trimEnd().split("\r\n")).toHaveLength(2);
  expect(csv).toContain(`"'=1+1"`);
  const [linesName, lines] = await textOf("JSON Lines");
  expect(linesName).toBe("usage.jsonl");
  expect(lines.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.parse(lines)).toMatchObject({ tags: "=1+1", key_id: testKey.id });
});

test("replays a call in its playground, with its text only if it was stored", async ({
  ownerPage: page,
  product,
}) => {
  const speak = async (input: string) => {
    const reply = await fetch(`${product.url}/v1/audio/speech`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${testKey.key}` },
      body: JSON.stringify({ model: "patchbay-speech", input, voice: "onyx", speed: 1.5 }),
    });
    await reply.arrayBuffer();
    return reply.headers.get("x-request-id") ?? "";
  };
  const bare = await speak("not stored at all");
  await storePrompts(product, true);
  const stored = await speak("the lights are on");
  await storePrompts(product, false);
  const replay = () => drawer(page).getByRole("link", { name: "Replay in playground" });
  await page.goto(`${product.url}/logs?key_id=${testKey.id}&call=${bare}`);
  await expect(drawer(page).getByText("The text was not stored; enter it there.")).toBeVisible();
  await expect(replay()).toHaveAttribute(
    "href",
    /^\/playground\/speech#model=patchbay-speech&voice=onyx&speed=1\.5$/,
  );
  await page.goto(`${product.url}/logs?key_id=${testKey.id}&call=${stored}`);
  await replay().click();
  await expect(page).toHaveURL(/\/playground\/speech/);
  await expect(page.getByRole("textbox", { name: "Text" })).toHaveValue("the lights are on");
  await expect(page.getByLabel("Model", { exact: true })).toHaveValue("patchbay-speech");
});

test.describe("when the newest calls do not load", () => {
  test.use({ allowedConsole: [[/status of 500/], { scope: "test" }] });

  test("loads them with Retry", async ({ ownerPage: page, product }) => {
    await embed(product.url, testKey);
    await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
    await expect(rows(page)).toHaveCount(2);
    const body = JSON.stringify({ success: false, code: "internal", message: "The store is away." });
    const failed = { status: 500, contentType: "application/json", body };
    await page.route(/\/api\/usage\?/, (route) => route.fulfill(failed));
    await embed(product.url, testKey);
    const retry = page.getByRole("button", { name: "Retry" });
    await expect(async () => {
      await page.evaluate(() => window.dispatchEvent(new Event("focus")));
      await expect(retry).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await page.unrouteAll();
    await retry.click();
    await expect(rows(page)).toHaveCount(3);
    await expect(retry).toHaveCount(0);
  });
});

test.describe("when older calls do not load", () => {
  test.use({ allowedConsole: [[/status of 503/], { scope: "test" }] });

  test("shows the error until other filters are chosen", async ({ ownerPage: page, product }) => {
    for (let call = 0; call <= 50; call++) await embed(product.url, testKey);
    const body = JSON.stringify({ success: false, code: "unavailable", message: "The store is away." });
    const failed = { status: 503, contentType: "application/json", body };
    await page.route(/\/api\/usage\?.*cursor=/, (route) => route.fulfill(failed));
    await page.goto(`${product.url}/logs?key_id=${testKey.id}`);
    await rows(page).last().scrollIntoViewIfNeeded();
    await expect(page.getByText("The store is away.")).toBeVisible();
    await page.getByLabel("Outcome").selectOption("failed");
    await expect(page.getByText("No requests match")).toBeVisible();
    await expect(page.getByText("The store is away.")).toHaveCount(0);
  });
});

test("takes a model that is entered where the filter cannot list all", async ({
  ownerPage: page,
  product,
}) => {
  await page.route(/\/api\/usage\/summary\?.*by=(model|channel)/, async (route) => {
    const reply = await route.fetch();
    const { data, ...envelope } = await reply.json();
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      ...data.total,
      period: null,
      name: `item-${index}`,
      label: `Item ${index}`,
    }));
    await route.fulfill({ response: reply, json: { ...envelope, data: { ...data, items } } });
  });
  await page.goto(`${product.url}/logs`);
  const model = page.locator("input").and(page.getByRole("combobox", { name: "Model" }));
  await model.fill("a-rare-model");
  await model.press("Enter");
  await expect(page).toHaveURL(/model=a-rare-model/);
  await page.getByRole("button", { name: "More filters" }).click();
  const note = "Only the 1,000 with the most requests are listed";
  await expect(page.getByLabel("Channel").getByRole("option", { name: note })).toBeDisabled();
});
