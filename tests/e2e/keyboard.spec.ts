import type { Page } from "playwright/test";
import { createKey } from "../support/product";
import { totpCode } from "../support/totp";
import { expect, freshCode, test } from "./enrolled";
import { holdRequests, OWNER } from "./fixtures";
import { createOwner, goToAdministratorStep, heading, shownSecret } from "./wizard-page";

/** Presses Tab until the element with this role and name has the focus. */
async function tabTo(
  page: Page,
  name: string | RegExp,
  role: "button" | "textbox" | "radio" | "link" = "button",
) {
  const target = page.getByRole(role, { name, exact: true });
  for (let press = 0; press < 40; press += 1) {
    if (await target.evaluate((element) => element === document.activeElement).catch(() => false)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reached ${role} ${name}`);
}

test("completes setup with the keyboard only", async ({ page, freshProduct }) => {
  await page.goto(`${freshProduct.url}/setup`);
  await expect(heading(page, "Patchbay is running")).toBeFocused();
  await tabTo(page, "Start setup");
  await page.keyboard.press("Enter");
  await expect(heading(page, "How will you use Patchbay?")).toBeFocused();
  await page.keyboard.press("Tab");
  // A real key press takes time: the radio is selected while the key is down.
  await page.keyboard.press("ArrowDown", { delay: 60 });
  await expect(page.getByRole("radio", { name: "With a team" })).toBeChecked();
  await tabTo(page, "Continue");
  await page.keyboard.press("Enter");
  await expect(heading(page, "Create your admin account")).toBeFocused();
  await tabTo(page, "Username", "textbox");
  await page.keyboard.type(OWNER.username);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type(OWNER.password);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type(OWNER.password);
  await page.keyboard.press("Enter");

  await expect(heading(page, "Set up two-factor authentication")).toBeFocused();
  const secret = await shownSecret(page);
  await tabTo(page, "Code from the app", "textbox");
  await page.keyboard.type(totpCode(secret, Date.now()));
  await expect(heading(page, "Save your backup codes")).toBeFocused();
  await tabTo(page, "I’ve saved them");
  await page.keyboard.press("Enter");
  await expect(heading(page, "Create your first API key")).toBeFocused();
  await tabTo(page, "Name", "textbox");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("api-key")).toBeVisible();
  await tabTo(page, "Continue");
  await page.keyboard.press("Enter");
  await expect(heading(page, "Hear your first audio")).toBeFocused();
  await tabTo(page, "Speak");
  await page.keyboard.press("Enter");
  await expect(page.getByText(/of audio, generated in/)).toBeVisible();
  await tabTo(page, "Open the speech playground");
  await page.keyboard.press("Enter");
  await expect(heading(page, "Speech playground")).toBeVisible();
  await page.waitForLoadState("networkidle");
});

test("signs in with the keyboard only", async ({ page, enrolled }) => {
  await page.goto(`${enrolled.url}/login`);
  await tabTo(page, "Username or email", "textbox");
  await page.keyboard.type(enrolled.username);
  await page.keyboard.press("Tab");
  await page.keyboard.type(enrolled.password);
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("6-digit code")).toBeFocused();
  await page.keyboard.type("12");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.keyboard.type(freshCode(enrolled.secret));
  await expect(page).toHaveURL(`${enrolled.url}/`);
});

test("keeps the focus on a button while it is busy and after it is disabled, and sends one request", async ({
  ownerPage: page,
  product,
}) => {
  const bodies: (string | null)[] = [];
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/user/self", async (route) => {
    if (route.request().method() !== "PATCH") return route.continue();
    bodies.push(route.request().postData());
    await isAnswered;
    // Saves the current name, so that other tests find it unchanged.
    return route.continue({ postData: JSON.stringify({ display_name: OWNER.username }) });
  });
  await page.goto(`${product.url}/account`);
  await page.getByLabel("Display name").fill("Olivia Green");
  const save = page.getByRole("button", { name: "Save changes" });
  await tabTo(page, "Save changes");
  await page.keyboard.press("Enter");
  await expect(save).toHaveAttribute("aria-busy", "true");
  await expect(save).toBeDisabled();
  await expect(save).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  answer();
  await expect(page.getByText("Profile saved")).toBeVisible();
  await expect(save).not.toHaveAttribute("aria-busy");
  await expect(save).toBeDisabled();
  await expect(save).toBeFocused();
  expect(bodies).toHaveLength(1);
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Current password")).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(page.getByLabel("Email")).toBeFocused();
});

test("opens pages and actions from the command palette", async ({ ownerPage: page, product }) => {
  await page.goto(product.url);
  await expect(heading(page, "Overview")).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox")).toBeFocused();
  await page.keyboard.type("acc");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${product.url}/account`);
  await expect(page.locator("#content")).toBeFocused();

  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox")).toBeFocused();
  await page.keyboard.type("create");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Create API key" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).toHaveURL(`${product.url}/keys`);
});

