/** Walks through pages and states, for tests/e2e/screenshots.mjs. */
import { Secret, TOTP } from "otpauth";

export const OWNER = { username: "olivia", password: "seven green kettles hum" };
export const SETUP_TOKEN = "a-token-that-only-the-operator-knows-0123456789";

/** Calls the console API: POST with a body, else GET. Returns the `data` of the reply. */
export async function callConsole(url, route, cookie, body) {
  const reply = await fetch(url + route, {
    method: body ? "POST" : "GET",
    headers: { "content-type": "application/json", cookie },
    body: body && JSON.stringify(body),
  });
  const { success, data, message } = await reply.json();
  if (!success) throw new Error(`${route}: ${message}`);
  return data;
}

/** The TOTP code of now, or of `steps` × 30 s from now. */
export function codeOf(secret, steps = 0) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(" ", "")) });
  return totp.generate({ timestamp: Date.now() + steps * 30_000 });
}

const press = (page, name) => page.getByRole("button", { name, exact: typeof name === "string" }).click();
const settle = (page) => page.waitForLoadState("networkidle");
const SECRET = /^(?:[A-Z2-7]{4} )+[A-Z2-7]{1,4}$/;

/** The setup wizard from the setup token to the first audio. `url`: an instance that requires the token. */
export async function walkWizard({ page, url, shot }) {
  await page.goto(`${url}/setup`);
  await shot("wizard-found");
  await press(page, "Start setup");
  await shot("wizard-token");
  await page.getByLabel("Setup token").fill(SETUP_TOKEN);
  await press(page, "Continue");
  await shot("wizard-usage");
  await press(page, "Continue");
  await shot("wizard-administrator");
  await page.getByLabel("Username").fill("olivia green");
  await page.getByLabel("Email").fill("nowhere");
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByLabel("Confirm password").fill("shorter");
  await press(page, "Create account");
  await shot("wizard-administrator-errors");
  await page.getByLabel("Username").fill(OWNER.username);
  await page.getByLabel("Email").fill("olivia@example.com");
  await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
  await page.getByLabel("Confirm password").fill(OWNER.password);
  await press(page, "Create account");
  await page.getByRole("img", { name: /QR code/ }).waitFor();
  await shot("wizard-two-factor");
  const secret = (await page.getByText(SECRET).textContent()) ?? "";
  await page.getByLabel("Code from the app").fill(codeOf(secret));
  await page.getByRole("button", { name: "I’ve saved them" }).waitFor();
  await shot("wizard-backup-codes");
  await press(page, "I’ve saved them");
  await page.getByLabel("Name").waitFor();
  await shot("wizard-key");
  await press(page, "Create API key");
  await page.getByTestId("api-key").waitFor();
  await shot("wizard-key-revealed");
  await press(page, "Continue");
  await page.getByRole("button", { name: "Speak", exact: true }).waitFor();
  await shot("wizard-sound");
  await press(page, "Speak");
  await page.getByText(/of audio, generated in/).waitFor();
  await shot("wizard-sound-spoken");
}

/** Sign-in of an owner with 2FA: wrong password, wrong code, backup code. */
export async function walkSignIn({ page, url, shot }) {
  const enter = async (password) => {
    await page.getByLabel("Username or email").fill(OWNER.username);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await press(page, "Sign in");
  };
  await page.goto(`${url}/login`);
  await shot("login");
  await enter("not the password");
  await page.getByRole("alert").filter({ hasText: /\w/ }).first().waitFor();
  await shot("login-wrong");
  await enter(OWNER.password);
  await page.getByLabel("6-digit code").waitFor();
  await shot("two-factor");
  await page.keyboard.type("000000");
  await page.getByText(/Incorrect code/).waitFor();
  await shot("two-factor-wrong");
  await press(page, "Use a backup code");
  await shot("two-factor-backup");
  await page.goto(`${url}/login?reason=expired`);
  await shot("login-expired");
  await page.goto(`${url}/no/such/page`);
  await shot("not-found");
}

/** Empty states, seen by the owner of a new instance. */
export async function walkEmpty({ page, url, shot }) {
  for (const [path, name] of [
    ["/", "overview-empty"],
    ["/keys", "keys-empty"],
    ["/account", "account"],
    ["/playground/speech", "speech-empty"],
    ["/playground/embeddings", "embeddings-empty"],
    ["/no/such/page", "not-found-signed-in"],
  ]) {
    await page.goto(url + path);
    await shot(name);
  }
}

