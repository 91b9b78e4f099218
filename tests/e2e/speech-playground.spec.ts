import { readFileSync } from "node:fs";
import type { Download, Locator, Page } from "playwright/test";
import { signIn } from "../support/product";
import { expect, holdRequests, OWNER, signInByCookie } from "./fixtures";
import { axeViolations } from "./page-checks";
import { test } from "./routed";
import {
  audioElement,
  decodedLoudness,
  expectStatus,
  fileFacts,
  openSpeech,
  PATH,
  recordPieces,
  speak,
  startedPieces,
  storedTakes,
} from "./speech-page";

const SENTENCE = "The light went orange, and the cord was pulled.";
const STORY = `${"The patch bay stood in the corner of the studio, a grid of brass and dust. ".repeat(16)}The end.`;
const SCRIPT = "Ana: Did the cord go into the third jack?\nBen: The fourth. The third one is for embeddings.";
/** Minimum root mean square of speech: −34 dBFS, where speech has −30 to −10 dBFS and short silences. */
const AUDIBLE = 0.02;

test("the speech playground plays audio while it streams and stores a take that can be played, sought and sped up", async ({
  ownerPage: page,
  product,
}) => {
  await recordPieces(page);
  await openSpeech(page, product.url, [["text", STORY]]);
  await speak(page);

  const [take] = await storedTakes(page);
  expect(take?.state).toBe("complete");
  expect(take?.loudness).toBeGreaterThan(AUDIBLE);
  expect(take?.seconds).toBeGreaterThan(40);
  expect(take?.firstAudioMs).toBeLessThan((take?.totalMs ?? 0) / 2);
  expect(take?.outputTokens).toBeCloseTo((take?.seconds ?? 0) * 25, -1);
  const [first] = await startedPieces(page);
  expect(first?.at).toBeLessThan(take?.createdAt ?? 0);
  expect(first?.peak).toBeGreaterThan(AUDIBLE);

  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("slider", { name: "Position in the take" }).fill("30");
  await page.getByRole("combobox", { name: "Playback speed" }).selectOption("2");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect.poll(async () => (await audioElement(page)).position).toBeGreaterThan(30.5);
  const playing = await audioElement(page);
  expect(playing.isPaused).toBe(false);
  expect(playing.seconds).toBeCloseTo(take?.seconds ?? 0, 1);

  const facts = page.getByRole("region", { name: "Player", exact: true });
  for (const name of ["Time to first audio", "Duration", "Tokens", "Cost", "Channel", "Request ID"]) {
    await expect(facts.getByText(name, { exact: true })).toBeVisible();
  }
  await expect(facts.getByText(take?.requestId ?? "none")).toBeVisible();
  await expect(facts.getByText(take?.channel ?? "none")).toBeVisible();
});

test("stores the audio received so far when Escape aborts a speech request", async ({
  ownerPage: page,
  product,
}) => {
  await openSpeech(page, product.url, [["text", STORY.repeat(20)]]);
  const aborted = page.waitForEvent("requestfailed", (one) => one.url().includes(":streamGenerateContent"));
  await page.getByRole("button", { name: "Speak", exact: true }).click();
  await expectStatus(page, /Speaking/);
  await page.keyboard.press("Escape");
  await aborted;
  await expectStatus(page, /Stopped after/);
  await expect.poll(async () => (await storedTakes(page))[0]?.state).toBe("stopped");
  expect((await storedTakes(page))[0]?.seconds).toBeLessThan(1_500);
  await expect(page.getByRole("button", { name: "Speak", exact: true })).toBeEnabled();
});

test("plays a take once it has arrived in a browser without Web Audio", async ({
  ownerPage: page,
  product,
}) => {
  await page.addInitScript(() => void Reflect.deleteProperty(window, "AudioContext"));
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await speak(page);
  await expect.poll(async () => (await audioElement(page)).position).toBeGreaterThan(0.2);
});

test.describe("a server that becomes unreachable during the first take", () => {
  test.use({ allowedConsole: [[/ERR_ABORTED/], { scope: "test" }] });

  test("leaves the page unchanged and stores the take once it is reachable again", async ({
    ownerPage: page,
    product,
  }) => {
    await openSpeech(page, product.url, [["text", STORY]]);
    // The code that a first take needs is not loaded yet when its audio arrives.
    let isReachable = true;
    await page.route(/_next\/static|\/api\//, (route) =>
      isReachable ? route.continue() : route.abort("aborted"),
    );
    page.on("response", (one) => {
      if (one.url().includes(":streamGenerateContent")) isReachable = false;
    });
    await page.getByRole("button", { name: "Speak", exact: true }).click();
    await expectStatus(page, /The take is ready/);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Speech playground");
    expect(await storedTakes(page)).toEqual([]);

    isReachable = true;
    await expect(page.getByRole("button", { name: "Delete all" })).toBeVisible();
    await expect.poll(async () => (await storedTakes(page))[0]?.state).toBe("complete");
  });
});

