import { expect } from "./fixtures";
import { test } from "./routed";
import { openSpeech, speak, storedTakes } from "./speech-page";

test("the speech playground asks for a voice name where the model's channel lists no voices", async ({
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
  await voice.fill("alloy");
  await speak(page);
  expect((await storedTakes(page))[0]?.loudness).toBeGreaterThan(0);
});
