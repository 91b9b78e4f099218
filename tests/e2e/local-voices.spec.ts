import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setUp, startProduct } from "../support/product";
import { writeTinyVoice } from "../support/tiny-voice";
import { serveMirror, writeVoiceArchive } from "../support/voice-archive";
import { call } from "./console-api";
import { test as base, expect, signInByCookie } from "./fixtures";

const NAME = "kitten-nano-en-v0_1-fp16";

interface Instance {
  url: string;
  cookie: string;
  archive: string;
  dataDirectory: string;
  /** While true, downloads stop after their first byte. */
  mirror: { isSlow: boolean; close(): void };
}

/** An instance whose catalogue is served by a mirror on loopback. */
const test = base.extend<{ instance: Instance }>({
  instance: async ({ page }, use) => {
    const work = await mkdtemp(path.join(tmpdir(), "patchbay-mirror-"));
    const archive = await writeVoiceArchive(work);
    const state = { isSlow: false };
    const mirror = await serveMirror(archive, () => state.isSlow);
    const product = await startProduct({
      env: { PATCHBAY_VOICES_URL: mirror.url, PATCHBAY_UPSTREAM_ALLOW: mirror.host },
    });
    const cookie = await setUp(product.url);
    await signInByCookie(page, product.url, cookie);
    const { dataDirectory } = product;
    await use({
      url: product.url,
      cookie,
      archive,
      dataDirectory,
      mirror: Object.assign(state, { close: mirror.close }),
    });
    // Leave the page first: its event stream would fail when the server stops.
    await page.goto("about:blank");
    await product.close();
    mirror.close();
    await rm(work, { recursive: true });
  },
});

const row = (name: string) => ({ name: new RegExp(`(Download|Resume the download of) ${name}`) });

