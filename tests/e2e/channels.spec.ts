import type { Page } from "playwright/test";
import { expect, holdRequests, OWNER, signInByCookie } from "./fixtures";
import { test, UPSTREAM_KEY } from "./routed";
import { createUser } from "./users";

const EMBED = { name: "embed-a", upstream_name: "nomic-embed-text", operation: "embeddings" };
const SPEAK = { name: "speech-a", upstream_name: "kokoro", operation: "speech" };

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const order = (page: Page) =>
  page.getByRole("row").evaluateAll((rows) =>
    rows.flatMap((row) => {
      const name = row.querySelector("a")?.textContent;
      const position = row.querySelector("[data-move]")?.textContent;
      return name && position ? [`${position} ${name}`] : [];
    }),
  );

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

test.describe("a new channel", () => {
  // A private address is refused until the owner allows it.
  test.use({ allowedConsole: [[/status of 400/], { scope: "test" }] });

  test("can be added, tested and called in under a minute with the keyboard only", async ({
    routedPage: page,
    routed,
  }) => {
    await page.goto(`${routed.product.url}/channels`);
    const startedAt = Date.now();
    await page.getByRole("link", { name: "Add channel" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^OpenAI-compatible/ }).focus();
    await page.keyboard.press("Enter");
    await expect(page.getByLabel("Base URL")).toBeFocused();
    await page.keyboard.type(`${routed.upstream.origin}/v1`);
    await page.keyboard.press("Tab");
    await page.keyboard.type(UPSTREAM_KEY);
    await page.keyboard.press("Enter");
    await expect(page.getByText(`${routed.upstream.target} is a private address`)).toBeVisible();
    await expect(page.getByLabel("Your password")).toBeFocused();
    await page.keyboard.type(OWNER.password);
    await page.keyboard.press("Enter");
    await expect(page.getByText("Connected. 3 models.")).toBeVisible();
    await expect(page.getByRole("checkbox", { name: "Serve kokoro" })).toBeChecked();
    await expect(page.getByRole("checkbox", { name: "Serve nomic-embed-text" })).toBeChecked();
    await page.getByRole("button", { name: "Test kokoro" }).focus();
    await page.keyboard.press("Enter");
    await expect(page.getByText(/s of audio in [\d.]+ m?s/)).toBeVisible();
    await page.getByRole("button", { name: "Test nomic-embed-text" }).focus();
    await page.keyboard.press("Enter");
    await expect(page.getByText(/256 dimensions in [\d.]+ m?s/)).toBeVisible();
    await page.getByLabel(/^Upstream key/).focus();
    await page.keyboard.press("Enter");
    await expect(rowOf(page, routed.upstream.target)).toContainText("nomic-embed-text");
    expect(Date.now() - startedAt).toBeLessThan(60_000);
    expect(await routed.embed("nomic-embed-text")).toBe(200);
    expect(routed.upstream.ledger.at(-1)?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
  });

  test("splits pasted keys into fields and keeps the focus", async ({ routedPage: page, routed }) => {
    await page.goto(`${routed.product.url}/channels/new`);
    await page.getByRole("button", { name: /^OpenAI-compatible/ }).click();
    const fields = page.getByLabel(/^Upstream key/);
    await fields.evaluate((target) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "key-one\nkey-two");
      (target as HTMLElement).focus();
      target.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    });
    await expect(fields).toHaveCount(2);
    await expect(fields.first()).toBeFocused();
    await expect(fields.first()).toHaveValue("key-one");
    await expect(fields.last()).toHaveValue("key-two");
  });

  test("tells an admin to ask the owner for a private address", async ({ page, routed }) => {
    const { url } = routed.product;
    const { cookie } = await createUser(url, routed.cookie, { username: "anna", role: "admin" });
    await signInByCookie(page, url, cookie);
    await page.goto(`${url}/channels/new`);
    await page.getByRole("button", { name: /^OpenAI-compatible/ }).click();
    await page.getByLabel("Base URL").fill(`${routed.upstream.origin}/v1`);
    await page.getByRole("button", { name: "Connect" }).click();
    await expect(page.getByText(`Ask the owner to allow ${routed.upstream.target}.`)).toBeVisible();
    await expect(page.getByLabel("Your password")).toHaveCount(0);
  });

  test("shows errors at their fields, including collapsed ones", async ({ routedPage: page, routed }) => {
    await page.goto(`${routed.product.url}/channels/new`);
    await page.getByRole("button", { name: /^OpenAI api/ }).click();
    await expect(page.getByLabel("Base URL")).toHaveValue("https://api.openai.com/v1");
    await page.getByRole("button", { name: "Add manually" }).click();
    await page.getByLabel("Upstream model 1").fill("blue owl");
    await page.getByLabel("Name", { exact: true }).fill("");
    await page.getByText("Advanced", { exact: true }).click();
    await page.getByLabel("Texts per request").fill("none");
    await page.getByLabel("Requests per minute").fill("1,234");
    await page.getByRole("button", { name: "Add header" }).click();
    await page.getByLabel("Value", { exact: true }).fill("acme");
    await page.getByText("Advanced", { exact: true }).click();
    await page.getByRole("button", { name: "Add channel" }).click();
    await expect(page.getByLabel("Name", { exact: true })).toHaveAccessibleDescription(/Required/);
    await expect(page.getByLabel("Texts per request")).toHaveAccessibleDescription(/from 1 to 2,048/);
    await expect(page.getByLabel("Requests per minute")).toHaveAccessibleDescription(/a whole number/);
    await expect(page.getByText("Fill in both fields of each row")).toBeVisible();
    await page.getByLabel("Requests per minute").fill("");
    await page.getByRole("button", { name: "Remove header" }).click();
    await page.getByLabel("Texts per request").fill("16");
    await page.getByLabel("Name", { exact: true }).fill("built-in SPEECH");
    await expect(page.getByLabel("Name", { exact: true })).toHaveAccessibleDescription(
      /Another channel has this name/,
    );
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    await page.getByRole("button", { name: "Add channel" }).click();
    await expect(page.getByLabel("Public name of blue owl")).toHaveAccessibleDescription(
      /Enter a model name/,
    );
  });
});

