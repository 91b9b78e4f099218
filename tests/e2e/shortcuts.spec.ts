import { expect, signInByCookie, test } from "./fixtures";

const heading = (name: string) => ({ level: 1, name });

test("opens pages with g and a letter and lists the shortcuts with ?", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(product.url);
  await expect(page.getByRole("heading", heading("Overview"))).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await expect(page.getByRole("heading", heading("Logs"))).toBeVisible();

  await page.keyboard.press("Shift+?");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(dialog.getByText("API keys")).toBeVisible();
  await expect(dialog.getByText("Next request")).toBeVisible();
  await expect(dialog).toBeFocused();
  await page.keyboard.press("Space");
  await expect(dialog.getByRole("switch")).toBeChecked();
  // Shortcuts are inactive while a dialog is open.
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await expect(page.getByRole("heading", heading("API keys"))).toBeVisible();
});

test("keeps the shortcuts active after a figure of the overview was picked", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(product.url);
  await page.getByRole("radio").nth(1).click();
  await expect(page.getByRole("radio").nth(1)).toBeFocused();
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await expect(page.getByRole("heading", heading("Logs"))).toBeVisible();
});

test("types shortcut letters as text in a text field", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/playground/speech`);
  const input = page.getByRole("textbox", { name: "Text" }).first();
  await input.fill("");
  await input.pressSequentially("glow? go");
  await expect(input).toHaveValue("glow? go");
  await expect(page).toHaveURL(`${product.url}/playground/speech`);
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("turns off the single-letter shortcuts of this browser and back on", async ({
  ownerPage: page,
  product,
}) => {
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  const letters = dialog.getByRole("switch", { name: "Single-letter shortcuts" });
  const openFromPalette = async () => {
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("combobox", { name: "Commands" })).toBeFocused();
    await page.keyboard.type("shortcuts");
    await page.keyboard.press("Enter");
    await expect(dialog).toBeVisible();
  };
  const call = { model: "patchbay-embed", input: "lamp" };
  const headers = { authorization: `Bearer ${product.key}` };
  for (let index = 0; index < 2; index++) {
    const reply = await page.request.post(`${product.url}/v1/embeddings`, { headers, data: call });
    expect(reply.status()).toBe(200);
  }
  await page.goto(`${product.url}/logs`);
  await openFromPalette();
  await expect(letters).toBeChecked();
  await letters.click();
  await expect(letters).not.toBeChecked();

  await page.reload();
  const requests = page.getByRole("table", { name: "Requests", exact: true }).getByRole("row");
  await requests.nth(1).getByRole("link").first().click();
  await expect(page.getByRole("button", { name: "Next request" })).toHaveAttribute(
    "title",
    "Next request (↓)",
  );
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("Shift+?");
  await page.keyboard.press("j");
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  // The palette opens after the keys were handled.
  await openFromPalette();
  await expect(letters).not.toBeChecked();
  await expect(page).toHaveURL(`${product.url}/logs`);
  await letters.click();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.keyboard.press("j");
  // The open request is a dialog, which handles its own keys until the focus is back in the list.
  await expect(page.getByRole("dialog", { name: "Request" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await expect(page.getByRole("heading", heading("API keys"))).toBeVisible();
});

test("shows an unknown address inside the shell", async ({ page, product, allowedConsole }) => {
  allowedConsole.push(/404/);
  await signInByCookie(page, product.url, product.cookie);
  const reply = await page.goto(`${product.url}/nowhere`);
  expect(reply?.status()).toBe(404);
  await expect(page.getByRole("heading", heading("Page not found"))).toBeVisible();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Usage" }).click();
  await expect(page.getByRole("heading", heading("Usage"))).toBeVisible();
});

test("keeps the page behind a dialog as it is, covered and unscrolled", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(product.url);
  await page.setViewportSize({ width: 1440, height: 400 });
  await expect(page.getByRole("heading", heading("Overview"))).toBeVisible();
  const scrollTop = () => page.evaluate(() => scrollY);
  const scroll = async () => {
    await page.mouse.move(1300, 380);
    await page.mouse.wheel(0, 50);
    // Two frames: a wheel event scrolls with the next one.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  };
  await scroll();
  await expect.poll(scrollTop).toBe(50);
  const styles = await page.locator("style").count();

  await page.keyboard.press("Shift+?");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(dialog).toBeVisible();
  await scroll();
  expect(await scrollTop()).toBe(50);
  // Styles that every element inherits make a dialog on a long page slow.
  await expect(page.locator("#content")).toHaveCSS("pointer-events", "auto");
  await expect(page.locator("style")).toHaveCount(styles);

  // A second dialog over the first one leaves the page as the first one needs it.
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Commands" })).toBeFocused();
  // Once the dialog below takes no pointer events, Radix has registered the second one.
  await expect(page.locator("[role=dialog]").first()).toHaveCSS("pointer-events", "none");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("combobox", { name: "Commands" })).toBeHidden();
  await expect(dialog).toBeVisible();
  await scroll();
  expect(await scrollTop()).toBe(50);

  const figure = page.getByRole("radio", { includeHidden: true }).last();
  const box = await figure.boundingBox();
  await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
  await expect(dialog).toBeHidden();
  await expect(figure).not.toBeChecked();
  await expect(page.locator("body")).toHaveCSS("pointer-events", "auto");
  await scroll();
  await expect.poll(scrollTop).toBe(100);
});
