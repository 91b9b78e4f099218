import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SPEECH_CONTENT_TYPES } from "../../lib/contracts/gateway/openai/speech";
import { createKey, OWNER, type Product, setUp, startProduct } from "../support/product";
import { ROOT } from "../support/sources";

/**
 * The folder for the container image has every file that a running server opens. Needs Next's build. A file that code
 * opens by a computed name must be listed in lib/server/collect-runtime.mjs.
 */
const run = promisify(execFile);
/** The smallest format has about 4 KB for these texts. */
const MIN_BYTES = 2_000;

let folder: string;
let product: Product;
let key: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "patchbay-runtime-"));
  await run(process.execPath, ["lib/server/collect-runtime.mjs", folder], { cwd: ROOT });
  product = await startProduct({ root: folder });
  key = await createKey(product.url, await setUp(product.url));
}, 240_000);
afterAll(async () => {
  await product?.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = (route: string, body: object) =>
  fetch(product.url + route, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });

test.each(Object.keys(SPEECH_CONTENT_TYPES))("the folder speaks English and German as %s", async (format) => {
  for (const input of ["The kettle is on.", "Der Kessel pfeift."]) {
    const body = { model: "patchbay-speech", voice: "alloy", input, response_format: format };
    const reply = await call("/v1/audio/speech", body);
    const audio = Buffer.from(await reply.arrayBuffer());
    expect(reply.status, audio.toString("utf8", 0, 300)).toBe(200);
    expect(audio.length).toBeGreaterThan(MIN_BYTES);
  }
});

test.each(["patchbay-embed", "patchbay-embed-en"])("the folder embeds with %s", async (model) => {
  const reply = await call("/v1/embeddings", { model, input: "The kettle is on." });
  expect(reply.status, await reply.text()).toBe(200);
});

test("the folder serves pages with their scripts", async () => {
  const page = await fetch(`${product.url}/login`);
  expect(page.status).toBe(200);
  const [script] = /\/_next\/static\/[^"]+\.js/.exec(await page.text()) ?? [];
  expect((await fetch(`${product.url}${script}`)).status).toBe(200);
});

test("the folder has the admin command", async () => {
  const env = { ...process.env, PATCHBAY_DATA_DIR: product.dataDirectory };
  const command = ["create-key", "--user", OWNER.username, "--name", "second"];
  const { stdout } = await run(process.execPath, [".next/patchbay/admin.mjs", ...command], {
    cwd: folder,
    env,
  });
  expect(stdout).toMatch(/^sk-pb-\w+/);
});
