import { expect } from "./fixtures";
import { test } from "./routed";
import { openSpeech, speak, storedTakes } from "./speech-page";

test("the speech playground asks for a voice name, offers OpenAI's and sends instructions if the channel lists no voices", async ({
  routedPage: page,
  routed,
}) => {
  test.slow();
  await routed.allow();
  const model = { name: "a-rented-voice", upstream_name: "kokoro", operation: "speech" };
  const base_url = `${routed.upstream.origin}/bare/v1`;
  await routed.channel("Rented machine", { base_url, models: [model] });

  // Every click comes at the same time: a rejected one must not make the next one part of a double click.
  await page.addInitScript(() => Object.defineProperty(Event.prototype, "timeStamp", { get: () => 1 }));
  // The model with a default voice is preselected, independent of the order of names.
  await openSpeech(page, routed.product.url);
  const models = page.getByLabel("Model", { exact: true });
  await expect(models).toHaveValue("patchbay-speech");
  await models.selectOption("a-rented-voice");

  await page.getByRole("button", { name: "Speak", exact: true }).click();
  const voice = page.getByRole("textbox", { name: "Voice name" });
  await expect(voice).toBeFocused();
  await expect(page.getByText("Enter a voice name.")).toBeVisible();
  const names = page.getByRole("region", { name: /^OpenAI’s names/ }).getByRole("button");
  await expect(names).toHaveCount(13);
  await names.getByText("alloy", { exact: true }).click();
  await expect(voice).toHaveValue("alloy");
  await page.getByRole("textbox", { name: "Instructions" }).fill("Whisper.");
  await speak(page);
  expect((await storedTakes(page))[0]?.loudness).toBeGreaterThan(0);
  expect(routed.upstream.ledger.at(-1)?.body).toMatchObject({ voice: "alloy", instructions: "Whisper." });

  await models.selectOption("patchbay-speech");
  await expect(page.getByRole("textbox", { name: "Instructions" })).toHaveCount(0);
});

test("links administrators to the log of a call stopped before the first audio", async ({
  routedPage: page,
  routed,
}) => {
  await routed.allow();
  const model = { name: "a-silent-voice", upstream_name: "kokoro--black-hole", operation: "speech" };
  await routed.channel("Silent machine", { models: [model] });
  await openSpeech(page, routed.product.url, [
    ["model", "a-silent-voice"],
    ["text", "Hello."],
    ["voice", "alloy"],
  ]);
  const sent = page.waitForRequest(
    (one) => one.url().includes("/v1/audio/speech") || one.url().includes(":streamGenerateContent"),
  );
  await page.getByRole("button", { name: "Speak", exact: true }).click();
  const requestId = (await sent).headers()["x-request-id"] ?? "";
  await expect.poll(() => routed.upstream.ledger.length).toBeGreaterThan(0);
  await page.keyboard.press("Escape");
  const player = page.getByRole("region", { name: "Player", exact: true });
  await expect(player.getByText("Stopped before the first audio.", { exact: true })).toBeVisible();
  await expect(player.getByText("The request is in the logs.")).toBeVisible();
  await player.getByRole("link", { name: "Open in logs" }).click();
  await expect(page.getByRole("dialog").getByText(requestId)).toBeVisible();
});
