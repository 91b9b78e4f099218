import type { Locator, Page } from "playwright/test";
import { linesOf } from "@/components/embeddings/texts";
import { en } from "@/lib/messages/en";
import { expect, test } from "./fixtures";
import { axeViolations } from "./page-checks";

const NEWS = linesOf(en.embeddings.example.news.texts);

const large = (page: Page) => page.getByRole("dialog", { name: "Map" });
const map = (page: Page) => large(page).getByRole("listbox", { name: /^Map of/ });

/** Opens the large map of an example, embedded by the lexical model, whose vectors are the same everywhere. */
async function openLarge(page: Page, url: string, example = "Headlines"): Promise<void> {
  await page.goto(`${url}/playground/embeddings#model=patchbay-embed`, { waitUntil: "networkidle" });
  await page.getByRole("button", { name: new RegExp(`^${example}`) }).click();
  await page.getByRole("button", { name: "Enlarge map" }).click();
  await expect(map(page)).toBeVisible();
}

/** The drawn image. */
const picture = (of: Locator) => of.evaluate((box) => box.querySelector("canvas")?.toDataURL() ?? "");

/** Waits until an action has changed the image. */
async function expectRedraw(page: Page, act: () => Promise<void>): Promise<void> {
  const before = await picture(map(page));
  await act();
  await expect.poll(() => picture(map(page))).not.toBe(before);
}

test("selects, zooms and pans the large map by keyboard; Escape deselects before it closes", async ({
  ownerPage: page,
  product,
}) => {
  await openLarge(page, product.url);
  const box = await map(page).boundingBox();
  expect(box?.width).toBeGreaterThan(1200);
  expect(box?.height).toBeGreaterThan(600);
  await map(page).focus();
  await page.keyboard.press("ArrowRight");
  const option = map(page).getByRole("option", { selected: true });
  await expect(option).toHaveText(`1. ${NEWS[0]}`);
  await expect(large(page).getByText(/^Nearest: text 9, cosine 0\.\d{3}$/)).toBeVisible();
  await expectRedraw(page, () => page.keyboard.press("+"));
  await expectRedraw(page, () => page.keyboard.press("Shift+ArrowLeft"));
  await page.keyboard.press("0");
  await expect(large(page).getByRole("button", { name: "Zoom out of the map" })).toBeDisabled();
  await page.keyboard.press("Escape");
  await expect(option).toHaveCount(0);
  await expect(large(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(large(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Enlarge map" })).toBeFocused();
});

test("zooms the large map with the wheel, pans it by drag and outlines clusters", async ({
  ownerPage: page,
  product,
}) => {
  await openLarge(page, product.url);
  const box = await map(page).boundingBox();
  if (!box) throw new Error("no map");
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  await expectRedraw(page, () => page.mouse.wheel(0, -400));
  await expectRedraw(page, async () => {
    await page.mouse.down();
    await page.mouse.move(middle.x + 120, middle.y + 60, { steps: 4 });
    await page.mouse.up();
  });
  await expectRedraw(page, () => large(page).getByRole("switch", { name: "4 clusters" }).click());
});

test("lays the texts out by UMAP in a worker and returns to PCA on cancel", async ({
  ownerPage: page,
  product,
}) => {
  test.slow();
  const many = Array.from({ length: 400 }, (_, at) => `Line ${at} about ${NEWS[at % NEWS.length]}`);
  await page.goto(`${product.url}/playground/embeddings#model=patchbay-embed`, { waitUntil: "networkidle" });
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "lines.txt", mimeType: "text/plain", buffer: Buffer.from(many.join("\n")) });
  await page.getByRole("button", { name: "Embed 400 texts" }).click();
  await page.getByRole("button", { name: "Enlarge map" }).click({ timeout: 60_000 });
  await expect(map(page)).toBeVisible();
  const pca = await picture(map(page));
  expect(page.workers()).toHaveLength(0);
  await large(page).getByRole("radio", { name: "UMAP" }).click();
  // Cancels at once, because the layout takes only some seconds.
  await large(page).getByRole("button", { name: "Cancel" }).click({ timeout: 10_000 });
  await expect(large(page).getByRole("radio", { name: "PCA" })).toBeChecked();
  await expect.poll(() => page.workers().length).toBe(0);
  await large(page).getByRole("radio", { name: "UMAP" }).click();
  await expect.poll(() => page.workers().length).toBe(1);
  await expect(large(page).getByRole("progressbar", { name: /UMAP/ })).toBeVisible();
  await expect(large(page).getByRole("progressbar")).toHaveCount(0, { timeout: 60_000 });
  await expect(large(page).getByRole("radio", { name: "UMAP" })).toBeChecked();
  await expect.poll(() => picture(map(page))).not.toBe(pca);
});

test("ignores Ctrl+Enter and dropped files while the large map is open", async ({
  ownerPage: page,
  product,
}) => {
  await openLarge(page, product.url);
  let calls = 0;
  await page.route("**/v1/embeddings", async (route) => {
    calls += 1;
    await route.continue();
  });
  await map(page).focus();
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("Escape");
  await expect(large(page)).toHaveCount(0);
  expect(calls).toBe(0);
  await page.getByRole("button", { name: "Enlarge map" }).click();
  const isPrevented = await large(page).evaluate((dialog) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
    const send = (name: string) =>
      !dialog.dispatchEvent(new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer }));
    send("dragenter");
    return send("dragover") && send("drop");
  });
  // The browser would navigate to the file.
  expect(isPrevented).toBe(true);
  await expect(page.getByText(en.embeddings.texts.drop)).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(large(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: `Embed ${NEWS.length} texts` })).toBeVisible();
});