/** Overview, command palette, menu on a phone, keys, and the account with 2FA. */
export async function walkConsole({ page, url, shot }) {
  await page.goto(url);
  await shot("overview");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
  await shot("palette", { fullPage: false });
  await page.keyboard.press("Escape");
  if ((page.viewportSize()?.width ?? 0) < 1024) {
    await press(page, "Open menu");
    await page.getByRole("dialog").waitFor();
    await shot("menu", { fullPage: false });
    await page.keyboard.press("Escape");
  }
  await page.goto(`${url}/keys`);
  await shot("keys");
  await page.goto(`${url}/keys?create=1`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").waitFor();
  await shot("keys-create", { fullPage: false });
  await dialog.getByText("Limits", { exact: true }).click();
  await shot("keys-create-limits", { fullPage: false });
  await dialog.getByLabel("Name").fill("Newsletter reader");
  await dialog.getByRole("button", { name: "Create API key" }).click();
  await page.getByTestId("api-key").waitFor();
  await shot("keys-revealed", { fullPage: false });
  await page.goto(`${url}/account`);
  await shot("account-two-factor");
}

/** The speech playground: with text, a take, a script, and an error. */
export async function walkSpeech({ page, url, shot }) {
  const open = async (fields) => {
    // Changing only the fragment would not reload the page.
    await page.goto("about:blank");
    await page.goto(`${url}/playground/speech#${new URLSearchParams(fields)}`);
    await settle(page);
  };
  const speak = async () => {
    await page.keyboard.press("Control+Enter");
    await page
      .getByRole("status")
      .filter({ hasText: /The take is ready/ })
      .waitFor({ state: "attached", timeout: 45_000 });
  };
  const text = "Good evening. The harbour is quiet, the lamps are lit, and the last train leaves at ten.";
  await open([["text", text]]);
  await shot("speech-text");
  await speak();
  await shot("speech-take");
  await open([
    ["text", "Ana: Is the new channel ready?\nBen: Yes. Its first audio arrived in half a second."],
    ["speaker", "Ana|Kore"],
    ["speaker", "Ben|Puck"],
  ]);
  await speak();
  await shot("speech-script");
  await open([
    ["text", text],
    ["model", "no-such-model"],
  ]);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("alert").filter({ hasText: /\w/ }).first().waitFor();
  await shot("speech-error");
}

/** `count` short texts on a few subjects, always the same. */
function manyTexts(count) {
  const subjects = ["harbour storm", "lost parcel", "cup final", "bright comet", "rent law", "late train"];
  const voices = ["They spoke of the", "No one saw the", "Again the", "News about the", "After the"];
  const places = ["in the north", "by the river", "at night", "near the station"];
  return Array.from(
    { length: count },
    (_, at) => `${voices[at % 5]} ${subjects[(at * 5 + (at >> 3)) % 6]} ${places[(at >> 2) % 4]}`,
  );
}

/** The embeddings playground: an example, a selected cell, a query, a changed list, 500 texts, and an error. */
export async function walkEmbeddings({ page, url, shot }) {
  const grid = page.getByRole("grid");
  const begin = async (example) => {
    await page.goto(`${url}/playground/embeddings`);
    await press(page, /^Remove all/).catch(() => undefined);
    await press(page, example);
    await grid.waitFor();
    await page.getByRole("list", { name: "Search results" }).waitFor();
  };
  page.setDefaultTimeout(3_000);
  await begin(/^Help desk/);
  page.setDefaultTimeout(30_000);
  await shot("embeddings-query");
  const box = (await grid.boundingBox()) ?? { width: 0 };
  const side = (box.width - 26) / 12;
  await grid.click({ position: { x: 26 + side * 7.5, y: 26 + side * 10.5 } });
  await shot("embeddings-pair");
  await page.getByText("What this means").click();
  await page.getByRole("radio", { name: "Grouped" }).click();
  await shot("embeddings-grouped");
  await page.getByLabel("Add texts").fill("Is there a kettle in the office?");
  await page.keyboard.press("Enter");
  await shot("embeddings-changed");
  await press(page, "Remove all");
  await page.locator("input[type=file]").setInputFiles({
    name: "lines.txt",
    mimeType: "text/plain",
    buffer: Buffer.from(manyTexts(500).join("\n")),
  });
  await press(page, "Embed 500 texts");
  await page.getByRole("grid", { name: /500/ }).waitFor();
  await page.getByRole("radio", { name: "Grouped" }).click();
  await shot("embeddings-500");
  for (const _ of [1, 2, 3]) await press(page, "Zoom in");
  await shot("embeddings-500-close");
  await page.getByLabel("Dimensions").fill("4096");
  await press(page, "Embed 500 texts");
  await page.getByRole("alert").filter({ hasText: "HTTP 400" }).waitFor();
  await shot("embeddings-error");
}

/** Pages in Chinese by URL and shortcuts, so that the walk depends on no UI text. */
export async function walkChinese({ page, url, shot }) {
  for (const [path, name] of [
    ["/", "zh-overview"],
    ["/keys", "zh-keys"],
    ["/account", "zh-account"],
    ["/playground/speech", "zh-speech"],
  ]) {
    await page.goto(url + path);
    await shot(name);
  }
  const fields = ["怎样重置我的密码？", "我忘记密码了，如何重置？", "包裹在哪里？", "我的包裹还没有到。"];
  const fragment = new URLSearchParams([...fields.map((text) => ["text", text]), ["query", "密码"]]);
  await page.goto(`${url}/playground/embeddings#${fragment}`);
  await settle(page);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("grid").waitFor();
  await shot("zh-embeddings");
}

/** The three pictures of the README. */
export async function walkReadme({ page, url, freshUrl, shot }) {
  await page.goto(`${freshUrl}/setup`);
  await shot("wizard");
  const text =
    "Ana: Is the new channel ready?\nBen: Yes. Its first audio arrived in half a second.\nAna: Then let’s send it some traffic.\nBen: It’s already serving.";
  const fields = [
    ["text", text],
    ["speaker", "Ana|Kore"],
    ["speaker", "Ben|Puck"],
  ];
  await page.goto(`${url}/playground/speech#${new URLSearchParams(fields)}`);
  await settle(page);
  await page.keyboard.press("Control+Enter");
  await page
    .getByRole("status")
    .filter({ hasText: /The take is ready/ })
    .waitFor({ state: "attached" });
  await shot("speech");
  await page.goto(`${url}/playground/embeddings`);
  await settle(page);
  await press(page, /^Help desk/);
  const grid = page.getByRole("grid");
  await grid.waitFor();
  await page.getByRole("list", { name: "Search results" }).waitFor();
  const side = (((await grid.boundingBox()) ?? { width: 0 }).width - 26) / 12;
  await grid.click({ position: { x: 26 + side * 7.5, y: 26 + side * 10.5 } });
  await shot("embeddings");
}
