import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guideSamples } from "../../components/api-docs/guide-samples";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { ROOT } from "../support/sources";

const run = promisify(execFile);

let product: Product;
let folder: string;
let samples: Readonly<Record<string, string>>;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  product = await startProduct({ nodeAdapterOnly: true });
  const key = await createKey(product.url, await setUp(product.url));
  folder = mkdtempSync(path.join(tmpdir(), "patchbay-guides-"));
  samples = guideSamples(product.url, { speech: "patchbay-speech", embeddings: "patchbay-embed" });
  env = { PATH: process.env.PATH, NODE_ENV: "test", PATCHBAY_API_KEY: key };
});
afterAll(async () => {
  await product?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a sample as a module that finds the SDKs of this repository and writes into the test's own folder. */
async function runScript(name: string): Promise<string> {
  const code = `process.chdir(${JSON.stringify(folder)});\n${samples[name]}`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], { cwd: ROOT, env });
  return stdout;
}

async function runShell(code: string): Promise<string> {
  const { stdout } = await run("sh", ["-c", code], { cwd: folder, env });
  return stdout;
}

const head = (file: string, bytes: number) =>
  readFileSync(path.join(folder, file)).subarray(0, bytes).toString("latin1");
const size = (file: string) => readFileSync(path.join(folder, file)).length;

describe("the guide samples", () => {
  test("run for OpenAI embeddings", async () => {
    expect(await runScript("openai-embeddings")).toMatch(/^\d+ \[/);
  });

  test("run for OpenAI speech", async () => {
    await runScript("openai-speech");
    expect(head("speech.mp3", 1)).toBe("\xff");
  });

  test("run for Gemini speech", async () => {
    await runScript("genai-speech");
    expect(size("speech.pcm")).toBeGreaterThan(24_000);
  });

  test("run for a script of two speakers with Google's SDK", async () => {
    await runScript("script-genai");
    expect(size("speech.pcm")).toBeGreaterThan(48_000);
  });

  test("run for Vercel's AI SDK", async () => {
    expect(await runScript("vercel")).toMatch(/^1024 \d{4,}/);
  });

  test("run for speech, embeddings and a script with curl", async () => {
    await runShell(samples["curl-speech"] ?? "");
    expect(head("speech.mp3", 1)).toBe("\xff");
    expect(JSON.parse(await runShell(samples["curl-embeddings"] ?? "")).data).toHaveLength(1);
    // jq and a player can be missing: the call is the part before them.
    const [call = ""] = (samples["script-curl"] ?? "").split("\n  | jq");
    const reply = JSON.parse(await runShell(call.replace(/ \\$/, "")));
    expect(reply.candidates[0].content.parts[0].inlineData.data.length).toBeGreaterThan(48_000);
  });
});
