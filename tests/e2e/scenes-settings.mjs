/** Walks through every section of the settings, with unsaved changes and dialogs. */
import { OWNER } from "./scenes.mjs";

const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

async function open(page, url, section) {
  await page.goto(`${url}/settings${section === "general" ? "" : `?section=${section}`}`);
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
}

const FILE = {
  format: "patchbay-settings",
  version: 1,
  exported_at: "2026-11-20T20:17:00.000Z",
  patchbay: "1.0.0",
  settings: { password_minimum: 14, self_use_mode: false },
  models: [{ name: "tts-1-hd", operation: "speech" }],
  channels: [
    {
      name: "OpenAI, Europe",
      provider: "openai",
      models: [{ name: "tts-1-hd", upstream_name: "tts-1-hd", operation: "speech" }],
    },
    { name: "Attic box", provider: "openai", base_url: "http://192.168.1.20:8880/v1" },
  ],
};

export async function walkSettings({ page, url, shot }) {
  await open(page, url, "general");
  await shot("settings-general");
  await page.getByRole("switch", { name: "Self-use mode" }).click();
  await shot("settings-general-changed");
  await press(page, "Discard");

  await open(page, url, "security");
  await page.getByRole("textbox", { name: "Admin idle timeout" }).fill("0.1");
  await page.getByRole("form", { name: "Sessions" }).getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("alert").filter({ hasText: /\w/ }).first().waitFor();
  await shot("settings-security");

  await open(page, url, "limits");
  await page.getByRole("textbox", { name: "Attempts per request" }).fill("5");
  await page.getByRole("textbox", { name: "Total request timeout" }).fill("900");
  await shot("settings-limits");

  await open(page, url, "network");
  await page.getByRole("textbox", { name: "Allowed origins (CORS)" }).fill("https://app.example.com");
  await shot("settings-network");
  await press(page, "Allow an address");
  await page.getByRole("dialog").waitFor();
  await shot("settings-network-allow", { fullPage: false });
  await page.keyboard.press("Escape");
  await press(page, "Generate token");
  await page.getByRole("dialog").getByLabel("Your password").fill(OWNER.password);
  await page.getByRole("dialog").getByRole("button", { name: "Generate token" }).click();
  await page.getByTestId("metrics-token").waitFor();
  await shot("settings-network-token", { fullPage: false });
  await press(page, "Done");
  await press(page, "Remove");
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("alertdialog").waitFor({ state: "detached" });

  await open(page, url, "data");
  await page.getByRole("switch", { name: "Store prompts" }).click();
  await shot("settings-data");

  await open(page, url, "transfer");
  await shot("settings-transfer");
  const buffer = Buffer.from(JSON.stringify(FILE));
  await page
    .getByLabel("Choose a file")
    .and(page.locator("input"))
    .setInputFiles({ name: "patchbay-settings.json", mimeType: "application/json", buffer });
  await page.getByRole("dialog").getByRole("list").waitFor();
  await shot("settings-import", { fullPage: false });
  await page.keyboard.press("Escape");
  await press(page, "Download backup");
  await page.getByRole("dialog").waitFor();
  await shot("settings-backup", { fullPage: false });
}