test("keeps the drop area visible over the page's parts after files were dragged over a dialog", async ({
  ownerPage: page,
  product,
}) => {
  await openLarge(page, product.url);
  const drag = (on: Locator, ...names: string[]) =>
    on.evaluate((element, sent) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
      for (const name of sent) element.dispatchEvent(new DragEvent(name, { bubbles: true, dataTransfer }));
    }, names);
  await drag(large(page), "dragenter", "dragleave");
  await page.keyboard.press("Escape");
  await expect(large(page)).toHaveCount(0);
  await drag(page.getByRole("main"), "dragenter", "dragenter", "dragleave");
  await expect(page.getByText(en.embeddings.texts.drop)).toBeVisible();
});

test("shows the map as a table whose rows select texts", async ({ ownerPage: page, product }) => {
  await openLarge(page, product.url);
  await large(page).getByText("Table", { exact: true }).click();
  const rows = large(page).getByRole("table").getByRole("row");
  await expect(rows).toHaveCount(NEWS.length + 1);
  await expect(rows.nth(2)).toContainText(NEWS[1] ?? "");
  await expect(rows.nth(2)).toContainText(`6. ${NEWS[5]}`);
  await rows.nth(2).getByRole("button").click();
  await large(page).getByText("Map", { exact: true }).last().click();
  await expect(map(page).getByRole("option", { selected: true })).toHaveText(`2. ${NEWS[1]}`);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`has no axe violations as map and as table in the ${colorScheme} theme`, async ({
    ownerPage: page,
    product,
  }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await openLarge(page, product.url);
    for (const view of ["Map", "Table"]) {
      await large(page).getByRole("radio", { name: view, exact: true }).check({ force: true });
      expect(await axeViolations(page, { within: "[role=dialog]" })).toEqual([]);
    }
  });
}

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });
  test("fills a phone without horizontal scrolling and selects by tap", async ({
    ownerPage: page,
    product,
  }) => {
    await openLarge(page, product.url);
    const box = await map(page).boundingBox();
    expect(box?.width).toBeGreaterThan(330);
    expect(box?.height).toBeGreaterThan(450);
    const overflow = await large(page).evaluate((one) => one.scrollWidth - one.clientWidth);
    expect(overflow).toBe(0);
    await map(page).focus();
    await page.keyboard.press("ArrowRight");
    await expect(map(page).getByRole("option", { selected: true })).toHaveCount(1);
    // A tap on an empty area deselects.
    await map(page).tap({ position: { x: 4, y: 4 } });
    await expect(map(page).getByRole("option", { selected: true })).toHaveCount(0);
  });
});
