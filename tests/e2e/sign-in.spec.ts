import type { Page } from "playwright/test";
import { enterPassword, expect, freshCode, openAccountMenu, test, wrongCode } from "./enrolled";
import { OWNER, openBeforeHydration } from "./fixtures";

test("submits a complete 6-digit code and opens the requested page", async ({ page, enrolled }) => {
  await page.goto(`${enrolled.url}/keys?q=radio#below`);
  await expect(page).toHaveURL(/\/login\?return_to=%2Fkeys%3Fq%3Dradio#below$/);
  await enterPassword(page, enrolled);
  const boxes = page.getByLabel("6-digit code");
  await expect(boxes).toBeFocused();
  await expect(boxes).toHaveAttribute("autocomplete", "one-time-code");
  await page.keyboard.type(freshCode(enrolled.secret));
  await expect(page).toHaveURL(`${enrolled.url}/keys?q=radio#below`);
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
});

test("accepts a pasted code that contains a space", async ({ page, enrolled, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${enrolled.url}/login`);
  await enterPassword(page, enrolled);
  await expect(page.getByLabel("6-digit code")).toBeFocused();
  const code = freshCode(enrolled.secret);
  await page.evaluate((text) => navigator.clipboard.writeText(text), `${code.slice(0, 3)} ${code.slice(3)}`);
  await page.keyboard.press("Control+v");
  await expect(page).toHaveURL(`${enrolled.url}/`);
});

test("never redirects to another site after sign-in", async ({ page, account }) => {
  await page.goto(`${account.url}/login?return_to=${encodeURIComponent("//evil.example/keys")}`);
  await enterPassword(page, account);
  await expect(page).toHaveURL(`${account.url}/`);
});

test("asks for JavaScript where it is turned off", async ({ browser, product }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(`${product.url}/login`);
  // Located by its element, because Playwright finds no text in a `noscript`.
  await expect(page.locator("noscript p")).toBeVisible();
  await context.close();
});

test("outlines the focused code field in a contrast theme", async ({ page, enrolled }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto(`${enrolled.url}/login`);
  await enterPassword(page, enrolled);
  await expect(page.getByLabel("6-digit code")).toBeFocused();
  await expect(page.locator("[data-slot=code-input]")).toHaveCSS("outline-style", "dashed");
});

test("sends nothing before hydration and keeps what was typed", async ({ page, product }) => {
  const leaks: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("kettles")) leaks.push(request.url());
  });
  const releaseScripts = await openBeforeHydration(page, `${product.url}/login`);
  await page.getByLabel("Username or email").fill(OWNER.username);
  await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Sign in", exact: true }).click({ noWaitAfter: true });
  releaseScripts();
  await page.waitForFunction(() =>
    Object.keys(document.querySelector("form") ?? {}).some((name) => name.startsWith("__reactProps$")),
  );
  await expect(page.getByLabel("Username or email")).toHaveValue(OWNER.username);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(`${product.url}/`);
  expect(leaks).toEqual([]);
});

test("submits a code that was typed before hydration", async ({ page, enrolled }) => {
  await page.goto(`${enrolled.url}/login`);
  await enterPassword(page, enrolled);
  await expect(page).toHaveURL(/\/login\/2fa$/);
  const releaseScripts = await openBeforeHydration(page, `${enrolled.url}/login/2fa?return_to=%2Fkeys`);
  await page.getByLabel("6-digit code").pressSequentially(freshCode(enrolled.secret));
  releaseScripts();
  await expect(page).toHaveURL(`${enrolled.url}/keys`);
});

test.describe("a browser that refuses the session cookie", () => {
  test.use({ allowedConsole: [[/status of 401/], { scope: "test" }] });

  /** Drops the cookies of the replies to a path. */
  async function refuseCookies(page: Page, path: string): Promise<void> {
    await page.route(`**${path}`, async (route) => {
      const cookies = await page.context().cookies();
      const response = await route.fetch();
      const { "set-cookie": _refused, ...headers } = response.headers();
      // `fetch` stores the cookies of its reply, as a browser does.
      await page.context().clearCookies();
      await page.context().addCookies(cookies);
      await route.fulfill({ response, headers });
    });
  }

  test("explains it after the right password", async ({ page, account }) => {
    await refuseCookies(page, "/api/user/login");
    await page.goto(`${account.url}/login`);
    await enterPassword(page, account);
    await expect(
      page.getByRole("alert").filter({ hasText: "did not keep the session cookie" }),
    ).toBeVisible();
    await expect(page.getByLabel("Username or email")).toHaveValue(account.username);
  });

  test("explains it after the right password of an account with 2FA", async ({ page, enrolled }) => {
    await refuseCookies(page, "/api/user/login");
    await page.goto(`${enrolled.url}/login`);
    await enterPassword(page, enrolled);
    await expect(page).toHaveURL(/\/login\?reason=noCookie$/);
    await expect(page.getByText("did not keep the session cookie")).toBeVisible();
    await expect(page.getByLabel("Username or email")).toHaveValue(enrolled.username);
  });

  test("explains it after the right code", async ({ page, enrolled }) => {
    await refuseCookies(page, "/api/user/login/2fa");
    await page.goto(`${enrolled.url}/login`);
    await enterPassword(page, enrolled);
    await page.getByLabel("6-digit code").fill(freshCode(enrolled.secret));
    await expect(
      page.getByRole("alert").filter({ hasText: "did not keep the session cookie" }),
    ).toBeVisible();
  });
});

test.describe("wrong credentials", () => {
  test.use({ allowedConsole: [[/status of 4(?:01|29)/], { scope: "test" }] });

  test("shows a wrong password, keeps the username and focuses the password field", async ({
    page,
    account,
  }) => {
    await page.goto(`${account.url}/login`);
    await enterPassword(page, { ...account, password: "not the password" });
    await expect(page.getByRole("alert").filter({ hasText: "Incorrect username or password" })).toBeVisible();
    await expect(page.getByLabel("Username or email")).toHaveValue(account.username);
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
    await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
  });

  test("announces a lock-out once after ten wrong passwords and counts down", async ({ page, account }) => {
    await page.goto(`${account.url}/login`);
    const submit = page.getByRole("button", { name: "Sign in", exact: true });
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const reply = page.waitForResponse(/\/api\/user\/login$/);
      await enterPassword(page, { ...account, password: `wrong ${attempt}` });
      await reply;
      await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
    }
    await enterPassword(page, account);
    const announced = page.getByRole("alert").filter({ hasText: "Too many attempts" });
    await expect(announced).toHaveText(/^Too many attempts. Try again in 0:[0-3]\d\.$/);
    const text = (await announced.textContent()) ?? "";
    const countdown = page.locator("[data-slot=notice]").filter({ hasText: "Too many attempts" });
    await expect(countdown).not.toHaveText(text);
    await expect(countdown).not.toHaveAttribute("role");
    await expect(announced).toHaveText(text);
    await expect(submit).toBeDisabled();
    await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
  });

  test("accepts a backup code once, in lower case and with a space", async ({ page, enrolled }) => {
    const [code = ""] = enrolled.backupCodes;
    await page.goto(`${enrolled.url}/login`);
    await enterPassword(page, enrolled);
    await page.getByRole("button", { name: "Use a backup code" }).click();
    await page.getByLabel("Backup code").fill("too short");
    await page.keyboard.press("Enter");
    await expect(page.getByText(/A backup code has ten letters/)).toBeVisible();
    await page.getByLabel("Backup code").fill(code.toLowerCase().replace("-", " "));
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(`${enrolled.url}/`);

    await openAccountMenu(page);
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/login$/);
    await enterPassword(page, enrolled);
    await page.getByRole("button", { name: "Use a backup code" }).click();
    await page.getByLabel("Backup code").fill(code);
    await page.keyboard.press("Enter");
    await expect(page.getByText("Incorrect backup code. 4 attempts left.")).toBeVisible();
  });

  test("counts down wrong codes, restarts the sign-in and locks 2FA", async ({ page, enrolled }) => {
    const wrong = wrongCode(enrolled.secret);
    const typeWrong = async () => {
      await expect(page.getByLabel("6-digit code")).toBeFocused();
      await page.keyboard.type(wrong);
    };
    await page.goto(`${enrolled.url}/login?return_to=%2Fkeys`);
    for (const round of [1, 2]) {
      await enterPassword(page, enrolled);
      for (const left of ["4 attempts", "3 attempts", "2 attempts", "One attempt"]) {
        await typeWrong();
        await expect(page.getByText(`Incorrect code. ${left} left.`)).toBeVisible();
      }
      await typeWrong();
      await expect(page.getByText("Too many wrong codes. Enter your password again.")).toBeVisible();
      await expect(page, `round ${round}`).toHaveURL(/\/login\?reason=spent&return_to=%2Fkeys$/);
      await expect(page.getByLabel("Username or email")).toHaveValue(enrolled.username);
      await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
    }
    await enterPassword(page, enrolled);
    await expect(page.getByLabel("6-digit code")).toBeFocused();
    await page.keyboard.type(freshCode(enrolled.secret));
    const announced = page.getByRole("alert").filter({ hasText: "Too many attempts" });
    await expect(announced).toHaveText(/^Too many attempts. Try again in 1[45]:\d\d\.$/);
    await expect(page.getByLabel("6-digit code")).toBeDisabled();
    await expect(page.getByLabel("6-digit code")).not.toBeEditable();
    await expect(page.getByLabel("6-digit code")).toBeFocused();
    await page.getByRole("button", { name: "Use a backup code" }).press("Enter");
    await expect(page.getByLabel("Backup code")).toBeFocused();
    await expect(page.getByLabel("Backup code")).toBeDisabled();
    await expect(announced).toBeAttached();
  });

  test("focuses the username when another account is used", async ({ page, enrolled }) => {
    await page.goto(`${enrolled.url}/login`);
    await enterPassword(page, enrolled);
    await page.getByRole("button", { name: "Use another account" }).press("Enter");
    await expect(page).toHaveURL(/\/login$/);
    await expect(page.getByLabel("Username or email")).toBeFocused();
    await expect(page.getByLabel("Username or email")).toHaveValue("");
  });

  test("restarts an expired sign-in with a message and the username", async ({ page, enrolled, context }) => {
    await page.goto(`${enrolled.url}/login?return_to=%2Faccount`);
    await enterPassword(page, enrolled);
    await expect(page.getByLabel("6-digit code")).toBeFocused();
    await context.clearCookies({ name: /pending/ });
    await page.keyboard.type(freshCode(enrolled.secret));
    await expect(page.getByText("Sign-in timed out.")).toBeVisible();
    await expect(page.getByLabel("Username or email")).toHaveValue(enrolled.username);
    await enterPassword(page, enrolled);
    await expect(page.getByLabel("6-digit code")).toBeFocused();
    await page.keyboard.type(freshCode(enrolled.secret));
    await expect(page).toHaveURL(`${enrolled.url}/account`);
  });
});

test("accepts a code in a browser whose clock is ten minutes ahead", async ({ page, enrolled }) => {
  await page.clock.install({ time: Date.now() + 10 * 60_000 });
  await page.goto(`${enrolled.url}/login`);
  await enterPassword(page, enrolled);
  await expect(page.getByLabel("6-digit code")).toBeFocused();
  await page.keyboard.type(freshCode(enrolled.secret));
  await expect(page).toHaveURL(`${enrolled.url}/`);
});

test("counts down the last minute of a sign-in and then restarts it", async ({ page, enrolled }) => {
  await page.clock.install();
  await page.goto(`${enrolled.url}/login`);
  await enterPassword(page, enrolled);
  await expect(page.getByLabel("6-digit code")).toBeFocused();
  await page.clock.fastForward("04:10");
  await expect(page.getByText(/left to enter the code/)).toBeVisible();
  await page.clock.fastForward("01:00");
  await expect(page.getByText("Sign-in timed out.")).toBeVisible();
});
