import { setTimeout } from "node:timers/promises";
import type { Browser, Page } from "playwright/test";
import { totpCode } from "../support/totp";
import { test as base, expect, openOtherBrowser, waitForHydration } from "./fixtures";
import { createUser, PASSWORD } from "./users";

const STEP_MS = 30_000;

/** Name and password of an account. */
interface Credentials {
  username: string;
  password: string;
}

/** A new administrator of the worker's instance, with a session. */
interface Account extends Credentials {
  url: string;
  cookie: string;
}

/** An account with 2FA enabled, with the TOTP secret and the backup codes. */
interface Enrolled extends Account {
  secret: string;
  backupCodes: string[];
}

/** POSTs to the console API with a session and returns `data`. Throws with the message of an error response. */
export async function call<T>(url: string, cookie: string, path: string, body: unknown): Promise<T> {
  const reply = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify(body),
  });
  // The console API's envelope.
  const envelope = (await reply.json()) as { success: boolean; message: string; data: T };
  if (!envelope.success) throw new Error(`${path}: ${envelope.message}`);
  return envelope.data;
}

let accounts = 0;

/** `account`: an administrator for one test alone. `enrolled`: the same with 2FA enabled. */
export const test = base.extend<{ account: Account; enrolled: Enrolled }>({
  // Depends on `page`, so that the page can leave before its user is deleted.
  account: async ({ page, product }, use) => {
    const { url } = product;
    accounts += 1;
    const username = `olivia-${accounts}`;
    const { id, cookie } = await createUser(url, product.cookie, { username, role: "admin" });
    await use({ url, username, password: PASSWORD, cookie });
    await page.goto("about:blank");
    const removed = await fetch(`${url}/api/users/${id}`, {
      method: "DELETE",
      headers: { cookie: product.cookie },
    });
    expect(removed.status).toBe(200);
  },
  enrolled: async ({ account }, use) => {
    const { url, cookie } = account;
    const { secret } = await call<{ secret: string }>(url, cookie, "/api/user/2fa/setup", {});
    // Uses the previous TOTP code, so that tests can use the current one. Near the end of a step, the previous code
    // could arrive too late.
    await untilFarFromStepEnd();
    const code = totpCode(secret, Date.now() - STEP_MS);
    const { backup_codes } = await call<{ backup_codes: string[] }>(url, cookie, "/api/user/2fa/enable", {
      code,
    });
    await use({ ...account, secret, backupCodes: backup_codes });
  },
});

/** A valid unused TOTP code. `ahead`: 1 if the current one was used; the server accepts one step ahead. */
export function freshCode(secret: string, ahead: 0 | 1 = 0): string {
  return totpCode(secret, Date.now() + ahead * STEP_MS);
}

/** Waits for the next 30 s TOTP step if less than 8 s are left of this one. */
async function untilFarFromStepEnd(): Promise<void> {
  const leftMs = STEP_MS - (Date.now() % STEP_MS);
  if (leftMs < 8_000) await setTimeout(leftMs);
}

/** A code that is wrong in the current and neighbouring steps. */
export function wrongCode(secret: string): string {
  const right = new Set([-2, -1, 0, 1, 2].map((step) => totpCode(secret, Date.now() + step * STEP_MS)));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((one) => !right.has(one)) ?? "";
}

/** Submits username and password on the sign-in page. */
export async function enterPassword(page: Page, { username, password }: Credentials): Promise<void> {
  // The page may have been redirected to sign-in, without a `goto` that waits for hydration.
  const name = page.getByLabel("Username or email");
  await name.waitFor();
  await waitForHydration(page);
  await name.fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Opens the account menu. Clicks before hydration do nothing, so it retries until the menu is open. */
export async function openAccountMenu(page: Page): Promise<void> {
  const trigger = page.getByRole("button", { name: /^(?:Account menu|账户菜单)/ });
  const menu = page.getByRole("menu");
  await expect(async () => {
    // A click that timed out may still have opened the menu, which then hides the trigger.
    if (!(await menu.isVisible())) await trigger.click({ timeout: 2_000 });
    await expect(menu).toBeVisible({ timeout: 2_000 });
  }).toPass();
}

/** A page in another browser context, signed in to the account. */
export async function signInElsewhere(browser: Browser, account: Account): Promise<Page> {
  const page = await openOtherBrowser(browser);
  await page.goto(`${account.url}/login`);
  await enterPassword(page, account);
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  return page;
}

export { expect };