test("reports an invalid upstream key and lets the user add models manually", async ({
  routedPage: page,
  routed,
}) => {
  await routed.allow();
  await page.goto(`${routed.product.url}/channels/new`);
  await page.getByRole("button", { name: /^OpenAI-compatible/ }).click();
  await page.getByLabel("Base URL").fill(`${routed.upstream.origin}/v1`);
  await page.getByLabel(/^Upstream key/).fill("sk-wrong");
  await page.getByRole("button", { name: "Connect" }).click();
  await expect(page.getByText("Invalid upstream key.")).toBeVisible();
  await page.getByRole("button", { name: "Add manually" }).click();
  await page.getByLabel("Upstream model 1").fill("kokoro");
  await page.getByLabel("Type of kokoro").selectOption("speech");
  await page.getByRole("button", { name: "Test kokoro" }).click();
  await expect(page.getByText("Invalid upstream key.")).toHaveCount(2);
  await page.getByLabel(/^Upstream key/).fill(UPSTREAM_KEY);
  await page.getByRole("button", { name: "Test kokoro" }).click();
  await expect(page.getByText(/s of audio in/)).toBeVisible();
});

test("discards a model's test result when the connection or the model is changed", async ({
  routedPage: page,
  routed,
}) => {
  await routed.allow();
  const { id } = await routed.channel("Cellar", { models: [EMBED] });
  await page.goto(`${routed.product.url}/channels/${id}/edit`);
  const runTest = page.getByRole("button", { name: "Test nomic-embed-text" });
  const outcome = page.getByText(/256 dimensions in/);
  await runTest.click();
  await expect(outcome).toBeVisible();
  await page.getByLabel("Public name of nomic-embed-text").fill("embed-b");
  await expect(outcome).toBeVisible();
  await page.getByLabel("Base URL").fill(`${routed.upstream.origin}/v2`);
  await expect(outcome).toHaveCount(0);
  await page.getByLabel("Base URL").fill(`${routed.upstream.origin}/v1`);

  const release = await holdRequests(page, "**/api/channels/draft/test");
  const isAnswered = page.waitForResponse("**/api/channels/draft/test");
  await runTest.click();
  await expect(page.getByText("Testing…")).toBeVisible();
  await page.getByLabel("Type of nomic-embed-text").selectOption("speech");
  await expect(page.getByText("Testing…")).toHaveCount(0);
  release();
  await isAnswered;
  await expect(runTest).toBeEnabled();
  await expect(outcome).toHaveCount(0);
});

