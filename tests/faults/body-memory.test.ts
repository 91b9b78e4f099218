import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "../support/expect-error";
import { createKey, type Product, setUp, startProduct } from "../support/product";
import { openWire, readReply, sendRaw, type Wire } from "../support/raw-request";

/** Request bodies are counted before they are in memory, and after the concurrency slot is taken. */

const OF_KEY = 100_000;
const OF_ALL = 400_000;
const UPLOAD_MS = 3_000;
let product: Product;
/** Keys of one owner. */
let keys: string[];
/** Keys of a member. */
let others: string[];
/** Key of another member. */
let third: string;
let alone: string;
let limited: string;
const wires: Wire[] = [];

beforeAll(async () => {
  const limits = {
    keyBodiesBytes: OF_KEY,
    allBodiesBytes: OF_ALL,
    embeddingsBodyBytes: 90_000,
    gatewayUploadMs: UPLOAD_MS,
  };
  product = await startProduct({ nodeAdapterOnly: true, env: { PATCHBAY_LIMITS: JSON.stringify(limits) } });
  const cookie = await setUp(product.url);
  keys = [];
  for (let i = 0; i < 4; i++) keys.push(await createKey(product.url, cookie));
  const member = await addMember(cookie, "mary");
  others = [await createKey(product.url, member), await createKey(product.url, member)];
  third = await createKey(product.url, await addMember(cookie, "thea"));
  alone = await createKey(product.url, cookie, { concurrency: 1 });
  limited = await createKey(product.url, cookie, { rpm: 1 });
});
afterAll(() => product?.close());
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.destroy();
  // Once a largest body fits the limit of each key again, the server has noticed that these connections are closed.
  for (const key of [...keys, ...others, third]) await untilFree(key);
});

/** Makes a member by an invite and returns the session cookie. */
async function addMember(cookie: string, username: string): Promise<string> {
  const post = (path: string, fields: object, own = "") =>
    sendRaw(product.url, {
      path,
      headers: { "content-type": "application/json", ...(own === "" ? {} : { cookie: own }) },
      body: JSON.stringify(fields),
    });
  // The console's envelope.
  const invite = (await post("/api/invites", {}, cookie)).json as { data: { token: string } };
  const { token } = invite.data;
  const password = "nine blue lanterns sway";
  const reply = await post("/api/invites/accept", {
    token,
    username,
    password,
    confirmPassword: password,
  });
  expect(reply.status, reply.text).toBe(200);
  return [reply.headers["set-cookie"] ?? []]
    .flat()
    .map((one) => one.split(";")[0])
    .join("; ");
}

const head = (key: string | undefined, ...more: string[]) =>
  [
    "POST /v1/embeddings HTTP/1.1",
    "Host: localhost",
    "Content-Type: application/json",
    `Authorization: Bearer ${key}`,
    ...more,
    "",
    "",
  ].join("\r\n");

/** Announces a body and waits for the server's reply: `100 Continue` or a refusal. */
async function announce(key: string | undefined, bytes: number): Promise<{ wire: Wire; status: number }> {
  const wire = await openWire(product.port);
  wires.push(wire);
  wire.send(head(key, `Content-Length: ${bytes}`, "Expect: 100-continue"));
  const answer = await wire.until("\r\n\r\n");
  return { wire, status: Number(answer.split(" ")[1]) };
}

/** Sends a body of `bytes` without its announced last byte, so that the server keeps the bytes in memory. */
async function upload(key: string | undefined, bytes: number): Promise<void> {
  const { wire, status } = await announce(key, bytes + 1);
  expect(status).toBe(100);
  wire.send(" ".repeat(bytes));
  await untilHeld(key, OF_KEY - bytes);
}

/** Resolves when the key may announce no more than `leftBytes`: earlier bodies have been read. */
async function untilHeld(key: string | undefined, leftBytes: number): Promise<void> {
  await expect
    .poll(async () => {
      const { wire, status } = await announce(key, leftBytes + 1);
      wire.destroy();
      return status;
    })
    .not.toBe(100);
}

async function untilFree(key: string): Promise<void> {
  for (;;) {
    // 90 kB is the largest body; announcing it does not count against the limit.
    const { wire, status } = await announce(key, 90_000);
    wire.destroy();
    await wire.ended;
    if (status === 100) return;
  }
}

const body = JSON.stringify({ model: "patchbay-embed", input: "x", dimensions: 8 });
const embed = (key: string | undefined, text = body) =>
  sendRaw(product.url, {
    path: "/v1/embeddings",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: text,
  });

