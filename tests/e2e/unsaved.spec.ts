import type { Page } from "playwright/test";
import { createKey, signIn } from "../support/product";
import { call } from "./console-api";
import { expect, holdRequests, OWNER, signInByCookie, test } from "./fixtures";
import { createUser } from "./users";

const leavePrompt = (page: Page) => page.getByRole("alertdialog", { name: "Discard unsaved changes?" });
const endPrompt = (page: Page) => page.getByRole("alertdialog", { name: "Your session has ended" });
const MONA = { username: "mona", role: "member" } as const;

/** Opens the API keys with this session and waits for the page's event stream. */
async function openLiveKeys(page: Page, url: string, cookie: string): Promise<void> {
  await signInByCookie(page, url, cookie);
  const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
  await page.goto(`${url}/keys`);
  await isLive;
}
const navLink = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const attempts = (page: Page) => page.getByRole("textbox", { name: "Attempts per request" });

async function answer(page: Page, choice: "Keep editing" | "Discard"): Promise<void> {
  await leavePrompt(page).getByRole("button", { name: choice, exact: true }).click();
  await expect(leavePrompt(page)).toHaveCount(0);
}

async function chooseInPalette(page: Page, name: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Commands" }).fill(name);
  await page.getByRole("option", { name }).first().click();
  await expect(page.getByRole("combobox", { name: "Commands" })).toHaveCount(0);
}

/** Opens the keys page, then the limits in the settings, and types an unsaved number. */
async function typeLimit(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/keys`);
  await navLink(page, "Settings").click();
  await page.getByRole("link", { name: "Limits" }).click();
  await attempts(page).click();
  await page.keyboard.type("7");
}

/** Records the browser's own dialogs, which Playwright otherwise dismisses silently. */
function nativeDialogs(page: Page): string[] {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  return dialogs;
}

/** Signs the session out in another browser. */
async function endSession(url: string, cookie: string): Promise<void> {
  const reply = await fetch(`${url}/api/user/logout`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: "{}",
  });
  expect(reply.status).toBe(200);
}

test("keeps unsaved input of a settings section and marks the section", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/settings?section=limits`);
  await attempts(page).fill("7");
  await page.getByRole("link", { name: "General" }).click();
  await expect(page.getByRole("heading", { name: "Access" })).toBeVisible();
  await expect(attempts(page)).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Limits unsaved" })).toBeVisible();
  await expect(page.getByRole("link", { name: "General", exact: true })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  const sections = page.getByRole("combobox", { name: "Settings sections" });
  await expect(sections.getByRole("option", { name: "Limits · unsaved" })).toHaveCount(1);
  await sections.selectOption("limits");
  await expect(attempts(page)).toHaveValue("7");
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(sections.getByRole("option", { name: "Limits", exact: true })).toHaveCount(1);
  await expect(leavePrompt(page)).toHaveCount(0);
});

test("asks before a link, the palette or Back leaves unsaved changes", async ({
  ownerPage: page,
  product,
}) => {
  await typeLimit(page, product.url);
  await navLink(page, "Users").click();
  await expect(leavePrompt(page)).toContainText("Unsaved changes in: Limits.");
  await expect(leavePrompt(page).getByRole("button", { name: "Keep editing" })).toBeFocused();
  await answer(page, "Keep editing");

  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Commands" })).toBeFocused();
  await page.keyboard.type("audit");
  await page.keyboard.press("Enter");
  await answer(page, "Keep editing");

  // The previous section is on the same page: going back loses nothing.
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Access" })).toBeVisible();
  await page.goBack();
  await expect(leavePrompt(page)).toBeVisible();
  await expect(page).toHaveURL(`${product.url}/settings`);
  await answer(page, "Keep editing");
  await page.getByRole("link", { name: "Limits" }).click();
  await expect(attempts(page)).toHaveValue("7");

  await navLink(page, "Users").click();
  await answer(page, "Discard");
  await expect(heading(page, "Users")).toBeVisible();
  await navLink(page, "API keys").click();
  await expect(heading(page, "API keys")).toBeVisible();
});