test("downloads a voice with progress, cancels and resumes it, then maps its voice names, verifies and removes it", async ({
  page,
  instance,
}) => {
  instance.mirror.isSlow = true;
  await page.goto(`${instance.url}/models`);
  await page.getByRole("link", { name: "Local voices" }).click();
  await expect(page.getByRole("heading", { name: "Local voices", level: 1 })).toBeVisible();
  await expect(page.getByText("No local voices yet")).toBeVisible();
  await expect(page.getByText("Archives from your mirror")).toBeVisible();

  const download = page.getByRole("table").getByRole("button", row(NAME));
  await download.click();
  await expect(page.getByRole("progressbar", { name: `Installation of ${NAME}` })).toBeVisible();
  await expect(page.getByText(/Downloading · .* of /)).toBeVisible();
  await page.getByRole("button", { name: `Cancel the installation of ${NAME}` }).click();
  await expect(download).toHaveText(/Resume at/);
  await expect(page.getByRole("main")).toBeFocused();
  instance.mirror.isSlow = false;
  await download.click();

  const installed = page.getByRole("region", { name: "Installed" });
  await expect(installed.getByRole("heading", { name: NAME })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText(`${NAME} installed`)).toBeVisible();
  await expect(installed).toContainText("VITS (Piper)");
  await expect(installed).toContainText("16 kHz");
  await expect(installed).toContainText(/\d\.\d\d keeps up with playback/);

  await installed.getByRole("button", { name: "Voice names" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Search voice names").fill("kore");
  await expect(sheet.getByLabel("Kore", { exact: true })).toHaveText(/Default: high-f/);
  await sheet.getByLabel("Kore", { exact: true }).selectOption("low-m");
  await sheet.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText(`Voice names of ${NAME} saved`)).toBeVisible();

  await installed.getByRole("button", { name: `Verify ${NAME}` }).click();
  await expect(page.getByText(`${NAME} is unchanged and speaks`)).toBeVisible({ timeout: 30_000 });
  await expect(installed.getByRole("link", { name: "Try in playground" })).toHaveAttribute(
    "href",
    `/playground/speech#model=${NAME}`,
  );

  await installed.getByRole("button", { name: `Remove ${NAME}` }).click();
  const confirm = page.getByRole("alertdialog");
  await confirm.getByLabel(`Type ${NAME} to confirm`).fill(NAME);
  await confirm.getByRole("button", { name: "Remove voice" }).click();
  await expect(page.getByText("No local voices yet")).toBeVisible();
  await page.goto(`${instance.url}/audit`);
  await expect(page.getByText("removed a local voice").first()).toBeVisible();
  await expect(page.getByText("installed a local voice").first()).toBeVisible();
});

test("uploads an archive and names the missing file of a broken folder", async ({ page, instance }) => {
  await writeTinyVoice(path.join(instance.dataDirectory, "voices", "broken"), { "tokens.txt": null });
  await page.goto(`${instance.url}/models/local-voices`);
  await expect(page.getByText("broken can’t be used")).toBeVisible();
  await expect(page.getByText("tokens.txt:")).toBeVisible();
  await page.getByRole("button", { name: "Upload archive" }).click();
  const dialog = page.getByRole("dialog");
  const file = dialog.getByLabel("Archive", { exact: true });
  await file.setInputFiles({ name: "empty.tar.gz", mimeType: "application/gzip", buffer: Buffer.alloc(0) });
  await dialog.getByRole("button", { name: "Upload and install" }).click();
  await expect(dialog.getByText("The file is empty")).toBeVisible();
  await file.setInputFiles(instance.archive);
  await expect(dialog.getByLabel("Name", { exact: true })).toHaveValue("tiny");
  await dialog.getByRole("button", { name: "Upload and install" }).click();
  await expect(page.getByRole("heading", { name: "tiny", exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText("tiny installed")).toBeVisible();
});

test("on a phone, says beside a voice why its download failed", async ({ page, instance }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${instance.url}/models/local-voices`);
  instance.mirror.close();
  // This voice is far below the notice at the top of the page.
  const voice = page.getByRole("list", { name: "Catalogue" }).getByRole("listitem").last();
  await voice.getByRole("button", { name: /^Download/ }).click();
  await expect(voice.getByText(/could not be reached/)).toBeInViewport();
  await page.getByRole("button", { name: "Dismiss" }).press("Enter");
  await expect(page.getByRole("button", { name: "Dismiss" })).toHaveCount(0);
  await expect(page.getByRole("main")).toBeFocused();
});

test.describe("voice names that were changed elsewhere", () => {
  test.use({ allowedConsole: [[/status of 409/], { scope: "test" }] });

  test("are not overwritten by an open form", async ({ page, instance: { url, cookie, dataDirectory } }) => {
    await writeTinyVoice(path.join(dataDirectory, "voices", "first"));
    await page.goto(`${url}/models/local-voices`);
    await page.getByRole("button", { name: "Voice names" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel("Kore", { exact: true }).selectOption("low-m");
    const { items } = await call(url, cookie, "GET", "/api/channels");
    const { id, version } = items.find(({ models }: { models: { name: string }[] }) =>
      models.some(({ name }) => name === "first"),
    );
    const theirs = { voices: { Puck: "low-m" } };
    await call(url, cookie, "PATCH", `/api/channels/${id}`, { version, options: theirs });
    const isRead = page.waitForResponse("**/api/voices");
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await isRead;
    await sheet.getByRole("button", { name: "Save changes" }).click();
    await expect(sheet).toContainText("changed elsewhere");
    const optionsNow = async () => (await call(url, cookie, "GET", `/api/channels/${id}`)).options;
    expect(await optionsNow()).toEqual(theirs);

    await expect(sheet.getByLabel("Puck", { exact: true })).toHaveValue("low-m");
    await sheet.getByLabel("Kore", { exact: true }).selectOption("low-m");
    await page.keyboard.press("Escape");
    const prompt = page.getByRole("alertdialog");
    await expect(prompt).toContainText("Unsaved changes in: Voice names of first.");
    await prompt.getByRole("button", { name: "Keep editing" }).click();
    await sheet.getByRole("button", { name: "Save changes" }).click();
    await expect(sheet).toHaveCount(0);
    expect(await optionsNow()).toEqual({ voices: { Puck: "low-m", Kore: "low-m" } });
  });
});

test.describe("voice names that were changed elsewhere and cannot be loaded", () => {
  test.use({ allowedConsole: [[/status of (409|503)/], { scope: "test" }] });

  test("leave the input of an open form", async ({ page, instance: { url, cookie, dataDirectory } }) => {
    await writeTinyVoice(path.join(dataDirectory, "voices", "first"));
    await page.goto(`${url}/models/local-voices`);
    await page.getByRole("button", { name: "Voice names" }).click();
    const sheet = page.getByRole("dialog");
    const kore = sheet.getByLabel("Kore", { exact: true });
    await kore.selectOption("low-m");
    const failed = { success: false, message: "", code: "storage_unavailable" };
    await page.route("**/api/voices", (route) => route.fulfill({ status: 503, json: failed }));
    const { items } = await call(url, cookie, "GET", "/api/channels");
    const { id, version } = items.find(({ models }: { models: { name: string }[] }) =>
      models.some(({ name }) => name === "first"),
    );
    const theirs = { voices: { Puck: "low-m" } };
    await call(url, cookie, "PATCH", `/api/channels/${id}`, { version, options: theirs });
    await sheet.getByRole("button", { name: "Save changes" }).click();
    await expect(sheet.getByRole("alert")).toBeVisible();
    await expect(kore).toHaveValue("low-m");
  });
});

test.describe("a local voice that was removed elsewhere", () => {
  test.use({ allowedConsole: [[/status of 404/], { scope: "test" }] });

  test("is reported by the dialogs that were open", async ({
    page,
    instance: { url, cookie, dataDirectory },
  }) => {
    const remove = (name: string) =>
      fetch(`${url}/api/voices/${name}`, { method: "DELETE", headers: { cookie } });
    for (const name of ["first", "second"]) await writeTinyVoice(path.join(dataDirectory, "voices", name));
    await page.goto(`${url}/models/local-voices`);
    await page
      .getByRole("listitem")
      .filter({ hasText: "first" })
      .getByRole("button", { name: "Voice names" })
      .click();
    await remove("first");
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Save changes" }).click();
    await expect(sheet).toContainText("This no longer exists");
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Remove second" }).click();
    const confirm = page.getByRole("alertdialog");
    await confirm.getByLabel("Type second to confirm").fill("second");
    await remove("second");
    await confirm.getByRole("button", { name: "Remove voice" }).click();
    await expect(confirm).toContainText("This no longer exists");
  });
});