test("deletes only the signed-in user's takes from the browser", async ({ ownerPage: page, product }) => {
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await speak(page);
  await expect.poll(async () => (await storedTakes(page)).length).toBe(1);
  const durationMs = 1_234_567;
  await page.evaluate(async (ms) => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const db = await done(indexedDB.open("patchbay-takes"));
    const store = db.transaction("takes", "readwrite").objectStore("takes");
    const [take] = await done(store.getAll());
    await done(store.put({ ...take, id: "take_other", userId: "usr_other", durationMs: ms }));
    db.close();
  }, durationMs);
  await page.getByRole("button", { name: "Delete all" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete takes" }).click();
  await expect
    .poll(async () => (await storedTakes(page)).map((take) => take.durationMs))
    .toEqual([durationMs]);
});

async function downloadAs(page: Page, format: string): Promise<Download> {
  await page.getByRole("button", { name: "Download in another format" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: new RegExp(`^${format}`, "i") }).click(),
  ]);
  return download;
}

test("a take downloads as an audible file in every format", async ({ ownerPage: page, product }) => {
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await speak(page);
  const seconds = (await storedTakes(page))[0]?.seconds ?? 0;
  const codecs = { mp3: "mp3", opus: "opus", aac: "aac", flac: "flac", wav: "pcm-s16", pcm: null };
  for (const [format, codec] of Object.entries(codecs)) {
    const download = await downloadAs(page, format);
    expect(download.suggestedFilename()).toMatch(/^Kore-The-light-went-orange/);
    const bytes = readFileSync(await download.path());
    if (codec === null) {
      expect(bytes.length / 48_000).toBeCloseTo(seconds, 2);
      continue;
    }
    const facts = await fileFacts(bytes);
    expect(facts.codec, format).toBe(codec);
    expect(Math.abs(facts.seconds - seconds), format).toBeLessThan(0.3);
    // Chromium builds without licensed codecs have no AAC.
    const loudness = await decodedLoudness(page, bytes);
    if (format !== "aac" || loudness !== null) expect(loudness, format).toBeGreaterThan(AUDIBLE);
  }

  await page.getByRole("button", { name: "Download in another format" }).click();
  for (const text of [/^MP3.*96 kbit\/s, 24 kHz/, /^Opus.*32 kbit\/s/, /^AAC.*64 kbit\/s/, /^FLAC.*lossless/])
    await expect(page.getByRole("menuitem", { name: text })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.reload();
  await page
    .getByRole("button", { name: /^Play take/ })
    .first()
    .click();
  const [again] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download PCM", exact: true }).click(),
  ]);
  expect(again.suggestedFilename()).toMatch(/\.pcm$/);
});