test("saves a channel order changed by arrow keys, dragging and menu", async ({
  routedPage: page,
  routed,
}) => {
  await routed.allow();
  for (const [priority, name] of ["Anton", "Berta", "Cäsar"].entries())
    await routed.channel(name, { priority: priority + 1 });
  // Waits for hydration: the server-rendered rows do not handle keys.
  await page.goto(`${routed.product.url}/channels`, { waitUntil: "networkidle" });
  const first = ["1 Built-in embeddings", "1 Built-in English embeddings", "1 Built-in speech"];
  await expect.poll(() => order(page)).toEqual([...first, "2 Anton", "3 Berta", "4 Cäsar"]);

  await page.getByRole("button", { name: "Move Berta" }).focus();
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => order(page)).toEqual([...first, "2 Anton", "2 Berta", "3 Cäsar"]);
  await expect(page.getByText("Berta has priority 2, shared with Anton")).toBeAttached();
  await expect(page.getByRole("button", { name: "Move Berta" })).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => order(page)).toEqual([...first, "2 Berta", "3 Anton", "4 Cäsar"]);

  const grip = await page.getByRole("button", { name: "Move Cäsar" }).boundingBox();
  const target = await rowOf(page, "Berta").boundingBox();
  if (!grip || !target) throw new Error("the rows are not shown");
  await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
  await page.mouse.down();
  await page.mouse.move(grip.x + 4, target.y + 30, { steps: 4 });
  await page.mouse.move(grip.x + 4, target.y + 3, { steps: 4 });
  await page.mouse.up();
  const last = [...first, "2 Cäsar", "3 Berta", "4 Anton"];
  await expect.poll(() => order(page)).toEqual(last);
  // The list updates optimistically, before the order is saved.
  const names = async () =>
    (await routed.call("/api/channels")).items.map((one: { name: string }) => one.name);
  await expect.poll(names).toEqual(last.map((one) => one.slice(2)));
  await page.reload();
  await expect.poll(() => order(page)).toEqual(last);

  await choose(page, "Anton", "Raise priority");
  await expect.poll(() => order(page)).toContain("3 Anton");
});

