import { expect } from "./fixtures";
import { test } from "./routed";
import { keptTakes, openSpeech, speak } from "./speech-page";

test("a model whose channel lists no voices asks for one by name, and then speaks", async ({
  routedPage: page,
  routed,
}) => {
  test.slow();
  await routed.allow();
  const model = { name: "a-rented-voice", upstream_name: "kokoro", operation: "speech" };
  const base_url = `${routed.upstream.origin}/bare/v1`;
  await routed.channel("Rented machine", { base_url, models: [model] });

  // The model that can speak at once is chosen, whatever the order of names.
  await openSpeech(page, routed.product.url);
  const models = page.getByLabel("Model", { exact: true });
  await expect(models).toHaveValue("patchbay-speech");
  await models.selectOption("a-rented-voice");

  await page.getByRole("button", { name: "Speak", exact: true }).click();
  const voice = page.getByRole("textbox", { name: "Voice’s name" });
  await expect(voice).toBeFocused();
  await expect(page.getByText("Name a voice first.")).toBeVisible();
  await voice.fill("alloy");
  await speak(page);
  expect((await keptTakes(page))[0]?.loudness).toBeGreaterThan(0);
});
