import type { Page } from "playwright/test";
import { totpCode } from "../support/totp";
import { expect, OWNER } from "./fixtures";

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });

/** Goes from the first step to the administrator step. */
export async function goToAdministratorStep(page: Page): Promise<void> {
  await press(page, "Start setup");
  await expect(heading(page, "How will you use Patchbay?")).toBeVisible();
  await press(page, "Continue");
  await expect(heading(page, "Create your admin account")).toBeVisible();
}

/** Fills in the administrator step and creates the owner. */
export async function createOwner(page: Page): Promise<void> {
  await page.getByLabel("Username").fill(OWNER.username);
  await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
  await page.getByLabel("Confirm password").fill(OWNER.password);
  await press(page, "Create account");
  await expect(heading(page, "Set up two-factor authentication")).toBeVisible();
}

/** The TOTP secret shown next to the QR code. */
export async function shownSecret(page: Page): Promise<string> {
  await expect(page.getByRole("img", { name: /QR code/ })).toBeVisible();
  const text = await page.getByText(/^(?:[A-Z2-7]{4} )+[A-Z2-7]{1,4}$/).textContent();
  return (text ?? "").replaceAll(" ", "");
}

/** Enters the first TOTP code and returns the secret and the backup codes. */
export async function enrol(page: Page): Promise<{ secret: string; codes: string[] }> {
  const secret = await shownSecret(page);
  await page.getByLabel("Code from the app").fill(totpCode(secret, Date.now()));
  await expect(page.getByRole("button", { name: "I’ve saved them" })).toBeVisible();
  const codes = await page
    .getByRole("listitem")
    .filter({ hasText: /^[0-9A-Z]{5}-[0-9A-Z]{5}$/ })
    .allTextContents();
  return { secret, codes };
}

/** Plays the page's audio element and returns its duration, its position and the peak of its samples. */
export function measurePlayback(page: Page): Promise<{ duration: number; position: number; peak: number }> {
  return page.evaluate(async () => {
    const audio = document.querySelector("audio");
    if (!audio) return { duration: 0, position: 0, peak: 0 };
    const clock = new AudioContext();
    await clock.resume();
    const meter = clock.createAnalyser();
    clock.createMediaElementSource(audio).connect(meter).connect(clock.destination);
    audio.currentTime = 0;
    await audio.play();
    const frame = new Float32Array(meter.fftSize);
    let peak = 0;
    while (!audio.ended && peak < 0.05) {
      await new Promise(requestAnimationFrame);
      meter.getFloatTimeDomainData(frame);
      for (const one of frame) peak = Math.max(peak, Math.abs(one));
    }
    return { duration: audio.duration, position: audio.currentTime, peak };
  });
}
