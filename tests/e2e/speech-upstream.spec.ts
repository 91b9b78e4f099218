import { expect } from "./fixtures";
import { test } from "./routed";
import { openSpeech, speak, storedTakes } from "./speech-page";

test("the speech playground asks for a voice name, offers OpenAI's and sends instructions where the model's channel lists no voices", async ({
  routedPage: page,
  routed,
}) => {
  test.slow();
  await routed.allow();
  const model = { name: "a-rented-voice", upstream_name: "kokoro", operation: "speech" };
  const base_url = `${routed.upstream.origin}/bare/v1`;
  await routed.channel("Rented machine", { base_url, models: [model] });

  // The model with a default voice is preselected, whatever the order of names.
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
