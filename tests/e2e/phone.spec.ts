import type { Page } from "playwright/test";
import { devices } from "playwright/test";
import { call } from "./console-api";
import { enterPassword, expect, freshCode, test } from "./enrolled";
import { signInByCookie } from "./fixtures";
import { createUser } from "./users";
import { createOwner, goToAdministratorStep, heading } from "./wizard-page";

const { userAgent, deviceScaleFactor } = devices["Pixel 7"];
test.use({
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  userAgent,
  deviceScaleFactor,
});

/** How many pixels the page is wider than the screen. */
const horizontalOverflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** The lines of an element with one text. */
function linesOf({ firstChild: text }: Element): string[] {
  const lines = new Map<number, string>();
  for (const [at, letter] of [...(text?.textContent ?? "")].entries()) {
    const range = document.createRange();
    range.setStart(text as Node, at);
    range.setEnd(text as Node, at + 1);
    const { top } = range.getBoundingClientRect();
    lines.set(top, (lines.get(top) ?? "") + letter);
  }
  return [...lines.values()].map((line) => line.trim());
}

/** The texts whose separator "·" is the last character of its line. */
const hangingSeparators = (page: Page) =>
  page.getByRole("main").evaluate((main) => {
    const rects = (node: Node, from: number, to: number) => {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      return [...range.getClientRects()].filter(({ width }) => width > 0);
    };
    const textsIn = (root: Node) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const found: Text[] = [];
      while (walker.nextNode()) found.push(walker.currentNode as Text);
      return found;
    };
    return textsIn(main).flatMap((text) => {
      const line = text.data.trim() === "·" ? text.parentElement?.parentElement : text.parentElement;
      return [...text.data.matchAll(/·/g)].flatMap(({ index }) => {
        const [dot] = rects(text, index, index + 1);
        if (!dot || !line) return [];
        const after = textsIn(line).flatMap((one) =>
          [...one.data].flatMap((letter, at) => (letter.trim() === "" ? [] : rects(one, at, at + 1))),
        );
        const hangs = !after.some(
          ({ left, top, bottom }) => left >= dot.right && top < dot.bottom && bottom > dot.top,
        );
        return hangs ? [line.textContent] : [];
      });
    });
  });

test("ends no line with a separator on a phone", async ({ ownerPage: page, product }) => {
  const expires_at = new Date(Date.now() + 300 * 86_400_000).toISOString();
  await call(product.url, product.cookie, "POST", "/api/keys", { name: "Expires", expires_at });
  await call(product.url, product.cookie, "POST", "/api/invites", { role: "member", expires_hours: 24 });
  for (const [path, text] of [
    ["/keys", /^expires /i],
    ["/users", /^expires /i],
    ["/account", /^signed in (?!\.)/i],
    ["/models/local-voices", /Apache-2\.0/],
  ] as const) {
    await page.goto(product.url + path);
    await expect(page.getByText(text).filter({ visible: true }).first()).toBeVisible();
    // At some of these widths, the line breaks before each fact.
    for (let width = 280; width <= 390; width += 10) {
      await page.setViewportSize({ width, height: 844 });
      expect(await hangingSeparators(page), `${path} at ${width}`).toEqual([]);
    }
  }
});

test("completes setup on a phone without horizontal scrolling", async ({ page, freshProduct }) => {
  await page.goto(`${freshProduct.url}/setup`);
  await expect(page.getByText("Step 1 of 6")).toBeVisible();
  expect(await horizontalOverflow(page)).toBe(0);
  await goToAdministratorStep(page);
  expect(await horizontalOverflow(page)).toBe(0);
  await createOwner(page);
  await expect(page.getByRole("img", { name: /QR code/ })).toBeVisible();
  const title = heading(page, "Set up two-factor authentication");
  expect(await title.evaluate(linesOf)).toEqual(["Set up two-factor", "authentication"]);
  expect(await horizontalOverflow(page)).toBe(0);
  await page.getByRole("button", { name: "Not now" }).tap();
  await page.getByRole("button", { name: "Create API key", exact: true }).tap();
  await expect(page.getByTestId("api-key")).toBeVisible();
  expect(await horizontalOverflow(page)).toBe(0);
  await page.getByRole("button", { name: "Continue" }).tap();
  await page.getByRole("button", { name: "Speak", exact: true }).tap();
  await expect(page.getByText(/of audio, generated in/)).toBeVisible();
  expect(await horizontalOverflow(page)).toBe(0);
});

