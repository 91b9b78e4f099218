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
  await expect(dialog.getByText("Next call")).toBeVisible();
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

test("shows an unknown address inside the shell", async ({ page, product, allowedConsole }) => {
  allowedConsole.push(/404/);
  await signInByCookie(page, product.url, product.cookie);
  const reply = await page.goto(`${product.url}/nowhere`);
  expect(reply?.status()).toBe(404);
  await expect(page.getByRole("heading", heading("Page not found"))).toBeVisible();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Usage" }).click();
  await expect(page.getByRole("heading", heading("Usage"))).toBeVisible();
});