test("saves a double click on a channel's switch once", async ({ routedPage: page, routed }) => {
  await routed.allow();
  const { id } = await routed.channel("Cellar", { models: [EMBED] });
  let saves = 0;
  await page.route(`**/api/channels/${id}`, async (route) => {
    if (route.request().method() !== "GET") saves += 1;
    // Slower than the clicks.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  await page.goto(`${routed.product.url}/channels`);
  const onOff = page.getByRole("switch", { name: "Enable Cellar" });
  await onOff.dblclick();
  await expect(page.getByText("Cellar disabled")).toBeVisible();
  await expect(onOff).not.toBeChecked();
  expect(saves).toBe(1);
});

test("explains an open circuit and closes it with one click", async ({ routedPage: page, routed }) => {
  await routed.allow();
  const { id } = await routed.channel("Rented machine", { keys: ["sk-old-key-that-ended"], models: [EMBED] });
  expect(await routed.embed("embed-a")).toBe(502);
  await page.goto(`${routed.product.url}/channels`);
  await expect(rowOf(page, "Rented machine").first()).toContainText("Down");
  const table = page.getByRole("table");
  await expect(table.getByText("The upstream rejected the key.")).toBeVisible();
  await expect(table.getByText(/Enter a valid key.*Next attempt in \d+ seconds?\./)).toBeVisible();
  await table.getByRole("button", { name: "Resume traffic" }).click();
  await expect(page.getByText("Rented machine takes traffic again")).toBeVisible();
  await expect(page.getByText("The upstream rejected the key.")).toHaveCount(0);

  await page.goto(`${routed.product.url}/channels/${id}?range=1h`);
  await expect(page.getByText("upstream_error")).toBeVisible();
  await expect(page.getByRole("link", { name: "All failed requests" })).toHaveAttribute(
    "href",
    `/logs?channel_id=${id}&status=failed&range=1h`,
  );
  expect(await routed.embed("embed-a")).toBe(502);
  const key = page.getByRole("listitem").filter({ hasText: "****nded", hasNotText: "upstream_error" });
  await expect(key).toContainText("Down", { timeout: 20_000 });
  await key.getByRole("button", { name: "Resume traffic" }).click();
  await expect(key).toContainText("Failing");
});

test("disables, enables, tests, edits and deletes a channel", async ({ routedPage: page, routed }) => {
  await routed.allow();
  const { id } = await routed.channel("Cellar", { models: [EMBED, SPEAK] });
  await page.goto(`${routed.product.url}/channels`);
  await page.getByRole("switch", { name: "Enable Cellar" }).click();
  await expect(page.getByText("Cellar disabled")).toBeVisible();
  await expect(rowOf(page, "Cellar")).toContainText("Disabled");
  expect(await routed.embed("embed-a")).toBe(503);
  await page.getByRole("switch", { name: "Enable Cellar" }).click();
  await expect(rowOf(page, "Cellar")).not.toContainText("Disabled");
  expect(await routed.embed("embed-a")).toBe(200);

  await choose(page, "Cellar", "Test");
  const dialog = page.getByRole("dialog", { name: "Test Cellar" });
  await dialog.getByRole("button", { name: "Test embed-a" }).click();
  await expect(dialog.getByText(/256 dimensions in/)).toBeVisible();
  await page.keyboard.press("Escape");

  await choose(page, "Cellar", "Edit");
  await expect(page).toHaveURL(new RegExp(`/channels/${id}/edit$`));
  await expect(page.getByText("****cdef")).toBeVisible();
  await page.getByRole("button", { name: "Connect" }).click();
  await expect(page.getByText("Connected. 3 models.")).toBeVisible();
  await page.getByLabel("Name", { exact: true }).fill("Attic");
  await page.getByRole("checkbox", { name: "Serve kokoro" }).uncheck();
  await page.getByText("Advanced", { exact: true }).click();
  await page.getByLabel("Weight").fill("4");
  await page.getByLabel("Connect", { exact: true }).fill("2.5");
  await page.getByRole("switch", { name: "Batch concurrent requests" }).click();
  await page.getByLabel("Sample rate").selectOption("24000");
  await page.getByLabel("Load voice list").selectOption("false");
  await page.getByRole("button", { name: "Add voice name" }).click();
  await page.getByLabel("Caller’s voice").fill("alloy");
  await page.getByLabel("Upstream voice").fill("af_sky");
  await page.getByLabel("Label of ****cdef").fill("Studio <b>key</b>");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { name: "Attic" })).toBeVisible();
  const saved = await routed.call(`/api/channels/${id}`);
  expect(saved).toMatchObject({
    name: "Attic",
    weight: 4,
    timeouts: { connect_ms: 2_500 },
    options: { batching: false, sample_rate: 24_000, list_voices: false, voices: { alloy: "af_sky" } },
    models: [{ name: "embed-a" }],
    keys: [{ display: "****cdef", label: "Studio <b>key</b>" }],
  });
  expect(await routed.embed("embed-a")).toBe(200);
  await expect(page.getByText("Studio <b>key</b>")).toBeVisible();

  await page.getByRole("link", { name: "All channels" }).click();
  await page.getByRole("button", { name: "Test all" }).click();
  const all = page.getByRole("dialog", { name: "Test all enabled channels" });
  await expect(all.getByText(/^\d+ passed, 0 failed$/)).toBeVisible({ timeout: 30_000 });
  await expect(all.getByRole("listitem").filter({ hasText: "Attic" })).toContainText(/256 dimensions in/);
  await page.keyboard.press("Escape");
  await page.goBack();

  await page.getByRole("button", { name: "Delete channel" }).click();
  const confirm = page.getByRole("alertdialog", { name: "Delete Attic?" });
  await expect(confirm.getByRole("button", { name: "Delete channel" })).toBeDisabled();
  await expect(confirm.getByRole("status")).toHaveText(/^Models left without an enabled channel\s*embed-a$/);
  await confirm.getByLabel("Type Attic to confirm").fill("Attic");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${routed.product.url}/channels`);
  await expect(page.getByRole("heading", { name: "Only the built-in engines serve models" })).toBeVisible();
});

test("announces which channels failed the test of all channels", async ({ routedPage: page, routed }) => {
  await routed.allow();
  await routed.channel("Attic", { models: [EMBED] });
  await routed.channel("Cellar", { models: [EMBED] });
  routed.accepted.key = "another";
  await page.goto(`${routed.product.url}/channels`);
  await page.getByRole("button", { name: "Test all" }).click();
  const all = page.getByRole("dialog", { name: "Test all enabled channels" });
  await expect(all.getByText(/^\d+ passed, 2 failed$/)).toBeVisible({ timeout: 30_000 });
  await expect(all.getByRole("log").getByText(/^(Attic|Cellar): Invalid upstream key/)).toHaveCount(2);
  await expect(all.getByRole("status")).toHaveText(/^\d+ passed, 2 failed$/);
});

test("navigates away only from the page of the deleted channel when a deletion ends late", async ({
  routedPage: page,
  routed,
}) => {
  await routed.allow();
  const startDeleting = async (name: string) => {
    const { id } = await routed.channel(name, { models: [EMBED], keys: [] });
    await page.goto(`${routed.product.url}/channels/${id}`);
    const release = await holdRequests(page, `**/api/channels/${id}`);
    await page.getByRole("button", { name: "Delete channel" }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("alertdialog")).toHaveCount(0);
    return release;
  };
  const releaseAttic = await startDeleting("Attic");
  await page.getByRole("link", { name: "Models", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  releaseAttic();
  await expect(page.getByText("Attic deleted")).toBeVisible();
  await expect(page).toHaveURL(`${routed.product.url}/models`);

  const releaseCellar = await startDeleting("Cellar");
  releaseCellar();
  await expect(page).toHaveURL(`${routed.product.url}/channels`);
});

test.describe("a channel that was changed elsewhere", () => {
  test.use({ allowedConsole: [[/status of 409/], { scope: "test" }] });

  test("is not overwritten: the form keeps the user's changes on the newest version and asks to save again", async ({
    routedPage: page,
    routed,
  }) => {
    await routed.allow();
    const { id } = await routed.channel("Cellar", { models: [EMBED], keys: [] });
    await page.goto(`${routed.product.url}/channels/${id}/edit`);
    const address = `${routed.upstream.origin}/v2`;
    await page.getByLabel("Base URL").fill(address);
    await routed.call(`/api/channels/${id}`, { version: 1, name: "Theirs" }, "PATCH");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText(/was changed elsewhere/)).toBeVisible();
    await expect(page.getByText(/was changed elsewhere/)).toBeInViewport();
    await expect(page.getByLabel("Base URL")).toHaveValue(address);
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Theirs");
    expect((await routed.call(`/api/channels/${id}`)).base_url).not.toBe(address);

    await page.getByLabel("Name", { exact: true }).fill("Ours");
    await routed.call(`/api/channels/${id}`, { version: 2, name: "Theirs again", weight: 7 }, "PATCH");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByRole("heading", { name: "Edit Theirs again" })).toBeVisible();
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Ours");
    const release = await holdRequests(page, `**/api/channels/${id}`);
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText(/was changed elsewhere/)).toHaveCount(0);
    release();
    await expect(page.getByRole("heading", { name: "Ours" })).toBeVisible();
    expect(await routed.call(`/api/channels/${id}`)).toMatchObject({ base_url: address, weight: 7 });
  });
});

test.describe("the form of a channel", () => {
  test.use({ allowedConsole: [[/status of 50[03]/], { scope: "test" }] });

  test("is saved once although Save is clicked again while leaving", async ({ routedPage: page, routed }) => {
    await routed.allow();
    const { id } = await routed.channel("Cellar", { models: [EMBED] });
    const release = await holdRequests(page, `**/channels/${id}?_rsc=*`);
    await page.goto(`${routed.product.url}/channels/${id}/edit`);
    await page.getByLabel("Name", { exact: true }).fill("Attic");
    let saves = 0;
    page.on("request", (request) => {
      if (request.method() === "PATCH") saves += 1;
    });
    const save = page.getByRole("button", { name: "Save changes" });
    await save.click();
    await expect(page.getByText("Attic saved")).toBeVisible();
    await save.click({ force: true });
    release();
    await expect(page.getByRole("heading", { name: "Attic" })).toBeVisible();
    expect(saves).toBe(1);
  });

  test("does not navigate away from a page that the user opened while the form was being saved", async ({
    routedPage: page,
    routed,
  }) => {
    await routed.allow();
    const { id } = await routed.channel("Cellar", { models: [EMBED] });
    await page.goto(`${routed.product.url}/channels/${id}/edit`);
    await page.getByLabel("Name", { exact: true }).fill("Attic");
    const release = await holdRequests(page, `**/api/channels/${id}`);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByLabel("Display name").fill("Olivia Q.");
    release();
    await expect(page.getByText("Attic saved")).toBeVisible();
    await page.getByRole("link", { name: "Models", exact: true }).click();
    await expect(page.getByRole("alertdialog")).toContainText("Unsaved changes in: Profile.");
    await expect(page).toHaveURL(`${routed.product.url}/account`);
  });

  test("opens when it is visited again before the first visit's reply", async ({
    routedPage: page,
    routed,
  }) => {
    await routed.allow();
    const { id } = await routed.channel("Cellar", { models: [EMBED] });
    await page.goto(`${routed.product.url}/channels/${id}`);
    let reads = 0;
    let isHeld = false;
    const release = () => {
      isHeld = false;
    };
    await page.route(`**/api/channels/${id}`, async (route) => {
      reads += 1;
      while (isHeld) await new Promise((resolve) => setTimeout(resolve, 20));
      await route.continue();
    });
    isHeld = true;
    const before = reads;
    await page.getByRole("link", { name: "Edit" }).click();
    await expect(page.locator("[aria-busy=true]")).toBeVisible();
    await expect.poll(() => reads).toBeGreaterThan(before);
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Cellar" })).toBeVisible();
    await page.getByRole("link", { name: "Edit" }).click();
    await expect(page.locator("[aria-busy=true]")).toBeVisible();
    release();
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Cellar");
  });

  test("shows no earlier reply while the channel cannot be loaded", async ({ routedPage: page, routed }) => {
    await routed.allow();
    const { id } = await routed.channel("Cellar", { models: [EMBED] });
    await page.goto(`${routed.product.url}/channels/${id}/edit`);
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Cellar");
    await page.getByRole("link", { name: "Cancel" }).click();
    await expect(page.getByRole("heading", { name: "Cellar" })).toBeVisible();
    let isDown = true;
    await page.route(`**/api/channels/${id}`, (route) =>
      isDown
        ? route.fulfill({ status: 503, json: { success: false, message: "", code: "storage_unavailable" } })
        : route.continue(),
    );
    await page.getByRole("link", { name: "Edit" }).click();
    await expect(page.getByRole("main").getByRole("button", { name: "Retry" })).toBeVisible();
    await expect(page.getByLabel("Name", { exact: true })).toHaveCount(0);
    isDown = false;
    // The page also retries on its own.
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Cellar");
  });

  test("loads the models again on Retry", async ({ routedPage: page, routed }) => {
    await routed.allow();
    const { id } = await routed.channel("Cellar", { models: [EMBED] });
    let isDown = true;
    await page.route("**/api/models", (route) =>
      isDown
        ? route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } })
        : route.continue(),
    );
    await page.goto(`${routed.product.url}/channels/${id}/edit`);
    const retry = page.getByRole("main").getByRole("button", { name: "Retry" });
    await expect(retry).toBeVisible();
    isDown = false;
    await retry.click();
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Cellar");
  });

  test("moves the focus from a removed key to the next one, then to the button that adds one", async ({
    routedPage: page,
    routed,
  }) => {
    await routed.allow();
    const keys = [UPSTREAM_KEY, "sk-upstream-0123456789abcd22"];
    const { id } = await routed.channel("Cellar", { models: [EMBED], keys });
    await page.goto(`${routed.product.url}/channels/${id}/edit`);
    const remove = page.getByRole("button", { name: /^Remove key/ });
    await expect(remove).toHaveCount(2);
    await remove.first().press("Enter");
    await expect(remove).toHaveCount(1);
    await expect(remove).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(remove).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Add another key" })).toBeFocused();
  });
});

test("states that a channel has no data only once that is known", async ({ routedPage: page, routed }) => {
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/usage/summary*", async (route) => {
    await isAnswered;
    await route.continue();
  });
  await page.goto(`${routed.product.url}/channels/chn_builtin_semantic?range=1h`);
  await expect(page.getByRole("slider", { name: /Latency/ })).toBeVisible();
  const empty = page.getByText("No data in this range");
  await expect(empty).toHaveCount(0);
  answer();
  await expect(empty).toHaveCount(2);
});

test("counts the attempts that another channel took over in a channel's error rate", async ({
  routedPage: page,
  routed,
}) => {
  await routed.allow();
  const models = [{ name: "bge-taken-over", upstream_name: "nomic-embed-text", operation: "embeddings" }];
  const broken = { priority: 0, keys: ["sk-old-key-that-ended"], models };
  const { id } = await routed.channel("Rented machine", broken);
  await routed.channel("Primary", { priority: 1, models });
  expect(await routed.embed("bge-taken-over")).toBe(200);
  const figure = (name: string) => page.getByRole("term").filter({ hasText: name }).locator("+ dd");
  await page.goto(`${routed.product.url}/channels/${id}?range=1h`);
  await expect(figure("Error rate")).toHaveText("100%");
  await expect(figure("Requests")).toHaveText("0");
  await expect(page.getByText("The error rate includes 1 failed attempt of requests")).toBeVisible();
});

test("says that the charts of a channel begin later than its totals", async ({
  routedPage: page,
  routed,
}) => {
  const id = "chn_builtin_semantic";
  await page.route("**/api/usage/summary*", async (route) => {
    const reply = await route.fetch();
    const { data, ...rest } = await reply.json();
    const sums = (name: string) => ({ ...data.total, name, calls: 120_000, errors: 30_000 });
    const changed = route.request().url().includes("interval=")
      ? { ...data, read_from: "2026-11-28T12:00:00.000Z", total: { ...data.total, calls: 100_000 } }
      : { ...data, read_from: "2026-11-28T11:30:00.000Z", items: [sums(id), sums("chn_other")] };
    await route.fulfill({ response: reply, json: { ...rest, data: changed } });
  });
  const counted = page.waitForRequest(/\/api\/channels\/attempts\?.*from=2026-11-28T11(:|%3A)30/);
  await page.goto(`${routed.product.url}/channels/${id}?range=1h`);
  await counted;
  await expect(
    page.getByText(/^The charts show only requests since .*12:00.* The totals .*11:30/),
  ).toBeVisible();
  for (const [name, value] of [
    ["Requests", "120,000"],
    ["Share of traffic", "50%"],
    ["Error rate", "25%"],
  ] as const)
    await expect(page.getByRole("term").filter({ hasText: name }).locator("+ dd")).toHaveText(value);
});

test.describe("a long list", () => {
  // Deleting a hundred channels takes longer than a new instance.
  test.use({ needsNewInstance: true });

  test("of channels or models shows a hundred rows at first, and finds models beyond them", async ({
    routedPage: page,
    routed,
  }) => {
    await routed.allow();
    const numbers = Array.from({ length: 110 }, (_, index) => String(index).padStart(3, "0"));
    for (const number of numbers)
      await routed.channel(`Upstream ${number}`, {
        models: [{ name: `speech-${number}`, upstream_name: "kokoro", operation: "speech" }],
      });
    // The three built-in ones come first.
    for (const [path, shown, hidden] of [
      ["/channels", "Upstream 096", "Upstream 097"],
      ["/models", "speech-096", "speech-097"],
    ] as const) {
      await page.goto(routed.product.url + path);
      await expect(page.getByRole("row")).toHaveCount(101);
      await expect(rowOf(page, shown)).toBeVisible();
      await expect(rowOf(page, hidden)).toHaveCount(0);
      await page.getByRole("button", { name: "Load more" }).click();
      await expect(rowOf(page, shown.replace("096", "109"))).toBeVisible();
      await expect(page.getByRole("row")).toHaveCount(114);
      await expect(page.getByRole("button", { name: "Load more" })).toHaveCount(0);
    }
    for (const [path, hidden] of [
      ["/channels", "Upstream 109"],
      ["/models", "speech-109"],
    ] as const) {
      const first = await page.request.get(routed.product.url + path);
      expect(await first.text(), "the page has the first rows only").not.toContain(hidden);
      const release = await holdRequests(page, `**/api${path}`);
      await page.goto(`${routed.product.url + path}?q=${hidden}`);
      await expect(page.getByRole("searchbox")).toHaveValue(hidden);
      await expect(page.getByText(/^No (channels|models) match$/)).toHaveCount(0);
      release();
      await expect(rowOf(page, hidden)).toBeVisible();
      await expect(page.getByRole("row")).toHaveCount(2);
    }
    await page.goto(`${routed.product.url}/channels`);
    await page.getByRole("searchbox", { name: "Search channels" }).fill("SPEECH-042");
    await expect(page.getByRole("row")).toHaveCount(2);
    await expect(rowOf(page, "Upstream 042")).toBeVisible();
    await page.getByRole("searchbox").fill("nothing");
    await page.getByRole("button", { name: "Clear search" }).click();
    await expect(page.getByRole("row")).toHaveCount(101);
    await page.goto(`${routed.product.url}/models`);
    // Fast typing loses no letter, although each one renders a hundred rows.
    await page.getByRole("searchbox").pressSequentially("speech-109");
    await expect(page.getByRole("searchbox")).toHaveValue("speech-109");
    await expect(rowOf(page, "speech-109")).toBeVisible();
    // The overview draws ten of each, and describes these routes for screen readers.
    await page.goto(routed.product.url);
    const routes = page.getByRole("region", { name: "Routes" });
    await expect(routes.getByRole("listitem").filter({ hasText: /: no requests/ })).toHaveCount(10);
  });
});

test.describe("a member", () => {
  test.use({ allowedConsole: [[/status of 404/], { scope: "test" }] });

  test('gets "Page not found" for channels and models', async ({ page, routed }) => {
    const { url } = routed.product;
    const { cookie } = await createUser(url, routed.cookie, { username: "mia", role: "member" });
    await signInByCookie(page, url, cookie);
    for (const path of ["/channels", "/channels/new", "/channels/chn_builtin_speech", "/models"]) {
      await page.goto(url + path);
      await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    }
  });
});

test.describe("a channel that does not exist", () => {
  test.use({ allowedConsole: [[/status of 404/], { scope: "test" }] });

  test("is reported on its page and on its form", async ({ routedPage: page, routed }) => {
    for (const path of ["/channels/none", "/channels/none/edit"]) {
      await page.goto(`${routed.product.url}${path}`);
      await expect(page.getByRole("heading", { name: "Channel not found" })).toBeVisible();
      await expect(page.getByRole("link", { name: "All channels" })).toBeVisible();
    }
  });

  test("is reported when it was deleted while its page or form is open", async ({
    routedPage: page,
    routed,
  }) => {
    await routed.allow();
    const open = await routed.channel("Cellar", { models: [EMBED] });
    await page.goto(`${routed.product.url}/channels/${open.id}`);
    await expect(page.getByRole("heading", { name: "Cellar" })).toBeVisible();
    await routed.call(`/api/channels/${open.id}`, undefined, "DELETE");
    await expect(page.getByRole("heading", { name: "Channel not found" })).toBeVisible();

    const edited = await routed.channel("Attic", { models: [EMBED] });
    await page.goto(`${routed.product.url}/channels/${edited.id}/edit`);
    await page.getByLabel("Name", { exact: true }).fill("Loft");
    await routed.call(`/api/channels/${edited.id}`, undefined, "DELETE");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText("This no longer exists")).toBeVisible();
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Loft");
  });

  test.describe("in Chinese", () => {
    test.use({ locale: "zh-CN" });

    test("is reported in Chinese by the test dialog that was open when it was deleted", async ({
      routedPage: page,
      routed,
    }) => {
      await routed.allow();
      const { id } = await routed.channel("Cellar", { models: [EMBED] });
      await page.goto(`${routed.product.url}/channels`);
      await page.getByRole("button", { name: "Cellar 的操作" }).click();
      await page.getByRole("menuitem", { name: "测试" }).click();
      await routed.call(`/api/channels/${id}`, undefined, "DELETE");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: /embed-a/ }).click();
      await expect(dialog.getByRole("status")).toHaveText("此项已不存在");
    });

    test("is reported in Chinese when it is deleted just before its switch is clicked", async ({
      routedPage: page,
      routed,
    }) => {
      await routed.allow();
      const { id } = await routed.channel("Cellar", { models: [EMBED] });
      await page.goto(`${routed.product.url}/channels`);
      await page.route(`**/api/channels/${id}`, async (route) => {
        await routed.call(`/api/channels/${id}`, undefined, "DELETE");
        await route.continue();
      });
      await page.getByRole("switch", { name: /Cellar/ }).click();
      await expect(page.getByText("此项已不存在")).toBeVisible();
    });
  });
});

test.describe("a switch, while the server is unreachable", () => {
  test.use({ allowedConsole: [[/ERR_ABORTED/], { scope: "test" }] });

  test("keeps its state, and a toast says why, even if it is the page's first toast", async ({
    ownerPage: page,
    product,
  }) => {
    await page.goto(`${product.url}/channels`, { waitUntil: "networkidle" });
    const enabled = page.getByRole("switch").first();
    const toasts = page.waitForResponse(
      async (reply) =>
        reply.request().resourceType() === "script" && (await reply.text()).includes("data-sonner-toast"),
    );
    // The movement of the pointer loads the code of toasts.
    await enabled.hover();
    await toasts;
    await page.route("**/*", (route) => route.abort("aborted"));
    await enabled.click();
    await expect(page.getByText("The server didn’t respond.").first()).toBeVisible();
    await expect(enabled).toBeChecked();
  });
});
