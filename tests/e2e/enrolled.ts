import { setTimeout } from "node:timers/promises";
import type { Browser, Page } from "playwright/test";
import { OWNER, type Product, setUp, startProduct } from "../support/product";
import { totpCode } from "../support/totp";
import { test as base, elsewhere, expect, untilAwake } from "./fixtures";

const STEP_MS = 30_000;

/** A product whose owner has a second factor, with what proves it. */
export interface Enrolled {
  url: string;
  secret: string;
  backupCodes: string[];
}

/** A call of the console's interface with a session; its `data`. Throws with the message of a refusal. */
export async function call<T>(url: string, cookie: string, path: string, body: unknown): Promise<T> {
  const reply = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify(body),
  });
  // The console's envelope, as CONTRACT §1 gives it.
  const envelope = (await reply.json()) as { success: boolean; message: string; data: T };
  if (!envelope.success) throw new Error(`${path}: ${envelope.message}`);
  return envelope.data;
}

/** `ownProduct`: set up, for one test alone. `enrolled`: with the second factor on besides. */
export const test = base.extend<{ ownProduct: Product & { cookie: string }; enrolled: Enrolled }>({
  // The page comes first, so that it outlives the server and can be taken off it before that closes.
  ownProduct: async ({ page }, use) => {
    const product = await startProduct({
      env: { PATCHBAY_LIMITS: JSON.stringify({ loginAttemptsPerMinute: 10_000 }) },
    });
    await use({ ...product, cookie: await setUp(product.url) });
    await page.goto("about:blank");
    await product.close();
  },
  enrolled: async ({ ownProduct: { url, cookie } }, use) => {
    const { secret } = await call<{ secret: string }>(url, cookie, "/api/user/2fa/setup", {});
    // The code before the newest: the newest is still to be used in the browser. Near the end of a step it would
    // be two steps old on arrival.
    await untilFarFromStepEnd();
    const code = totpCode(secret, Date.now() - STEP_MS);
    const { backup_codes } = await call<{ backup_codes: string[] }>(url, cookie, "/api/user/2fa/enable", {
      code,
    });
    await use({ url, secret, backupCodes: backup_codes });
  },
});

/** A right code that was not used yet. `ahead`: how many are used already; the service takes one ahead of its clock. */
export function freshCode(secret: string, ahead: 0 | 1 = 0): string {
  return totpCode(secret, Date.now() + ahead * STEP_MS);
}

/** Waits for the next 30 s step if less than 8 s are left of this one. */
async function untilFarFromStepEnd(): Promise<void> {
  const leftMs = STEP_MS - (Date.now() % STEP_MS);
  if (leftMs < 8_000) await setTimeout(leftMs);
}

/** Six digits that no clock near ours shows. */
export function wrongCode(secret: string): string {
  const right = new Set([-2, -1, 0, 1, 2].map((step) => totpCode(secret, Date.now() + step * STEP_MS)));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((one) => !right.has(one)) ?? "";
}

/** Name and password on the sign-in page. */
export async function enterPassword(page: Page, password: string = OWNER.password): Promise<void> {
  // The page may be one that the browser went to by itself.
  const name = page.getByLabel("Username or email");
  await name.waitFor();
  await untilAwake(page);
  await name.fill(OWNER.username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Opens the account menu; a press before the page has woken does nothing, so it is pressed until it is open. */
export async function openAccountMenu(page: Page): Promise<void> {
  const trigger = page.getByRole("button", { name: /^(?:Account menu|账户菜单)/ });
  await expect(async () => {
    await trigger.click({ timeout: 2_000 });
    await expect(page.getByRole("menu")).toBeVisible({ timeout: 2_000 });
  }).toPass();
}

/** Another browser of the same person, signed in by password. */
export async function otherBrowser(browser: Browser, url: string): Promise<Page> {
  const page = await elsewhere(browser);
  await page.goto(`${url}/login`);
  await enterPassword(page);
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  return page;
}

export { expect, OWNER };
