import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_PROMPT_BYTES } from "../../lib/gateway/metering/meter";
import { type RoutedProduct, spoken, startRouted } from "../support/routed-product";

/** Prompts are stored only while the settings say so. */

let routed: RoutedProduct;
beforeAll(async () => {
  routed = await startRouted();
});
afterAll(() => routed?.close());

function filesWith(words: string): string[] {
  const folder = routed.product.dataDirectory;
  return readdirSync(folder).filter((file) => readFileSync(path.join(folder, file)).includes(words));
}

const keep = (isOn: boolean) => routed.changeSettings({ keep_prompts: isOn });

async function promptOf(model: string): Promise<string | null> {
  const [row] = await routed.whenRows(model, 1);
  return (await routed.console(`/api/usage/${row?.request_id}`)).prompt;
}

test("stores truncated prompts while the setting is on, and none before and after", async () => {
  const embedding = await routed.route("embeddings", [{ as: "embed.8" }]);
  const speech = await routed.route("speech", [{ as: "tts" }]);
  const canary = (name: string) => `quartz-umbrella-${name}`;
  await routed.send("/v1/embeddings", { model: embedding.name, input: canary("before") });
  expect(await promptOf(embedding.name)).toBeNull();

  await keep(true);
  await routed.send(...spoken("openai", speech.name, canary("spoken")));
  expect(await promptOf(speech.name)).toBe(canary("spoken"));
  const long = await routed.route("embeddings", [{ as: "embed.8" }], { max_input_tokens: 100_000 });
  const text = `${"ä b ".repeat(8_000)}${canary("tail")}`;
  expect((await routed.send("/v1/embeddings", { model: long.name, input: [text, "more"] })).status).toBe(200);
  const kept = (await promptOf(long.name)) ?? "";
  expect(text.startsWith(kept)).toBe(true);
  expect(MAX_PROMPT_BYTES - Buffer.byteLength(kept)).toBeLessThan(4);

  await keep(false);
  const after = await routed.route("embeddings", [{ as: "embed.8" }]);
  await routed.send("/v1/embeddings", { model: after.name, input: canary("after") });
  expect(await promptOf(after.name)).toBeNull();
  for (const name of ["before", "after", "tail"]) expect(filesWith(canary(name))).toEqual([]);
  expect(filesWith(canary("spoken"))).not.toEqual([]);
});