test("lists API keys as cards and navigates with the menu", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/keys`);
  await expect(
    page.getByRole("main").getByRole("listitem").filter({ hasText: "sk-pb-" }).first(),
  ).toBeVisible();
  await expect(page.getByRole("table")).toBeHidden();
  expect(await horizontalOverflow(page)).toBe(0);
  await page.getByRole("button", { name: "Open menu" }).tap();
  await page.getByRole("dialog", { name: "Main" }).getByRole("link", { name: "Account" }).tap();
  await expect(heading(page, "Account")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await horizontalOverflow(page)).toBe(0);
});

test("keeps a long menu on the screen above a phone's keyboard", async ({ ownerPage: page, product }) => {
  await page.setViewportSize({ width: 390, height: 420 });
  const { id } = await createUser(product.url, product.cookie, { username: "anna", role: "member" });
  await page.goto(`${product.url}/users`);
  const actions = page.getByRole("button", { name: "Actions for anna" });
  // Neither above nor below is there room for the whole menu.
  await actions.evaluate((button) => button.scrollIntoView({ block: "center" }));
  await actions.tap();
  const menu = page.getByRole("menu");
  await expect(menu).toBeVisible();
  const { y = -1, height = 0 } = (await menu.boundingBox()) ?? {};
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y + height).toBeLessThanOrEqual(420);
  await menu.getByRole("menuitem", { name: "Delete" }).tap();
  await expect(page.getByRole("alertdialog")).toBeVisible();
  await call(product.url, product.cookie, "DELETE", `/api/users/${id}`);
});

test("keeps the list of languages on the screen above a phone's keyboard", async ({
  ownerPage: page,
  product,
}) => {
  await page.setViewportSize({ width: 390, height: 420 });
  await page.goto(`${product.url}/playground/speech`);
  const language = page.getByRole("button", { name: /^Language/ });
  // Neither above nor below is there room for the whole list.
  await language.evaluate((button) => button.scrollIntoView({ block: "center" }));
  await language.tap();
  const list = page.getByRole("listbox", { name: "Language" });
  await expect(list).toBeVisible();
  const { y = -1, height = 0 } = (await list.boundingBox()) ?? {};
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y + height).toBeLessThanOrEqual(420);
});

test("keeps the custom range on the screen above a phone's keyboard", async ({
  ownerPage: page,
  product,
}) => {
  await page.setViewportSize({ width: 390, height: 420 });
  await page.goto(`${product.url}/usage`);
  const custom = page.getByRole("button", { name: "Custom" });
  // Neither above nor below is there room for the whole form.
  await custom.evaluate((button) => button.scrollIntoView({ block: "center" }));
  await custom.tap();
  const popover = page.getByRole("dialog");
  await expect(popover).toBeVisible();
  const { y = -1, height = 0 } = (await popover.boundingBox()) ?? {};
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y + height).toBeLessThanOrEqual(420);
  await popover.getByRole("button", { name: "Show range" }).tap();
  await expect(popover).toBeHidden();
});

test("fits the limits of a key and the 2FA code into dialogs 320 pixels wide", async ({ page, account }) => {
  await signInByCookie(page, account.url, account.cookie);
  await page.setViewportSize({ width: 320, height: 568 });
  const dialog = page.getByRole("dialog");
  const overflow = () => dialog.evaluate((element) => element.scrollWidth - element.clientWidth);
  await page.goto(`${account.url}/account`);
  await page.getByRole("button", { name: "Turn on", exact: true }).tap();
  await expect(dialog.getByLabel("Code from the app")).toBeVisible();
  expect(await overflow(), "2FA").toBe(0);
  await page.goto(`${account.url}/keys`);
  await page.getByRole("button", { name: "Create API key" }).first().tap();
  await dialog.getByText("Limits", { exact: true }).tap();
  await expect(dialog.getByLabel("Requests per minute")).toBeVisible();
  expect(await overflow(), "limits").toBe(0);
});

test("signs in by touch with a numeric keypad for the code", async ({ page, enrolled }) => {
  await page.goto(`${enrolled.url}/login`);
  expect(await horizontalOverflow(page)).toBe(0);
  await enterPassword(page, enrolled);
  await expect(page.getByLabel("6-digit code")).toHaveAttribute("inputmode", "numeric");
  await page.getByLabel("6-digit code").fill(freshCode(enrolled.secret));
  await expect(page).toHaveURL(`${enrolled.url}/`);
});

test("makes every button at least 40 pixels high", async ({ ownerPage: page, product }) => {
  for (const path of ["/", "/keys", "/account"]) {
    await page.goto(product.url + path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    const small = await page.getByRole("button").evaluateAll((buttons) =>
      buttons
        .filter((one) => one.checkVisibility())
        .map((one) => ({
          name: one.textContent || one.ariaLabel,
          height: one.getBoundingClientRect().height,
        }))
        .filter((one) => one.height < 40),
    );
    expect(small, path).toEqual([]);
  }
});