test("goes back after the user confirms leaving", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/keys`);
  await navLink(page, "Account").click();
  await page.getByLabel("Display name").fill("Olivia Q.");
  await page.goBack();
  await expect(leavePrompt(page)).toContainText("Profile");
  await answer(page, "Discard");
  await expect(heading(page, "API keys")).toBeVisible();
  await expect(page).toHaveURL(`${product.url}/keys`);
});

test("asks from the menu on a phone, with the menu closed", async ({ ownerPage: page, product }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${product.url}/alerts`);
  await page.getByRole("textbox", { name: "Signed webhook" }).fill("https://hooks.example.com/alerts");
  await page.getByRole("button", { name: "Open menu" }).click();
  await navLink(page, "Models").click();
  await expect(leavePrompt(page)).toContainText("Rules");
  await expect(navLink(page, "Models")).toHaveCount(0);
  await answer(page, "Keep editing");
  await expect(page.getByRole("textbox", { name: "Signed webhook" })).toHaveValue(
    "https://hooks.example.com/alerts",
  );
});

test("asks about typed input of a new channel, but not about the chosen provider", async ({
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
  await page.getByLabel(/^Upstream key/).fill("sk-unsaved");
  await cancel.click();
  await expect(leavePrompt(page)).toContainText("Unsaved changes in: Add a channel.");
  await answer(page, "Discard");
  await expect(heading(page, "Channels")).toBeVisible();
});

test("keeps a dialog's input when Back or the palette changes the URL of the same page", async ({
  ownerPage: page,
  product,
}) => {
  await createKey(product.url, product.cookie, { name: "Front desk" });
  for (const [path, nav, action, found] of [
    ["/keys", "API keys", "Create API key", "Front desk"],
    ["/users", "Users", "Invite user", OWNER.username],
    ["/models", "Models", "Add model", "patchbay-embed"],
  ] as const) {
    const input = page.getByRole("dialog").getByRole("textbox").first();
    await page.goto(`${product.url}/alerts`);
    await navLink(page, nav).click();
    await expect(heading(page, nav)).toBeVisible();
    if (path === "/models") await page.getByRole("button", { name: action }).click();
    else {
      await chooseInPalette(page, action);
      await expect(input).toBeVisible();
      // The dialog's own history entry has the address of the page.
      await expect(page).toHaveURL(product.url + path);
      await input.fill("typed");
      await page.goBack();
      await expect(input).toHaveValue("typed");
    }
    await input.fill("typed");
    await chooseInPalette(page, found);
    await expect(page).toHaveURL(/[?](q|model)=/);
    await expect(input).toHaveValue("typed");
    await page.goBack();
    await expect(page).toHaveURL(product.url + path);
    await expect(input).toHaveValue("typed");
    await page.goBack();
    await answer(page, "Discard");
    await expect(heading(page, "Alerts")).toBeVisible();
  }
});

test("asks before a secret that is being created is lost, also after its dialog was closed", async ({
  ownerPage: page,
  product,
}) => {
  await createKey(product.url, product.cookie, { name: "Left rotation" });
  const release = await holdRequests(page, "**/api/keys/*/rotate");
  await page.goto(`${product.url}/keys`);
  await page.getByRole("button", { name: "Actions for Left rotation" }).click();
  await page.getByRole("menuitem", { name: "Rotate" }).click();
  await page.getByRole("button", { name: "Rotate API key" }).click();
  await page.keyboard.press("Escape");
  await navLink(page, "Settings").click();
  await expect(leavePrompt(page)).toContainText("Unsaved changes in: Rotate API key.");
  release();
  await expect(page.getByTestId("api-key")).toBeVisible();
  await expect(leavePrompt(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Done" }).click();
});

test("opens the dialog named in the URL only once", async ({ ownerPage: page, product }) => {
  for (const [path, param, button] of [
    ["/keys", "create", "Create API key"],
    ["/users", "invite", "Invite user"],
    ["/models", "create", "Add model"],
  ] as const) {
    const dialog = page.getByRole("dialog");
    await page.goto(`${product.url}${path}?${param}=1`);
    await expect(dialog).toBeVisible();
    await expect(page).toHaveURL(product.url + path);
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    await navLink(page, "Logs").click();
    await expect(heading(page, "Logs")).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(product.url + path);
    await expect(page.getByRole("button", { name: button })).toBeVisible();
    await expect(dialog).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole("button", { name: button })).toBeVisible();
    await expect(dialog).toHaveCount(0);
  }
});

test("does not ask about changes that were saved", async ({ ownerPage: page, product }) => {
  const dialogs = nativeDialogs(page);
  const name = page.getByLabel("Name", { exact: true });
  for (const [before, after] of [
    ["Built-in speech", "Built-in voices"],
    ["Built-in voices", "Built-in speech"],
  ] as const) {
    await page.goto(`${product.url}/channels/chn_builtin_speech/edit`);
    await expect(name).toHaveValue(before);
    await name.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type(after);
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(heading(page, after)).toBeVisible();
    await expect(leavePrompt(page)).toHaveCount(0);
  }
  expect(dialogs).toEqual([]);
});

test("shows the browser's own prompt on reload while something is unsaved", async ({
  ownerPage: page,
  product,
}) => {
  const dialogs = nativeDialogs(page);
  await typeLimit(page, product.url);
  await page.reload();
  expect(dialogs).toEqual(["beforeunload"]);
  await attempts(page).click();
  await page.keyboard.type("7");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.reload();
  expect(dialogs).toEqual(["beforeunload"]);
});

test.describe("the end of a session", () => {
  // Requests between the end of the session and the redirect are refused.
  test.use({ allowedConsole: [[/status of 401/], { scope: "test" }] });

  test("by signing out does not ask about unsaved changes", async ({ page, product }) => {
    await signInByCookie(page, product.url, await signIn(product.url, OWNER));
    const dialogs = nativeDialogs(page);
    await typeLimit(page, product.url);
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/login/);
    expect(dialogs).toEqual([]);
    await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
    await expect(page.getByText("Your session has ended. Sign in to continue.")).toHaveCount(0);
  });

  test("from elsewhere leaves for sign-in without unsaved changes", async ({ page, product }) => {
    const cookie = await signIn(product.url, OWNER);
    await openLiveKeys(page, product.url, cookie);
    await endSession(product.url, cookie);
    await expect(page).toHaveURL(`${product.url}/login?return_to=%2Fkeys&reason=ended`);
  });

  test("by another user's sign-in in a second tab shows that user's console in the first", async ({
    page,
    product,
  }) => {
    const olivias = await signIn(product.url, OWNER);
    const { id, cookie } = await createUser(product.url, product.cookie, MONA);
    await openLiveKeys(page, product.url, olivias);
    await signInByCookie(page, product.url, cookie);
    await endSession(product.url, olivias);
    await expect(page.getByRole("button", { name: "Account menu: mona" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Channels" })).toHaveCount(0);
    await page.goto("about:blank");
    await call(product.url, product.cookie, "DELETE", `/api/users/${id}`);
  });

  test("hides a user's playground texts from the tab's next user", async ({ page, product }) => {
    const olivias = await signIn(product.url, OWNER);
    const { id, cookie } = await createUser(product.url, product.cookie, MONA);
    await signInByCookie(page, product.url, olivias);
    await page.goto(`${product.url}/playground/speech`);
    const text = page.getByRole("textbox", { name: "Text to speak" });
    await text.fill("Olivia's secret plan");
    await expect
      .poll(() => page.evaluate(() => JSON.stringify({ ...sessionStorage })))
      .toContain("secret plan");
    await page.reload();
    await expect(text).toHaveValue("Olivia's secret plan");
    // A page that notices the end of its session redirects to sign-in, which would abort the next visit.
    await page.goto("about:blank");
    await endSession(product.url, olivias);
    await signInByCookie(page, product.url, cookie);
    await page.goto(`${product.url}/playground/speech`);
    await expect(text).not.toHaveValue(/secret/);
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("secret plan");
    await page.goto("about:blank");
    await call(product.url, product.cookie, "DELETE", `/api/users/${id}`);
  });

  test("by another user's sign-in keeps a dialog's input and the new key, then shows that user's console", async ({
    page,
    product,
  }) => {
    const olivias = await signIn(product.url, OWNER);
    const { id, cookie } = await createUser(product.url, product.cookie, MONA);
    await openLiveKeys(page, product.url, olivias);
    await page.getByRole("button", { name: "Create API key" }).first().click();
    const name = page.getByRole("dialog").getByLabel("Name", { exact: true });
    await name.fill("Kept");
    await signInByCookie(page, product.url, cookie);
    await endSession(product.url, olivias);
    const prompt = page.getByRole("alertdialog", { name: "Another user has signed in" });
    await prompt.getByRole("button", { name: "Keep editing" }).click();
    await expect(prompt).toHaveCount(0);
    await expect(name).toHaveValue("Kept");
    const loads: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest()) loads.push(request.url());
    });
    await page.getByRole("dialog").getByRole("button", { name: "Create API key" }).click();
    const created = page.getByRole("dialog", { name: /^API key created/ });
    await expect(created).toBeVisible();
    expect(loads).toEqual([]);
    await created.getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("button", { name: "Account menu: mona" })).toBeVisible();
    await page.goto("about:blank");
    await call(product.url, product.cookie, "DELETE", `/api/users/${id}`);
  });

  test("from elsewhere keeps a dialog's input while the user signs in in a new tab", async ({
    page,
    product,
  }) => {
    const cookie = await signIn(product.url, OWNER);
    await openLiveKeys(page, product.url, cookie);
    await page.getByRole("button", { name: "Create API key" }).first().click();
    const name = page.getByRole("dialog").getByLabel("Name", { exact: true });
    await name.fill("Kept");
    await endSession(product.url, cookie);

    await expect(endPrompt(page)).toContainText("Unsaved changes in: Create API key.");
    const opened = page.waitForEvent("popup");
    await endPrompt(page).getByRole("button", { name: "Sign in in a new tab" }).click();
    const tab = await opened;
    await tab.getByLabel("Username or email").fill(OWNER.username);
    await tab.getByLabel("Password", { exact: true }).fill(OWNER.password);
    await tab.getByRole("button", { name: "Sign in" }).click();
    await expect(heading(tab, "Overview")).toBeVisible();
    await tab.close();

    await expect(endPrompt(page)).toHaveCount(0);
    await expect(name).toHaveValue("Kept");
    await page.getByRole("dialog").getByRole("button", { name: "Create API key" }).click();
    await expect(page.getByText("Kept").first()).toBeVisible();
    await expect(page.getByRole("heading", { name: "API key created" })).toBeVisible();
  });

  test("is given as the reason on the sign-in page when a page is opened with the old cookie", async ({
    page,
    product,
  }) => {
    await page.goto(`${product.url}/keys`);
    await expect(page).toHaveURL(`${product.url}/login?return_to=%2Fkeys`);
    const reason = page.getByText("Your session has ended. Sign in to continue.");
    await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
    await expect(reason).toHaveCount(0);
    const cookie = await signIn(product.url, OWNER);
    await signInByCookie(page, product.url, cookie);
    await endSession(product.url, cookie);
    await page.goto(`${product.url}/keys`);
    await expect(page).toHaveURL(`${product.url}/login?return_to=%2Fkeys&reason=ended`);
    await expect(reason).toBeVisible();
    await page.getByLabel("Username or email").fill(OWNER.username);
    await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(`${product.url}/keys`);
  });

  test("offers sign-in in a form that cannot be saved, and keeps its input", async ({ page, product }) => {
    const cookie = await signIn(product.url, OWNER);
    await signInByCookie(page, product.url, cookie);
    // Without the event stream only the save notices the end.
    await page.route("**/api/events", (route) => route.abort());
    await page.goto(`${product.url}/channels/chn_builtin_speech/edit`);
    await page.getByLabel("Name", { exact: true }).fill("House voices");
    await endSession(product.url, cookie);
    await page.getByRole("button", { name: "Save changes" }).click();
    const error = page.getByRole("alert").filter({ hasText: "Your session has ended. Sign in to continue." });
    await error.getByRole("button", { name: "Sign in" }).click();
    await endPrompt(page).getByRole("button", { name: "Keep editing" }).click();
    await expect(endPrompt(page)).toHaveCount(0);
    await signInByCookie(page, product.url, await signIn(product.url, OWNER));
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(heading(page, "House voices")).toBeVisible();
    await page.goto(`${product.url}/channels/chn_builtin_speech/edit`);
    await page.getByLabel("Name", { exact: true }).fill("Built-in speech");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(heading(page, "Built-in speech")).toBeVisible();
  });
});
