import { enterPassword, expect, freshCode, OWNER, openAccountMenu, test, wrongCode } from "./enrolled";

test("six digits sign in by themselves and lead to the page first asked for", async ({ page, enrolled }) => {
  await page.goto(`${enrolled.url}/keys?q=lamp#below`);
  await expect(page).toHaveURL(/\/login\?return_to=%2Fkeys%3Fq%3Dlamp#below$/);
  await enterPassword(page);
  const boxes = page.getByLabel("6-digit code");
  await expect(boxes).toBeFocused();
  await expect(boxes).toHaveAttribute("autocomplete", "one-time-code");
  await page.keyboard.type(freshCode(enrolled.secret));
  await expect(page).toHaveURL(`${enrolled.url}/keys?q=lamp#below`);
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
});

test("a code is taken from the clipboard with the space some apps put in it", async ({
  page,
  enrolled,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${enrolled.url}/login`);
  await enterPassword(page);
  await expect(page.getByLabel("6-digit code")).toBeFocused();
  const code = freshCode(enrolled.secret);
  await page.evaluate((text) => navigator.clipboard.writeText(text), `${code.slice(0, 3)} ${code.slice(3)}`);
  await page.keyboard.press("Control+v");
  await expect(page).toHaveURL(`${enrolled.url}/`);
});

test("no address makes the sign-in lead to another site", async ({ page, ownProduct }) => {
  await page.goto(`${ownProduct.url}/login?return_to=${encodeURIComponent("//evil.example/keys")}`);
  await enterPassword(page);
  await expect(page).toHaveURL(`${ownProduct.url}/`);
});

test("what is typed and sent before the page listens goes nowhere, and is not lost", async ({
  page,
  product,
}) => {
  let wake = (): void => undefined;
  const isAwake = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await isAwake;
    await route.continue();
  });
  const leaks: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("kettles")) leaks.push(request.url());
  });
  // Not `goto`: the page never finishes while its script is held.
  await page.evaluate((url) => window.location.assign(url), `${product.url}/login`).catch(() => undefined);
  await page.getByLabel("Username or email").fill(OWNER.username);
  await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Sign in", exact: true }).click({ noWaitAfter: true });
  wake();
  await page.waitForFunction(() =>
    Object.keys(document.querySelector("form") ?? {}).some((name) => name.startsWith("__reactProps$")),
  );
  await expect(page.getByLabel("Username or email")).toHaveValue(OWNER.username);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(`${product.url}/`);
  expect(leaks).toEqual([]);
});

test.describe("what is refused", () => {
  test.use({ allowedConsole: [[/status of 4(?:01|29)/], { scope: "test" }] });

  test("a wrong password is told, the name stays and the cursor is where one types again", async ({
    page,
    ownProduct,
  }) => {
    await page.goto(`${ownProduct.url}/login`);
    await enterPassword(page, "not the password");
    await expect(page.getByRole("alert").filter({ hasText: "Incorrect username or password" })).toBeVisible();
    await expect(page.getByLabel("Username or email")).toHaveValue(OWNER.username);
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
    await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
  });

  test("ten wrong passwords are followed by a wait that counts down", async ({ page, ownProduct }) => {
    await page.goto(`${ownProduct.url}/login`);
    const submit = page.getByRole("button", { name: "Sign in", exact: true });
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const reply = page.waitForResponse(/\/api\/user\/login$/);
      await enterPassword(page, `wrong ${attempt}`);
      await reply;
      await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
    }
    await enterPassword(page);
    await expect(page.getByText(/Try again in 0:[0-3]\d\./)).toBeVisible();
    await expect(submit).toBeDisabled();
  });

  test("a backup code signs in once, in whatever way it is typed, and never again", async ({
    page,
    enrolled,
  }) => {
    const [code = ""] = enrolled.backupCodes;
    await page.goto(`${enrolled.url}/login`);
    await enterPassword(page);
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
    await enterPassword(page);
    await page.getByRole("button", { name: "Use a backup code" }).click();
    await page.getByLabel("Backup code").fill(code);
    await page.keyboard.press("Enter");
    await expect(page.getByText("Incorrect backup code. 4 attempts left.")).toBeVisible();
  });

  test("wrong codes count down, start the sign-in again, and lock the second step for a while", async ({
    page,
    enrolled,
  }) => {
    const wrong = wrongCode(enrolled.secret);
    const typeWrong = async () => {
      await expect(page.getByLabel("6-digit code")).toBeFocused();
      await page.keyboard.type(wrong);
    };
    await page.goto(`${enrolled.url}/login?return_to=%2Fkeys`);
    for (const round of [1, 2]) {
      await enterPassword(page);
      for (const left of ["4 attempts", "3 attempts", "2 attempts", "One attempt"]) {
        await typeWrong();
        await expect(page.getByText(`Incorrect code. ${left} left.`)).toBeVisible();
      }
      await typeWrong();
      await expect(page.getByText("Too many wrong codes. Enter your password again.")).toBeVisible();
      await expect(page, `round ${round}`).toHaveURL(/\/login\?reason=spent&return_to=%2Fkeys$/);
      await expect(page.getByLabel("Username or email")).toHaveValue(OWNER.username);
      await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
    }
    await enterPassword(page);
    await expect(page.getByLabel("6-digit code")).toBeFocused();
    await page.keyboard.type(freshCode(enrolled.secret));
    await expect(page.getByText(/Try again in 1[45]:\d\d\./)).toBeVisible();
    await expect(page.getByLabel("6-digit code")).toBeDisabled();
  });

  test("a sign-in whose time is up starts again with a word and the name kept", async ({
    page,
    enrolled,
    context,
  }) => {
    await page.goto(`${enrolled.url}/login?return_to=%2Faccount`);
    await enterPassword(page);
    await expect(page.getByLabel("6-digit code")).toBeFocused();
    await context.clearCookies({ name: /pending/ });
    await page.keyboard.type(freshCode(enrolled.secret));
    await expect(page.getByText("Sign-in timed out.")).toBeVisible();
    await expect(page.getByLabel("Username or email")).toHaveValue(OWNER.username);
    await enterPassword(page);
    await expect(page.getByLabel("6-digit code")).toBeFocused();
    await page.keyboard.type(freshCode(enrolled.secret));
    await expect(page).toHaveURL(`${enrolled.url}/account`);
  });
});

test("the last minute of a sign-in is counted down, then it starts again by itself", async ({
  page,
  enrolled,
}) => {
  await page.clock.install();
  await page.goto(`${enrolled.url}/login`);
  await enterPassword(page);
  await expect(page.getByLabel("6-digit code")).toBeFocused();
  await page.clock.fastForward("04:10");
  await expect(page.getByText(/left to enter the code/)).toBeVisible();
  await page.clock.fastForward("01:00");
  await expect(page.getByText("Sign-in timed out.")).toBeVisible();
});