test("a script is spoken by its speakers and coloured by speaker", async ({ ownerPage: page, product }) => {
  await openSpeech(page, product.url);
  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("menuitem", { name: "A dialogue" }).click();
  await expect(page.getByRole("textbox", { name: "Name of speaker 2" })).toHaveValue("Ben");
  await page.getByRole("textbox", { name: "Text to speak" }).fill(SCRIPT);
  await expect(page.locator('[data-speaker="Ana"]')).toHaveCount(1);
  await expect(page.locator('[data-speaker="Ben"]')).toHaveCount(1);

  const second = page.getByRole("textbox", { name: "Name of speaker 2" });
  await second.fill("Bertha");
  // An input method's Enter chooses a word, and its Escape drops one.
  for (const key of ["Enter", "Escape"])
    await second.dispatchEvent("keydown", { key, bubbles: true, isComposing: true });
  await expect(second).toBeFocused();
  await expect(second).toHaveValue("Bertha");
  await second.press("Enter");
  await expect(page.getByRole("textbox", { name: "Text to speak" })).toHaveValue(/\nBertha: The fourth/);
  await page.getByRole("radio", { name: /^Zephyr/ }).check();
  const call = page.waitForRequest((one) => one.url().includes(":streamGenerateContent"));
  await speak(page);
  const voices = (await call).postDataJSON().generationConfig.speechConfig.multiSpeakerVoiceConfig;
  expect(voices.speakerVoiceConfigs).toEqual([
    { speaker: "Ana", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
    { speaker: "Bertha", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Zephyr" } } },
  ]);
  const [take] = await storedTakes(page);
  expect(take?.seconds).toBeGreaterThan(3);
  expect(take?.loudness).toBeGreaterThan(AUDIBLE);

  for (const format of ["mp3", "opus", "aac", "flac"]) {
    const facts = await fileFacts(readFileSync(await (await downloadAs(page, format)).path()));
    expect(facts.codec).toBe(format);
    expect(Math.abs(facts.seconds - (take?.seconds ?? 0)), format).toBeLessThan(0.3);
  }
});

test("takes survive a reload, can be compared, deleted and restored, and are removed at sign-out", async ({
  page,
  product,
}) => {
  await signInByCookie(page, product.url, await signIn(product.url, OWNER));
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await speak(page);
  await page.getByRole("radio", { name: /^Puck/ }).check();
  await speak(page);
  await expect.poll(async () => (await storedTakes(page)).length).toBe(2);

  await page.reload();
  const history = page.getByRole("region", { name: "History" });
  await expect(history.getByRole("listitem")).toHaveCount(2);
  await history
    .getByRole("button", { name: /^Play take/ })
    .first()
    .click();
  await expect.poll(async () => (await audioElement(page)).position).toBeGreaterThan(0.2);
  for (const at of [0, 1])
    await history
      .getByRole("button", { name: /^Compare take/ })
      .nth(at)
      .click();
  const compare = page.getByRole("region", { name: "Compare" });
  await expect(compare.getByRole("radio", { name: "A" })).toBeChecked();
  await page.getByRole("slider", { name: "Position in the take" }).fill("1.5");
  await compare.getByRole("radio", { name: "B" }).click();
  await expect(compare.getByRole("radio", { name: "B" })).toBeChecked();
  await expect.poll(async () => (await audioElement(page)).position).toBeGreaterThanOrEqual(1.4);
  await compare.getByRole("button", { name: "Close comparison" }).press("Enter");
  await expect(page.locator("#content")).toBeFocused();

  await history
    .getByRole("button", { name: /^Delete take/ })
    .first()
    .click();
  await expect(history.getByRole("listitem")).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(history.getByRole("listitem")).toHaveCount(2);
  await expect.poll(async () => (await storedTakes(page)).length).toBe(2);

  const trash = history.getByRole("button", { name: /^Delete take/ });
  await trash.first().press("Enter");
  await expect(history.getByRole("listitem")).toHaveCount(1);
  await expect(history.getByRole("button", { name: /^Play take/ })).toBeFocused();
  await trash.press("Enter");
  await expect(history.getByRole("listitem")).toHaveCount(0);
  await expect(history.getByRole("heading", { name: "History" })).toBeFocused();
  // The newest toast, which covers the one before it.
  await page.locator("[data-front=true]").getByRole("button", { name: "Undo" }).click();
  await expect(history.getByRole("listitem")).toHaveCount(1);

  await page.getByRole("button", { name: /^Account menu/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(/\/login/);
  expect(await storedTakes(page)).toEqual([]);
});

test("a deleted take can be restored for as long as Undo has the focus, which stays in the page", async ({
  ownerPage: page,
  product,
}) => {
  await page.clock.install();
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await speak(page);
  const history = page.getByRole("region", { name: "History" });
  const undo = page.getByRole("button", { name: "Undo" });
  await history.getByRole("button", { name: /^Delete take/ }).press("Enter");
  await undo.focus();
  await page.clock.fastForward("01:00");
  // Time for the closing animation of a toast.
  await page.clock.runFor(1_000);
  await expect(undo).toBeFocused();
  await undo.press("Enter");
  await expect(history.getByRole("listitem")).toHaveCount(1);
  await expect(undo).toHaveCount(0);
  // The focus returns to where it was before.
  const heading = history.getByRole("heading", { name: "History" });
  await expect(heading).toBeFocused();

  await history.getByRole("button", { name: /^Delete take/ }).press("Enter");
  await heading.blur();
  await page.getByRole("listitem").getByRole("button", { name: "Close" }).press("Enter");
  await expect(undo).toHaveCount(0);
  await expect(page.locator("#content")).toBeFocused();
});

test("a link restores text, voice and speed, and the code samples contain no API key", async ({
  ownerPage: page,
  product,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openSpeech(page, product.url, [
    ["text", `${SENTENCE} 50 % & more`],
    ["voice", "Charon"],
    ["speed", "1.5"],
  ]);
  await expect(page.getByRole("textbox", { name: "Text to speak" })).toHaveValue(`${SENTENCE} 50 % & more`);
  await expect(page.getByRole("radio", { name: /^Charon/ })).toBeChecked();
  await expect(page.getByRole("slider", { name: "Speed", exact: true })).toHaveAttribute(
    "aria-valuetext",
    "1.5×",
  );
  await page.getByRole("button", { name: "Copy link" }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(new URLSearchParams(new URL(link).hash.slice(1)).get("voice")).toBe("Charon");

  for (const tab of ["curl", "JavaScript · OpenAI", "Python"]) {
    await page.getByRole("tab", { name: tab, exact: true }).click();
    const code = page.getByRole("group", { name: `Code: ${tab}` });
    await expect(code).toContainText("Charon");
    await expect(code).toContainText("PATCHBAY_API_KEY");
    await expect(code).not.toContainText("sk-pb-");
  }
  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.getByRole("radio", { name: /^Charon/ })).toBeChecked();

  // What is changed after a link was opened outlasts a reload.
  const text = page.getByRole("textbox", { name: "Text to speak" });
  await expect(page).toHaveURL(`${product.url}/playground/speech`);
  await text.fill("Another text");
  await expect
    .poll(() => page.evaluate(() => sessionStorage.getItem("patchbay-speech-draft") ?? ""))
    .toContain("Another text");
  await page.reload();
  await expect(text).toHaveValue("Another text");
  // A link to a model keeps the text.
  await page.goto(`${product.url}/playground/speech#model=patchbay-speech`);
  await page.reload();
  await expect(page).toHaveURL(`${product.url}/playground/speech`);
  await expect(text).toHaveValue("Another text");
});

test("Ctrl-Enter in the text field speaks, Space outside of it pauses and plays", async ({
  ownerPage: page,
  product,
}) => {
  await openSpeech(page, product.url, [["text", STORY]]);
  const text = page.getByRole("textbox", { name: "Text to speak" });
  await text.focus();
  await page.keyboard.press("Control+Enter");
  await expectStatus(page, /The take is ready/);
  await expect(text).toHaveValue(STORY);
  await text.blur();
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
  await expect.poll(async () => (await audioElement(page)).isPaused).toBe(false);
});

for (const gesture of ["a double click", "a double Enter", "a held Enter"] as const)
  test(`${gesture} on Speak speaks once and does not stop`, async ({ ownerPage: page, product }) => {
    await openSpeech(page, product.url);
    await page.route("**/*:streamGenerateContent*", async (route) => {
      // Slower than the clicks.
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    const speakButton = page.getByRole("button", { name: "Speak", exact: true });
    if (gesture === "a double click") await speakButton.dblclick();
    else {
      await speakButton.focus();
      await page.keyboard.down("Enter");
      if (gesture === "a double Enter") await page.keyboard.up("Enter");
      await page.keyboard.down("Enter");
      await page.keyboard.up("Enter");
    }
    await expectStatus(page, /The take is ready/);
    await expect.poll(() => storedTakes(page)).toMatchObject([{ state: "complete" }]);
  });

test("a voice is found by its style and plays a sample", async ({ ownerPage: page, product }) => {
  await openSpeech(page, product.url);
  await page.getByRole("searchbox", { name: "Search voices" }).fill("gravelly");
  await expect(page.getByRole("radio", { name: /^Kore/ })).toHaveCount(0);
  const call = page.waitForRequest((one) => one.url().includes(":streamGenerateContent"));
  await page.getByRole("button", { name: "Hear Algenib" }).click();
  expect((await call).postDataJSON().generationConfig.speechConfig.voiceConfig).toEqual({
    prebuiltVoiceConfig: { voiceName: "Algenib" },
  });
  await expect(page.getByRole("button", { name: "Stop Algenib" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Hear Algenib" })).toBeVisible({ timeout: 20_000 });
  expect(await storedTakes(page)).toEqual([]);
});

test("a sample that the browser refuses to play can be played with the next click", async ({
  ownerPage: page,
  product,
}) => {
  await openSpeech(page, product.url);
  await page.evaluate(() => {
    const { play } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.play = () => {
      HTMLMediaElement.prototype.play = play;
      return Promise.reject(new DOMException("The request is not allowed.", "NotAllowedError"));
    };
  });
  const hear = page.getByRole("button", { name: "Hear Kore" });
  await hear.click();
  await expect(page.getByRole("button", { name: "Stop Kore" })).toBeVisible();
  await expect(hear).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole("alert").filter({ hasText: /\w/ })).toHaveCount(0);
  await hear.click();
  await expect(page.getByRole("button", { name: "Stop Kore" })).toBeVisible();
});

test("one text is spoken in several voices, each timed, priced and played", async ({
  ownerPage: page,
  product,
}) => {
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await page.getByRole("radio", { name: "Several voices" }).click();
  const compare = page.getByRole("button", { name: "Compare voices" });
  await expect(compare).toBeDisabled();
  await expect(page.getByText("Select at least two voices.")).toBeVisible();
  await page.getByRole("checkbox", { name: /^Puck/ }).check();
  await page.getByRole("checkbox", { name: /^alloy/ }).check();
  const chosen = page.getByRole("region", { name: "Voices to compare" });
  await expect(chosen.getByRole("listitem")).toHaveText([/Kore/, /Puck/, /alloy/]);
  await chosen.getByRole("button", { name: "Remove Puck of patchbay-speech" }).click();
  await expect(page.getByRole("checkbox", { name: /^Puck/ })).not.toBeChecked();

  const headers = page.waitForRequest((one) => one.url().includes(":streamGenerateContent"));
  await compare.click();
  expect((await headers).headers()["cache-control"]).toBe("no-store");
  await expectStatus(page, /2 of 2 voices done/);
  const grid = page.getByRole("region", { name: "Comparison" });
  for (const voice of ["Kore", "alloy"]) {
    const card = grid.getByRole("listitem", { name: `${voice}, patchbay-speech` });
    for (const fact of ["Time to first audio", "Duration", "Cost"])
      await expect(card.getByText(fact, { exact: true })).toBeVisible();
    await expect(card).toContainText("free");
  }
  await expect.poll(async () => (await storedTakes(page)).length).toBe(2);
  const takes = await storedTakes(page);
  for (const take of takes) expect(take.loudness).toBeGreaterThan(AUDIBLE);
  await grid.getByRole("button", { name: "Play alloy of patchbay-speech" }).click();
  await expect.poll(async () => (await audioElement(page)).position).toBeGreaterThan(0.2);
  expect((await audioElement(page)).seconds).toBeCloseTo(takes[0]?.seconds ?? 0, 1);
  await expect(grid.getByRole("button", { name: "Pause alloy of patchbay-speech" })).toBeVisible();

  expect(await axeViolations(page)).toEqual([]);

  // While the audio of a call arrives, the player belongs to that call.
  await page.getByRole("radio", { name: "One voice" }).click();
  const release = await holdRequests(page, "**/*:streamGenerateContent*");
  await page.getByRole("button", { name: "Speak", exact: true }).click();
  await page.getByRole("radio", { name: "Several voices" }).click();
  const play = grid.getByRole("button", { name: "Play Kore of patchbay-speech" });
  await expect(play).toBeDisabled();
  release();
  await expect(play).toBeEnabled();
});

test.describe("a comparison with a failed voice", () => {
  test.use({ allowedConsole: [[/status of 400/], { scope: "test" }] });

  test("offers its retry once no other voice is speaking", async ({ ownerPage: page, product }) => {
    await openSpeech(page, product.url, [["text", SENTENCE]]);
    const path = "**/*:streamGenerateContent*";
    const refusal = { error: { code: 400, message: "Refused once.", status: "INVALID_ARGUMENT" } };
    const release = await holdRequests(page, path);
    await page.route(path, (route) => route.fulfill({ status: 400, json: refusal }), { times: 1 });
    await page.getByRole("radio", { name: "Several voices" }).click();
    await page.getByRole("checkbox", { name: /^alloy/ }).check();
    await page.getByRole("button", { name: "Compare voices" }).click();
    const grid = page.getByRole("region", { name: "Comparison" });
    await expect(grid.getByText("Refused once.")).toBeVisible();
    const retry = grid.getByRole("button", { name: "Retry" });
    await expect(grid.getByText("Waiting for audio")).toBeVisible();
    await expect(retry).toHaveCount(0);
    release();
    await retry.click();
    await expectStatus(page, /2 of 2 voices done/);
  });
});

test("the focus stays nearby when a voice, a speaker or a filter moves or disappears", async ({
  ownerPage: page,
  product,
}) => {
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await page.getByRole("radio", { name: /^Kore/ }).focus();
  await page.keyboard.press("Tab");
  const star = page.getByRole("button", { name: "Favourite: Kore" });
  await expect(star).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("group", { name: "Favourites" }).getByRole("radio")).toHaveCount(1);
  await expect(star).toBeFocused();

  const search = page.getByRole("searchbox", { name: "Search voices" });
  await search.fill("no such voice");
  await page.getByRole("button", { name: "Show all voices" }).press("Enter");
  await expect(search).toBeFocused();

  await page.getByRole("radio", { name: "Several voices" }).check();
  for (const name of [/^Puck/, /^Zephyr/]) await page.getByRole("checkbox", { name }).check();
  await page.getByRole("button", { name: /^Remove Puck/ }).press("Enter");
  await expect(page.getByRole("button", { name: /^Remove Zephyr/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /^Remove Kore/ }).press("Enter");
  await expect(page.locator("#content")).toBeFocused();

  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("menuitem", { name: "A dialogue" }).click();
  await page.getByRole("button", { name: "Add speaker" }).click();
  await page.getByRole("button", { name: /^Remove Ana/ }).press("Enter");
  await expect(page.getByRole("button", { name: /^Choose a voice for Ben/ })).toBeFocused();
  await page.getByRole("button", { name: /^Remove Speaker/ }).press("Enter");
  await expect(page.getByRole("button", { name: /^Choose a voice for Ben/ })).toBeFocused();
});

test("Tab reaches the buttons of each voice of a comparison", async ({ ownerPage: page, product }) => {
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await page.getByRole("radio", { name: "Several voices" }).check();
  await page.getByRole("checkbox", { name: /^Puck/ }).focus();
  for (const name of ["Favourite: Puck", "Hear Puck"]) {
    await page.keyboard.press("Tab");
    await expect(page.getByRole("button", { name })).toBeFocused();
  }
});

test("Space chooses a voice where none is chosen", async ({ ownerPage: page, product }) => {
  await openSpeech(page, product.url, [
    ["text", SENTENCE],
    ["voice", "unknown"],
  ]);
  await expect(page.getByRole("group").getByRole("radio", { checked: true })).toHaveCount(0);
  const kore = page.getByRole("radio", { name: /^Kore/ });
  await kore.focus();
  await page.keyboard.press("Space");
  await expect(kore).toBeChecked();
});

test("a text that is too long is announced once, without its length", async ({
  ownerPage: page,
  product,
}) => {
  await openSpeech(page, product.url);
  const text = page.getByRole("textbox", { name: "Text to speak" });
  const alerts = page.getByRole("main").getByRole("alert");
  const noted = () => alerts.evaluateAll((all) => all.map((one) => one.textContent));
  await expect.poll(noted).toEqual([""]);
  await text.fill("a".repeat(40_000));
  await expect(page.getByText("40,000 characters", { exact: true })).toBeVisible();
  await expect
    .poll(noted)
    .toEqual([expect.stringMatching(/^This model accepts at most [\d,]+ characters\.$/)]);
});

test("arrow keys move one or five seconds in a take, and the slider says where", async ({
  ownerPage: page,
  product,
}) => {
  await openSpeech(page, product.url, [["text", STORY]]);
  await speak(page);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const slider = page.getByRole("slider", { name: "Position in the take" });
  await slider.fill("30");
  const position = async () => (await audioElement(page)).position;
  await expect.poll(position).toBe(30);
  await expect(slider).toHaveAttribute("aria-valuetext", /^0:30.0 of/);
  for (const [key, seconds] of [
    ["ArrowRight", 31],
    ["Shift+ArrowUp", 36],
    ["ArrowLeft", 35],
    ["Shift+ArrowDown", 30],
  ] as const) {
    await slider.press(key);
    await expect.poll(position).toBe(seconds);
    await expect(slider).toHaveAttribute("aria-valuetext", new RegExp(`^0:${seconds}.0 of`));
  }

  await page.keyboard.press("Space");
  await expect.poll(position).toBeGreaterThan(31.5);
  await expect(slider).toBeFocused();
  await expect(slider).toHaveAttribute("aria-valuetext", /^0:30.0 of/);
  await slider.blur();
  await expect(slider).toHaveAttribute("aria-valuetext", /^0:3[1-9].[0-9] of/);
});

test("a favourite voice stays first after a reload, and languages are found by name", async ({
  ownerPage: page,
  product,
}) => {
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await page.getByRole("radio", { name: /^Sulafat/ }).hover();
  await page.getByRole("button", { name: "Favourite: Sulafat" }).click();
  await page.reload();
  const favourites = page.getByRole("group", { name: "Favourites" });
  await expect(favourites.getByRole("radio")).toHaveCount(1);
  await favourites.getByRole("radio", { name: /^Sulafat/ }).check();
  await expect(page.getByRole("group", { name: "Gemini voices · aliases" })).toBeVisible();
  await page.getByRole("combobox", { name: "Provider of the voices" }).selectOption("OpenAI voices");
  await expect(page.getByRole("radio", { name: /^Kore/ })).toHaveCount(0);
  await expect(page.getByRole("radio", { name: /^alloy/ })).toHaveCount(1);

  await page.getByRole("button", { name: /^Language/ }).click();
  await page.getByRole("combobox", { name: "Search languages" }).fill("deutsch");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: /^Language/ })).toContainText("German");
  const call = page.waitForRequest((one) => one.url().includes(":streamGenerateContent"));
  await speak(page);
  expect((await call).postDataJSON().generationConfig.speechConfig).toEqual({
    voiceConfig: { prebuiltVoiceConfig: { voiceName: "Sulafat" } },
    languageCode: "de-DE",
  });
});

test.describe("a rejected speech request", () => {
  test.use({ allowedConsole: [[/400/], { scope: "test" }] });

  test("shows the API's message, advice and the request ID, and can be retried", async ({
    ownerPage: page,
    product,
  }) => {
    await openSpeech(page, product.url, [
      ["text", SENTENCE],
      ["voice", "Korre"],
    ]);
    await page.getByRole("button", { name: "Speak", exact: true }).click();
    const alert = page.getByRole("alert").filter({ hasText: "Korre" });
    await expect(alert).toContainText("did you mean 'Kore'?");
    await expect(alert).toContainText("HTTP 400");
    await expect(alert.getByRole("button", { name: "Copy request ID" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Player", exact: true }).getByRole("alert")).toBeVisible();
    await expect(alert.getByRole("link", { name: "Open in logs" })).toHaveAttribute(
      "href",
      /^\/logs\?status=rejected&request_id=/,
    );
    await page.getByRole("radio", { name: /^Kore/ }).check();
    await alert.getByRole("button", { name: "Retry" }).click();
    await expectStatus(page, /The take is ready/);
    await expect(alert).toHaveCount(0);
  });
});

test.describe("a speech request without budget", () => {
  test.use({ allowedConsole: [/429/] });

  test("shows which budget is used up and when it resets, but no reset of a budget of 0", async ({
    page,
    routed,
  }) => {
    test.slow();
    const mia = { username: "mia", password: "a password for mia, long enough" };
    const budget = { daily_usd: "0.00", monthly_usd: "5.00" };
    const { id, version } = await routed.call("/api/users", { ...mia, budget });
    await signInByCookie(page, routed.product.url, await signIn(routed.product.url, mia));
    await openSpeech(page, routed.product.url, [["text", SENTENCE]]);
    await page.getByRole("button", { name: "Speak", exact: true }).click();
    const alert = page.getByRole("alert").filter({ hasText: "budget" });
    await expect(alert).toContainText("Your daily budget is $0.00, so every request is refused.");
    await expect(alert).toContainText("An administrator can raise it.");
    await expect(alert).not.toContainText("Resets");
    await expect(alert.getByRole("link")).toHaveCount(0);

    const price = async (input_per_million_characters: string | null) => {
      const { items } = await routed.call("/api/models");
      const model = items.find((one: { name: string }) => one.name === "patchbay-speech");
      const prices = { input_per_million_characters };
      await routed.call("/api/models/patchbay-speech", { version: model.version, prices }, "PATCH");
    };
    await price("1000");
    try {
      await routed.call(`/api/users/${id}`, { version, budget: { daily_usd: "0.001" } }, "PATCH");
      await page.reload();
      await openSpeech(page, routed.product.url, [["text", SENTENCE]]);
      await page.getByRole("button", { name: "Speak", exact: true }).click();
      await expect(alert).toContainText("left of your daily budget of $0.0010. This request may cost more.");
      await expect(alert).toContainText("Resets at 00:00 UTC. An administrator can raise it earlier.");
    } finally {
      await price(null);
    }
  });
});

test("shows when speech was stopped before the first audio, and outlines the focused text field", async ({
  ownerPage: page,
  product,
}) => {
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await page.route("**/*:streamGenerateContent*", () => undefined);
  await page.getByRole("button", { name: "Speak", exact: true }).click();
  await expect(page.getByText("Waiting for audio…")).toBeVisible();
  await page.keyboard.press("Escape");
  const player = page.getByRole("region", { name: "Player", exact: true });
  await expect(player.getByText("Stopped before the first audio.", { exact: true })).toBeVisible();
  // The request has not reached the server.
  await expect(player.getByText("The request is in the logs.")).toHaveCount(0);
  await expectStatus(page, /Stopped before the first audio/);
  await page.unrouteAll({ behavior: "ignoreErrors" });

  const text = page.getByRole("textbox", { name: "Text to speak" });
  const outline = () =>
    text.evaluate((one) => getComputedStyle(one.closest("div.overflow-y-auto") ?? one).outlineStyle);
  await text.blur();
  expect(await outline()).toBe("none");
  await text.focus();
  expect(await outline()).toBe("solid");
});

test("the speech playground does not scroll sideways on a phone, with takes, comparison and script open", async ({
  ownerPage: page,
  product,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSpeech(page, product.url, [["text", SENTENCE]]);
  await speak(page);
  await speak(page);
  for (const at of [0, 1])
    await page
      .getByRole("button", { name: /^Compare take/ })
      .nth(at)
      .click();
  await page.getByRole("radio", { name: "Script" }).click();
  await page
    .getByRole("button", { name: /Change voice/ })
    .first()
    .click();
  await expect(page.getByRole("button", { name: "Hear Kore" })).toBeVisible();
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(inner).toBeLessThanOrEqual(outer ?? 0);
});

test("the speech playground shows its settings side by side and the whole player at every width", async ({
  ownerPage: page,
  product,
}) => {
  // A language with a long name.
  await openSpeech(page, product.url, [
    ["text", SENTENCE],
    ["language", "pt-BR"],
  ]);
  await speak(page);
  const player = page.getByRole("region", { name: "Player" });
  const seek = player.getByRole("slider");
  const language = page.getByRole("button", { name: /^Language/ });
  const boxOf = async (one: Locator) => (await one.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  for (const width of [1280, 1024, 640, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await expect
      .poll(async () => {
        const [outer, inner] = [await boxOf(player), await boxOf(seek)];
        return inner.x + inner.width - (outer.x + outer.width);
      }, `waveform beyond the player at ${width}`)
      .toBeLessThan(-16);
    const [one, other] = [await boxOf(language), await boxOf(page.getByRole("slider", { name: "Speed" }))];
    const areApart = one.x + one.width < other.x || other.x + other.width < one.x;
    expect(areApart || one.y + one.height < other.y, `language and speed at ${width}`).toBe(true);
  }
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the speech playground has no axe violations with takes, comparison and script in ${colorScheme}`, async ({
    ownerPage: page,
    product,
  }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await openSpeech(page, product.url, [
      ["text", SCRIPT],
      ["speaker", "Ana|Kore"],
      ["speaker", "Ben|Puck"],
    ]);
    await speak(page);
    await speak(page);
    for (const at of [0, 1])
      await page
        .getByRole("button", { name: /^Compare take/ })
        .nth(at)
        .click();
    await expect(
      page.getByRole("region", { name: "Compare" }).getByRole("radio", { name: "B" }),
    ).toBeVisible();
    expect(await axeViolations(page)).toEqual([]);
  });
}

test.describe("in Chinese", () => {
  test.use({ locale: "zh-CN" });

  test("shows the speech playground and its examples in Chinese", async ({ ownerPage: page, product }) => {
    await page.goto(`${product.url}${PATH}`);
    await expect(page.getByRole("heading", { level: 1, name: "语音试听台" })).toBeVisible();
    await page.getByRole("button", { name: "示例" }).click();
    await page.getByRole("menuitem", { name: "对话" }).click();
    await expect(page.locator('[data-speaker="小安"]')).toHaveCount(2);
    await page.getByRole("button", { name: "朗读", exact: true }).click();
    await expectStatus(page, /录音已就绪/);
    await expect.poll(async () => (await storedTakes(page)).length).toBe(1);
    expect((await storedTakes(page))[0]?.loudness).toBeGreaterThan(AUDIBLE);
  });
});

test.describe("a text that the engine cannot read", () => {
  test.use({ allowedConsole: [/400 \(Bad Request\)/] });

  test("shows its cause only once", async ({ ownerPage: page, product }) => {
    await openSpeech(page, product.url, [["text", "漢字かな"]]);
    const logged = page.waitForResponse((reply) => /\/api\/usage\/[^?/]+$/.test(reply.url()));
    await page.getByRole("button", { name: "Speak", exact: true }).click();
    await logged;
    const alert = page.getByRole("alert").filter({ hasText: "kanji" });
    await expect(alert.getByRole("link", { name: "Open in logs" })).toBeVisible();
    await expect(alert.getByText(/cannot read Japanese kanji/)).toHaveCount(1);
    await expect(alert.getByText("Cause, for administrators")).toHaveCount(0);
  });
});