test("moves the focus to the page opened by the palette or a two-key shortcut, and back to the opener on the same page", async ({
  ownerPage: page,
  product,
}) => {
  const run = async (command: string) => {
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("combobox")).toBeFocused();
    await page.keyboard.type(command);
    await page.keyboard.press("Enter");
  };
  await page.goto(product.url);
  await page.getByRole("link", { name: "Usage", exact: true }).focus();
  await run("API keys");
  await expect(heading(page, "API keys")).toBeVisible();
  await expect(page.locator("#content")).toBeFocused();

  const opener = page.getByRole("button", { name: "Create API key" });
  await opener.focus();
  await run("Create API key");
  await expect(page.getByRole("dialog", { name: "Create API key" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(opener).toBeFocused();

  await page.getByRole("link", { name: "Models", exact: true }).focus();
  await page.keyboard.type("gu");
  await expect(heading(page, "Usage")).toBeVisible();
  await expect(page.locator("#content")).toBeFocused();
});

test("returns the focus to the button whose dialog was replaced by another", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/keys`);
  const opener = page.getByRole("button", { name: "Create API key" });
  await opener.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByLabel("Name", { exact: true })).toBeFocused();
  await page.keyboard.type("Replaced");
  // A dialog over the first one, which closes before the first is replaced.
  await page.keyboard.press("Escape");
  await page.getByRole("alertdialog").getByRole("button", { name: "Keep editing" }).press("Enter");
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await expect(page.getByRole("dialog").getByLabel("Name", { exact: true })).toBeFocused();
  await page.keyboard.press("Enter");
  const created = page.getByRole("dialog", { name: /^API key created/ });
  await expect(created).toBeVisible();
  await expect(page.locator("[role=dialog]")).toHaveCount(1);
  await created.getByRole("button", { name: "Done" }).press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(opener).toBeFocused();
});

test("returns the focus to the button whose dialog closed below another", async ({
  ownerPage: page,
  product,
}) => {
  for (const name of ["Rotated late", "Saved late"]) await createKey(product.url, product.cookie, { name });
  await page.goto(`${product.url}/keys`);
  const actionsOf = (name: string) => page.getByRole("button", { name: `Actions for ${name}` });
  const choose = async (name: string, action: string) => {
    await actionsOf(name).press("Enter");
    await page.getByRole("menuitem", { name: action }).press("Enter");
  };
  const releaseRotation = await holdRequests(page, "**/api/keys/*/rotate");
  const releaseSave = await holdRequests(page, "**/api/keys/*");
  await choose("Rotated late", "Rotate");
  await page.getByRole("alertdialog").getByRole("button", { name: "Rotate" }).press("Enter");
  await page.keyboard.press("Escape");
  await choose("Saved late", "Edit");
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).press("Enter");
  releaseRotation();
  const secret = page.getByRole("dialog", { name: /Rotated late/ });
  await expect(secret).toBeVisible();
  releaseSave();
  await expect(page.getByText("Saved late saved")).toBeVisible();
  await expect(page.locator("[role=dialog]")).toHaveCount(1);
  await secret.getByRole("button", { name: "Done" }).press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(actionsOf("Saved late")).toBeFocused();
});

test.describe("a 2FA setup that asks for the password again", () => {
  test.use({ allowedConsole: [[/status of 403/], { scope: "test" }] });

  test("returns the focus to the heading of its step", async ({ page, freshProduct }) => {
    await page.route("**/api/user/2fa/setup", async (route) => {
      if (route.request().postDataJSON().password) await route.continue();
      else await route.fulfill({ status: 403, json: { success: false, message: "", code: "forbidden" } });
    });
    await page.goto(`${freshProduct.url}/setup`);
    await goToAdministratorStep(page);
    await createOwner(page);
    await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
    await page.keyboard.press("Enter");
    await shownSecret(page);
    await expect(heading(page, "Set up two-factor authentication")).toBeFocused();
  });
});

test("has the live region of toasts before the first toast", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/channels`);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("region", { name: /^Notifications/ })).toBeAttached();
});

test("offers a skip link on the first Tab", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/keys`);
  await expect(heading(page, "API keys")).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});

test("shows the focused control below the top bar of a narrow screen", async ({
  ownerPage: page,
  product,
}) => {
  await page.setViewportSize({ width: 390, height: 420 });
  await page.goto(`${product.url}/alerts`);
  const save = page.getByRole("button", { name: "Save changes" });
  await save.scrollIntoViewIfNeeded();
  await save.focus();
  const barBottom = 56;
  for (const _ of Array(8)) {
    await page.keyboard.press("Shift+Tab");
    const { top, name } = await page.evaluate(() => ({
      top: document.activeElement?.closest("header")
        ? null
        : document.activeElement?.getBoundingClientRect().top,
      name: document.activeElement?.outerHTML,
    }));
    expect(top ?? barBottom, name).toBeGreaterThanOrEqual(barBottom);
  }
});

test("shows the focused field above the bar of unsaved settings", async ({ ownerPage: page, product }) => {
  await page.setViewportSize({ width: 720, height: 490 });
  await page.goto(`${product.url}/settings?section=security`, { waitUntil: "networkidle" });
  await page.getByRole("textbox", { name: "Admin idle timeout" }).fill("2");
  const bar = page.getByTestId("changes").locator("..");
  await expect(bar).toBeVisible();
  for (const _ of Array(8)) {
    await page.keyboard.press("Tab");
    const hidden = await bar.evaluate((element) => {
      const { activeElement } = document;
      if (!activeElement || activeElement === document.body || element.contains(activeElement)) return false;
      const [field, own] = [activeElement.getBoundingClientRect(), element.getBoundingClientRect()];
      return field.bottom > own.top && field.top < own.bottom;
    });
    expect(hidden, await page.evaluate(() => document.activeElement?.id)).toBe(false);
  }
});

test("names each page of a channel in its title", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/channels`);
  await expect(page).toHaveTitle(/^Channels/);
  await page.getByRole("link", { name: "Add channel" }).first().click();
  await expect(page).toHaveTitle(/^Add a channel/);
  await page.goto(`${product.url}/channels/chn_builtin_embeddings`);
  await expect(page).toHaveTitle(/^Channel ·/);
});
