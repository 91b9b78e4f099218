import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, OWNER, type Product, setUp, startProduct } from "../support/product";
import { sendRaw } from "../support/raw-request";
import { totpCode } from "../support/totp";

/** Secrets and prompts that pass through the service, as markers that must not appear elsewhere. */
let product: Product;
const secrets = new Map<string, string>();

const PROMPT = "zebra-umbrella-quartz-prompt";

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  return sendRaw(product.url, {
    path: url,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}
const dataOf = (json: unknown) => (json as { data: Record<string, unknown> }).data;

beforeAll(async () => {
  product = await startProduct({ nodeAdapterOnly: true, env: { PATCHBAY_LOG_LEVEL: "debug" } });
  secrets.set("setup token", /#token=([\w-]+)/.exec(product.output())?.[1] ?? "");
  const cookie = await setUp(product.url);
  secrets.set("password", OWNER.password);
  secrets.set("session cookie", cookie.slice(cookie.indexOf("=") + 1));
  const key = await createKey(product.url, cookie);
  secrets.set("API key", key);
  const secret = String(dataOf((await post("/api/user/2fa/setup", {}, { cookie })).json).secret);
  secrets.set("TOTP secret", secret);
  const enabled = await post("/api/user/2fa/enable", { code: totpCode(secret, Date.now()) }, { cookie });
  const codes = dataOf(enabled.json).backup_codes as string[];
  secrets.set("backup code", codes[0] ?? "");
  const login = await post("/api/user/login", OWNER);
  secrets.set("flow token", String(dataOf(login.json).flow_token));
  await post("/api/user/login", { ...OWNER, password: "wrong-password-marker" });
  secrets.set("wrong password", "wrong-password-marker");
  await post(
    "/v1/embeddings",
    { model: "patchbay-embed", input: PROMPT },
    { authorization: `Bearer ${key}` },
  );
  await post(`/v1beta/models/patchbay-speech:generateContent?key=${key}`, {
    contents: [{ parts: [{ text: PROMPT }] }],
    generationConfig: { responseModalities: ["AUDIO"] },
  });
  await post(
    "/v1/embeddings",
    { model: "patchbay-embed", input: 5, note: PROMPT },
    { authorization: `Bearer ${key}` },
  );
  secrets.set("prompt", PROMPT);
});
afterAll(() => product?.close());

test("every secret is a marker of at least 8 characters", () => {
  expect([...secrets].filter(([, value]) => value.length < 8)).toEqual([]);
});

test("no secret or prompt is in the log", () => {
  // The start prints the setup link for the operator; it has been used by now.
  const printed = product.output();
  const found = [...secrets].filter(([name, value]) => name !== "setup token" && printed.includes(value));
  expect(found.map(([name]) => name)).toEqual([]);
});

test("no secret or prompt is in the data folder, including the write-ahead log", () => {
  const files = readdirSync(product.dataDirectory);
  expect(files).toEqual(expect.arrayContaining(["patchbay.db"]));
  const found = files.flatMap((file) => {
    const bytes = readFileSync(path.join(product.dataDirectory, file));
    return [...secrets].filter(([, value]) => bytes.includes(value)).map(([name]) => `${name} in ${file}`);
  });
  expect(found).toEqual([]);
});

test("no public path reveals a secret", async () => {
  const paths = [
    "/api/setup",
    "/api/status",
    "/api/health/live",
    "/api/health/ready",
    "/metrics",
    "/openapi.json",
    "/nowhere",
    "/v1/models",
    "/v1beta/models",
  ];
  for (const address of paths) {
    const reply = await sendRaw(product.url, { method: "GET", path: address });
    const words = reply.text + JSON.stringify(reply.headers);
    const found = [...secrets]
      .filter(([, value]) => words.includes(value))
      .map(([name]) => `${name} at ${address}`);
    expect(found).toEqual([]);
  }
});

test("no path reveals the setup token before setup", async () => {
  const fresh = await startProduct({ nodeAdapterOnly: true });
  try {
    const token = /#token=([\w-]+)/.exec(fresh.output())?.[1] ?? "";
    expect(token.length).toBeGreaterThanOrEqual(43);
    for (const address of [
      "/api/setup",
      "/api/status",
      "/api/health/ready",
      "/metrics",
      "/openapi.json",
      "/v1/models",
    ]) {
      const reply = await sendRaw(fresh.url, { method: "GET", path: address });
      expect(reply.text + JSON.stringify(reply.headers)).not.toContain(token);
    }
  } finally {
    await fresh.close();
  }
});
