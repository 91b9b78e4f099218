import type { Page } from "playwright/test";
import { expect, OWNER, signInByCookie, test } from "./fixtures";

const question = (page: Page) => page.getByRole("alertdialog", { name: "Leave without saving?" });
const place = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const attempts = (page: Page) => page.getByRole("textbox", { name: "Channels tried for one call" });

async function answer(page: Page, word: "Stay" | "Leave"): Promise<void> {
  await question(page).getByRole("button", { name: word, exact: true }).click();
  await expect(question(page)).toHaveCount(0);
}

/** The settings' limits, come to from the page of keys, with a number that nobody saved. */
async function typeALimit(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/keys`);
  await place(page, "Settings").click();
  await page.getByRole("link", { name: "Limits" }).click();
  await attempts(page).click();
  await page.keyboard.type("7");
}

/** A session of the owner's own, to be ended. */
async function ownSession(url: string): Promise<string> {
  const reply = await fetch(`${url}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: OWNER.username, password: OWNER.password }),
  });
  return reply.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
}

/** The browser's own questions of this page, which a test would otherwise never see. */
function nativeQuestions(page: Page): string[] {
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  return asked;
}

test("what was typed in a section of the settings is found again there, and the section says that it waits", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/settings?section=limits`);
  await attempts(page).fill("7");
  await page.getByRole("link", { name: "General" }).click();
  await expect(page.getByRole("heading", { name: "Who uses it" })).toBeVisible();
  await expect(attempts(page)).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Limits not saved" })).toBeVisible();
  await expect(page.getByRole("link", { name: "General", exact: true })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  const sections = page.getByRole("combobox", { name: "Sections of the settings" });
  await expect(sections.getByRole("option", { name: "Limits · not saved" })).toHaveCount(1);
  await sections.selectOption("limits");
  await expect(attempts(page)).toHaveValue("7");
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(sections.getByRole("option", { name: "Limits", exact: true })).toHaveCount(1);
  await expect(question(page)).toHaveCount(0);
});

test("a link, the palette and the browser's Back ask before they leave what is not saved, and name it", async ({
  ownerPage: page,
  product,
}) => {
  await typeALimit(page, product.url);
  await place(page, "Users").click();
  await expect(question(page)).toContainText("Not saved yet: Limits.");
  await expect(question(page).getByRole("button", { name: "Stay" })).toBeFocused();
  await answer(page, "Stay");

  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Commands" })).toBeFocused();
  await page.keyboard.type("audit");
  await page.keyboard.press("Enter");
  await answer(page, "Stay");

  // The section before is the same page: the way back to it loses nothing.
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Who uses it" })).toBeVisible();
  await page.goBack();
  await expect(question(page)).toBeVisible();
  await expect(page).toHaveURL(`${product.url}/settings`);
  await answer(page, "Stay");
  await page.getByRole("link", { name: "Limits" }).click();
  await expect(attempts(page)).toHaveValue("7");

  await place(page, "Users").click();
  await answer(page, "Leave");
  await expect(heading(page, "Users")).toBeVisible();
  await place(page, "Keys").click();
  await expect(heading(page, "Keys")).toBeVisible();
});

test("Back goes where it led once the visitor has said so", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/keys`);
  await place(page, "Account").click();
  await page.getByLabel("Display name").fill("Olivia of the lamps");
  await page.goBack();
  await expect(question(page)).toContainText("Profile");
  await answer(page, "Leave");
  await expect(heading(page, "Keys")).toBeVisible();
  await expect(page).toHaveURL(`${product.url}/keys`);
});

test("on a phone the menu asks too, and is out of the way when it does", async ({
  ownerPage: page,
  product,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${product.url}/alerts`);
  await page.getByRole("textbox", { name: "Webhook" }).fill("https://hooks.example.com/lamp");
  await page.getByRole("button", { name: "Open menu" }).click();
  await place(page, "Models").click();
  await expect(question(page)).toContainText("Rules");
  await expect(place(page, "Models")).toHaveCount(0);
  await answer(page, "Stay");
  await expect(page.getByRole("textbox", { name: "Webhook" })).toHaveValue("https://hooks.example.com/lamp");
});

test("a new channel asks for what was typed, not for the provider that was picked", async ({
  ownerPage: page,
  product,
}) => {
  const cancel = page.getByRole("link", { name: "Cancel" });
  await page.goto(`${product.url}/channels`);
  await page.getByRole("link", { name: "Add channel" }).first().click();
  await page.getByRole("button", { name: /^OpenAI api/ }).click();
  await cancel.click();
  await expect(heading(page, "Channels")).toBeVisible();
  await page.getByRole("link", { name: "Add channel" }).first().click();
  await page.getByRole("button", { name: /^OpenAI api/ }).click();
  await page.getByLabel(/^Key/).fill("sk-lamp");
  await cancel.click();
  await expect(question(page)).toContainText("Not saved yet: Add a channel.");
  await answer(page, "Leave");
  await expect(heading(page, "Channels")).toBeVisible();
});

test("a saved form lets go without a word", async ({ ownerPage: page, product }) => {
  const asked = nativeQuestions(page);
  const name = page.getByLabel("Name", { exact: true });
  for (const [before, after] of [
    ["Built-in speech", "Built-in lamp"],
    ["Built-in lamp", "Built-in speech"],
  ] as const) {
    await page.goto(`${product.url}/channels/chn_builtin_speech/edit`);
    await expect(name).toHaveValue(before);
    await name.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type(after);
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(heading(page, after)).toBeVisible();
    await expect(question(page)).toHaveCount(0);
  }
  expect(asked).toEqual([]);
});

test("closing or loading the page anew asks in the browser's own words, as long as something is unsaved", async ({
  ownerPage: page,
  product,
}) => {
  const asked = nativeQuestions(page);
  await typeALimit(page, product.url);
  await page.reload();
  expect(asked).toEqual(["beforeunload"]);
  await attempts(page).click();
  await page.keyboard.type("7");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.reload();
  expect(asked).toEqual(["beforeunload"]);
});

test.describe("an end of the session", () => {
  // What the page asks for between the session's end and its leaving is refused.
  test.use({ allowedConsole: [[/status of 401/], { scope: "test" }] });

  for (const way of ["by signing out", "from elsewhere"]) {
    test(`${way} is not held up`, async ({ page, product }) => {
      const cookie = await ownSession(product.url);
      await signInByCookie(page, product.url, cookie);
      const asked = nativeQuestions(page);
      const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
      await typeALimit(page, product.url);
      if (way === "by signing out") {
        await page.getByRole("button", { name: "Account menu" }).click();
        await page.getByRole("menuitem", { name: "Sign out" }).click();
      } else {
        await isLive;
        await fetch(`${product.url}/api/user/logout`, {
          method: "POST",
          headers: { "content-type": "application/json", cookie },
          body: "{}",
        });
      }
      await expect(page).toHaveURL(/\/login/);
      expect(asked).toEqual([]);
    });
  }
});
