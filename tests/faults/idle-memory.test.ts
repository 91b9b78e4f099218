import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { sendRaw } from "../support/raw-request";

/** The memory of a built-in model goes back to the system when it is unloaded. */

const MAX_IDLE_MB = 190;
let product: Product;
let key: string;
beforeAll(async () => {
  product = await startProduct({ nodeAdapterOnly: true });
  key = await createKey(product.url, await setUp(product.url));
});
afterAll(() => product?.close());

async function residentMb(): Promise<number> {
  const { text } = await sendRaw(product.url, { method: "GET", path: "/metrics" });
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 2 ** 20;
}

async function embed(input: string[]): Promise<void> {
  const { status, text } = await sendRaw(product.url, {
    method: "POST",
    path: "/v1/embeddings",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "patchbay-embed-en", input }),
  });
  expect(status, text).toBe(200);
}

test("the process needs at most 190 MB again within a minute after the last use of the semantic model", async () => {
  for (let round = 0; round < 8; round++) {
    const texts = Array.from({ length: 32 }, (_, i) => `Kettle ${i} of round ${round} hums while we wait.`);
    await Promise.all([embed(texts), embed(["Good morning."]), embed(["A long story. ".repeat(100)])]);
  }
  const inUse = await residentMb();
  expect(inUse).toBeGreaterThan(MAX_IDLE_MB);
  // The engine is unloaded after 45 s.
  await expect.poll(residentMb, { timeout: 60_000, interval: 1_000 }).toBeLessThanOrEqual(MAX_IDLE_MB);
  console.log(`${inUse.toFixed(0)} MB in use, ${(await residentMb()).toFixed(0)} MB when unloaded`);
}, 120_000);