describe("bodies in memory", () => {
  test("above the key's limit are refused with 429 before they are sent; other keys are not affected", async () => {
    const [key, other] = keys;
    await upload(key, 60_000);
    const refused = await announce(key, 60_000);
    const reply = readReply(await refused.wire.ended);
    expectError(reply, "openai", 429);
    expect(reply.headers["retry-after"]).toBe("1");
    expect((await announce(other, 60_000)).status).toBe(100);
    expect((await embed(key)).status).toBe(200);
  });

  test("that are announced and never arrive block no other calls", async () => {
    for (const key of [...keys, ...keys]) expect((await announce(key, 90_000)).status).toBe(100);
    for (const key of [keys[0], others[0]]) expect((await announce(key, 90_000)).status).toBe(100);
  });

  test("above half of the total are refused with 429 for every key of their owner, and for no other key", async () => {
    const [a, b, c] = keys;
    for (const key of [a, b]) await upload(key, 80_000);
    const refused = await announce(c, 60_000);
    const reply = readReply(await refused.wire.ended);
    expectError(reply, "openai", 429);
    expect(refused.wire.received()).toContain("All keys of this key's owner together");
    expect((await announce(others[0], 90_000)).status).toBe(100);
  });

  test("above the total limit are refused with 503 overloaded", async () => {
    for (const key of [keys[0], keys[1], ...others]) await upload(key, 80_000);
    const refused = await announce(third, 90_000);
    const reply = readReply(await refused.wire.ended);
    expectError(reply, "openai", 503);
    expect(reply.json).toMatchObject({ error: { code: "overloaded" } });
    expect(reply.headers["retry-after"]).toBe("1");
  });

  test("of unknown length are counted as they arrive", async () => {
    const [key] = keys;
    await upload(key, 60_000);
    const wire = await openWire(product.port);
    wires.push(wire);
    wire.send(head(key, "Transfer-Encoding: chunked"));
    for (let i = 0; i < 5; i++) wire.send(`2710\r\n${" ".repeat(10_000)}\r\n`);
    expectError(readReply(await wire.ended), "openai", 429);
  });

  test("that are too large still get 413, and those of an unknown key still get 401", async () => {
    const [key] = keys;
    await upload(key, 60_000);
    expect((await announce(key, 90_001)).status).toBe(413);
    expect((await announce("sk-pb-nobody", 60_000)).status).toBe(401);
  });
});

describe("the limits of a key", () => {
  test("take a concurrency slot before the body is requested", async () => {
    const first = await announce(alone, 1_000);
    expect(first.status).toBe(100);
    const second = await announce(alone, 1_000);
    expect(second.status).toBe(429);
    expect(second.wire.received()).toContain("is limited to 1 concurrent request");
  });

  test("free the concurrency slot however a call ends", { timeout: 60_000 }, async () => {
    const stalled = await announce(alone, 1_000);
    expect(stalled.status).toBe(100);
    // The upload timeout ended the call.
    expect(await stalled.wire.ended).toContain("HTTP/1.1 408");
    expect((await embed(alone)).status).toBe(200);
    for (const [text, status] of [
      ["{", 400],
      ["[]", 400],
      [JSON.stringify({ model: "unknown", input: "x" }), 404],
      [" ".repeat(90_001), 413],
      [JSON.stringify({ model: "patchbay-embed", input: "" }), 400],
      [body, 200],
    ] as const) {
      const reply = await embed(alone, text).catch(() => ({ status: 413 }));
      expect(reply.status).toBe(status);
    }
    const left = await announce(alone, 1_000);
    left.wire.destroy();
    await expect.poll(async () => (await embed(alone)).status).toBe(200);
    const speech = await sendRaw(product.url, {
      path: "/v1/audio/speech",
      headers: { authorization: `Bearer ${alone}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "patchbay-speech",
        input: "One, two.",
        voice: "alloy",
        response_format: "pcm",
      }),
    });
    expect(speech.status).toBe(200);
    expect((await embed(alone)).status).toBe(200);
  });

  test("check requests per minute before the content type and the body", async () => {
    expect((await embed(limited, "{")).status).toBe(400);
    expect((await embed(limited, "{")).status).toBe(429);
    const wrongType = await sendRaw(product.url, {
      path: "/v1/embeddings",
      headers: { authorization: `Bearer ${limited}`, "content-type": "text/plain" },
      body,
    });
    expect(wrongType.status).toBe(429);
  });
});
