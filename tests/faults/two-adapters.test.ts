import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NextAlone, startNextAlone } from "../support/next-alone";
import { createKey, OWNER, type Product, setUp, signIn, startProduct } from "../support/product";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-request";

/**
 * The gateway's calls through the Node adapter (`npm start`) and through Next's route handlers (`next start` on the same
 * build and the same store): the same status, headers and bytes. Without our server, Next does not know the caller's
 * address, so requests that depend on it are rejected.
 */

/** Headers of the connection, of its framing or of the time, and those that Next adds to every route handler (`vary`). */
const OWN_HEADERS = new Set([
  "date",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "vary",
  "x-patchbay-overhead-ms",
  "ratelimit-reset",
  "x-ratelimit-reset-requests",
  "x-ratelimit-reset-tokens",
  "retry-after-ms",
]);

/** Short bodies unchanged, long ones as digest and size, so that a difference is readable. */
function shortened(body: string): string {
  if (body.length < 2_000) return body;
  return `${body.slice(0, 80)}… ${body.length} bytes, sha256 ${createHash("sha256").update(body).digest("hex")}`;
}

/** An Ogg stream has a random serial number, which changes the checksums of its pages (RFC 3533 §6). */
function withoutSerial(ogg: Buffer): Buffer {
  const pages = Buffer.from(ogg);
  for (let at = pages.indexOf("OggS"); at !== -1; at = pages.indexOf("OggS", at + 27)) {
    pages.fill(0, at + 14, at + 18);
    pages.fill(0, at + 22, at + 26);
  }
  return pages;
}

function comparable(reply: RawReply) {
  const headers = Object.fromEntries(
    Object.entries(reply.headers).filter(([name]) => !OWN_HEADERS.has(name)),
  );
  // Only the reply's ID must differ.
  const bytes = reply.headers["content-type"] === "audio/ogg" ? withoutSerial(reply.bytes) : reply.bytes;
  const body = bytes.toString("latin1").replaceAll(/"responseId":"[^"]+"/g, '"responseId":"…"');
  return { status: reply.status, headers, body: shortened(body) };
}

let product: Product;
let alone: NextAlone;
let dataDirectory: string;
const keys: Record<string, string> = {};

beforeAll(async () => {
  dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-adapters-"));
  product = await startProduct({ dataDirectory });
  const cookie = await setUp(product.url);
  const make = async (name: string, fields: Record<string, unknown> = {}) => {
    keys[name] = await createKey(product.url, cookie, { name, ...fields });
  };
  await make("good");
  await make("two a minute", { rpm: 2 });
  await make("without money", { budget: { total_usd: "0" } });
  await make("embeddings alone", { operations: ["embeddings"] });
  await make("one model", { allowed_models: ["patchbay-speech"] });
  await make("at home", { allowed_addresses: ["127.0.0.1/32"] });
  await make("elsewhere", { allowed_addresses: ["203.0.113.0/24"] });
  await make("disabled", { enabled: false });
  alone = await startNextAlone(dataDirectory);
});
afterAll(async () => {
  await alone?.close();
  await product?.close();
  rmSync(dataDirectory, { recursive: true, force: true });
});

interface Call extends Omit<RawRequest, "body"> {
  key?: string;
  body?: unknown;
}

async function both({ key = "good", body, ...call }: Call): Promise<[RawReply, RawReply]> {
  const isBytes = typeof body === "string" || body instanceof Uint8Array;
  const bytes = isBytes ? body : JSON.stringify(body);
  const request: RawRequest = {
    ...call,
    ...(bytes === undefined ? {} : { body: bytes }),
    headers: {
      "x-request-id": "the-same-for-both",
      ...(key === "" ? {} : { authorization: `Bearer ${keys[key] ?? key}` }),
      ...(bytes === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
    },
  };
  return [await sendRaw(product.url, request), await sendRaw(alone.url, request)];
}

const SPEAK = "/v1beta/models/patchbay-speech:generateContent";
const STREAM = "/v1beta/models/patchbay-speech:streamGenerateContent";
const EMBED = "/v1/embeddings";
const ENGINE = "/v1/engines/patchbay-embed/embeddings";
const TALK = "/v1/audio/speech";
const contents = { contents: [{ parts: [{ text: "The kettle is on." }] }] };
const speech = { ...contents, generationConfig: { responseModalities: ["AUDIO"] } };
const script = {
  contents: [{ parts: [{ text: "Ann: Is it on?\nBob: It is." }] }],
  generationConfig: {
    responseModalities: ["AUDIO"],
    speechConfig: {
      multiSpeakerVoiceConfig: {
        speakerVoiceConfigs: [
          { speaker: "Ann", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
          { speaker: "Bob", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Puck" } } },
        ],
      },
    },
  },
};
const inWav = {
  ...contents,
  generationConfig: {
    responseModalities: ["AUDIO"],
    responseFormat: { audio: { mimeType: "AUDIO_WAV" } },
  },
};
const embed = (input: unknown, more: object = {}) => ({ model: "patchbay-embed", input, ...more });
const talk = (more: object) => ({
  model: "patchbay-speech",
  input: "Tea is ready.",
  voice: "alloy",
  ...more,
});
const withoutKey = { key: "" };

const CALLS: [string, number, Call][] = [
  ["a text", 200, { path: EMBED, body: embed("a cat sat") }],
  ["a text at the engine's path", 200, { path: ENGINE, body: embed("a cat sat") }],
  ["base64", 200, { path: ENGINE, body: embed("a cat sat", { encoding_format: "base64" }) }],
  ["several texts", 200, { path: EMBED, body: embed(["one", "two", "Grüße 你好"]) }],
  ["token ids", 200, { path: EMBED, body: embed([1820, 8415]) }],
  ["several lists of token ids", 200, { path: EMBED, body: embed([[1820], [8415, 7731]]) }],
  ["fewer dimensions", 200, { path: EMBED, body: embed("short", { dimensions: 64 }) }],
  ["white space", 200, { path: EMBED, body: embed("  ") }],
  ["no content type", 200, { path: EMBED, body: embed("x"), headers: { "content-type": [] } }],
  [
    "one content",
    200,
    { path: "/v1beta/models/patchbay-embed:embedContent", body: { content: { parts: [{ text: "x" }] } } },
  ],
  [
    "a batch of contents on v1",
    200,
    {
      path: "/v1/models/patchbay-embed:batchEmbedContents",
      body: { requests: [{ model: "models/patchbay-embed", content: { parts: [{ text: "x" }] } }] },
    },
  ],
  ["counted tokens", 200, { path: "/v1beta/models/patchbay-speech:countTokens", body: contents }],
  ["speech as one JSON document", 200, { path: SPEAK, body: speech }],
  ["speech on v1", 200, { path: "/v1/models/patchbay-speech:generateContent", body: speech }],
  ["speech by an encoded colon", 200, { path: SPEAK.replace(":", "%3A"), body: speech }],
  [
    "speech by Google's header",
    200,
    { path: SPEAK, body: speech, key: "", headers: { "x-goog-api-key": "good" } },
  ],
  ["speech by two speakers", 200, { path: SPEAK, body: script }],
  ["speech as a WAV file", 200, { path: SPEAK, body: inWav }],
  [
    "speech with an ignored field",
    200,
    { path: SPEAK, body: { ...speech, systemInstruction: contents.contents[0] } },
  ],
  ["speech as events", 200, { path: `${STREAM}?alt=sse`, body: speech }],
  ["speech as a JSON array", 200, { path: STREAM, body: speech }],
  ...["mp3", "opus", "aac", "flac", "wav", "pcm"].map((format): [string, number, Call] => [
    `speech as ${format}`,
    200,
    { path: TALK, body: talk({ response_format: format }) },
  ]),
  [
    "OpenAI's speech events",
    200,
    { path: TALK, body: talk({ stream_format: "sse", response_format: "pcm" }) },
  ],
  ["the models", 200, { method: "GET", path: "/v1/models" }],
  ["HEAD of the models", 200, { method: "HEAD", path: "/v1/models" }],
  ["OPTIONS of the models", 204, { method: "OPTIONS", path: "/v1/models" }],
  ["the models in Gemini's form", 200, { method: "GET", path: "/v1beta/models?pageSize=1" }],
  ["embeddings without /v1", 404, { path: "/embeddings", body: embed("x") }],
  ["speech without /v1", 404, { path: "/audio/speech", body: talk({}) }],
  ["a chat without /v1", 404, { path: "/chat/completions", body: { model: "x", messages: [] } }],
  ["the models without /v1", 404, { method: "GET", path: "/models" }],
  [
    "a Gemini call without /v1beta",
    404,
    {
      path: "/models/patchbay-embed:embedContent",
      body: contents,
      key: "",
      headers: { "x-goog-api-key": "good" },
    },
  ],
  [
    "an unknown model to a Google client",
    404,
    { method: "GET", path: "/v1/models/nobody", key: "", headers: { "x-goog-api-key": "good" } },
  ],
  ["a model", 200, { method: "GET", path: "/v1/models/patchbay-embed" }],
  ["a model in Gemini's form", 200, { method: "GET", path: "/v1beta/models/patchbay-speech" }],
  ["the voices", 200, { method: "GET", path: "/v1/audio/voices" }],

  ["no body", 400, { path: EMBED }],
  ["broken JSON", 400, { path: EMBED, body: "{" }],
  ["a wrong field", 400, { path: EMBED, body: embed(5) }],
  ["a wrong field on the Gemini surface", 400, { path: SPEAK, body: { ...speech, contents: "x" } }],
  ["another model in the path", 400, { path: ENGINE, body: { model: "other", input: "x" } }],
  ["an impossible model", 400, { path: "/v1/engines/_x/embeddings", body: embed("x") }],
  ["a NUL in the model", 400, { path: "/v1/engines/a%00b/embeddings", body: embed("x") }],
  ["two different keys", 400, { path: SPEAK, body: speech, headers: { "x-goog-api-key": "sk-pb-other" } }],
  ["an unknown voice", 400, { path: TALK, body: talk({ voice: "Korre" }) }],
  ["no key", 401, { path: EMBED, body: embed("x"), ...withoutKey }],
  ["no key on the Gemini surface", 401, { path: SPEAK, body: speech, ...withoutKey }],
  ["an unknown key", 401, { path: EMBED, body: embed("x"), key: "sk-pb-nobody" }],
  [
    "a key in the query of the OpenAI surface",
    401,
    { path: `${EMBED}?key=x`, body: embed("x"), ...withoutKey },
  ],
  ["a disabled key", 401, { path: EMBED, body: embed("x"), key: "disabled" }],
  ["an operation that the key does not have", 403, { path: SPEAK, body: speech, key: "embeddings alone" }],
  ["a model that the key does not have", 403, { path: EMBED, body: embed("x"), key: "one model" }],
  ["an address that the key does not have", 403, { path: EMBED, body: embed("x"), key: "elsewhere" }],
  ["an unknown model", 404, { path: EMBED, body: { model: "nobody", input: "x" } }],
  ["an unknown Gemini model", 404, { path: "/v1beta/models/nobody:generateContent", body: speech }],
  ["an unknown method", 404, { path: "/v1beta/models/patchbay-speech:dance", body: speech }],
  ["an unknown path", 404, { path: "/v1/nowhere", body: {} }],
  ["an unknown Gemini path", 404, { path: "/v1beta/nowhere", body: {} }],
  ["a path traversal", 404, { path: "/v1/engines/..%2f..%2fadmin/embeddings", body: embed("x") }],
  ["a trailing slash", 404, { path: "/v1/embeddings/", body: embed("x") }],
  ["the surface's root", 404, { method: "GET", path: "/v1" }],
  ["a wrong method", 405, { method: "GET", path: EMBED }],
  ["a wrong method on the Gemini surface", 405, { method: "DELETE", path: SPEAK }],
  // Declared but not sent: servers can treat the bytes of a rejected body differently.
  [
    "a large body",
    413,
    {
      path: SPEAK,
      headers: { "content-length": String(4 * 1024 * 1024 + 1), "content-type": "application/json" },
    },
  ],
  [
    "a form",
    415,
    { path: EMBED, body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
  ],
  ["a compressed body", 415, { path: SPEAK, body: speech, headers: { "content-encoding": "gzip" } }],
  [
    "a declared charset of UTF-16",
    415,
    { path: SPEAK, body: speech, headers: { "content-type": "application/json; charset=utf-16" } },
  ],
  ["an exhausted budget", 429, { path: EMBED, body: embed("x"), key: "without money" }],
];

describe("both adapters", () => {
  test.each(CALLS)("answer %s with the same %i reply", async (_name, status, call) => {
    const given = call.headers?.["x-goog-api-key"];
    const headers = given === "good" ? { ...call.headers, "x-goog-api-key": keys.good ?? "" } : call.headers;
    const [node, next] = await both({ ...call, ...(headers ? { headers } : {}) });
    expect(node.status, node.text.slice(0, 300)).toBe(status);
    expect(comparable(next)).toEqual(comparable(node));
    if (status === 200 && call.method !== "HEAD") expect(node.bytes.length).toBeGreaterThan(20);
  });

  test("answer 429 with Retry-After to the third call of two a minute", async () => {
    const call = { path: EMBED, body: embed("x"), key: "two a minute" };
    for (const left of ["1", "0"]) {
      for (const reply of await both(call)) {
        expect(reply.status).toBe(200);
        expect(reply.headers["x-ratelimit-remaining-requests"]).toBe(left);
      }
    }
    const [node, next] = await both(call);
    expect(node.status).toBe(429);
    expect(Number(node.headers["retry-after"])).toBeGreaterThan(0);
    const { "retry-after": _, ...rest } = comparable(node).headers;
    expect(comparable(next).headers).toMatchObject(rest);
    expect(next.status).toBe(429);
  });

  test("write one usage row for a caller who disconnects in the middle", async () => {
    const long = {
      ...speech,
      contents: [{ parts: [{ text: "One more sentence for the road. ".repeat(300) }] }],
    };
    for (const base of [product.url, alone.url]) {
      const leaving = new AbortController();
      const reply = await fetch(base + SPEAK, {
        method: "POST",
        headers: {
          authorization: `Bearer ${keys.good}`,
          "content-type": "application/json",
          "x-patchbay-tags": base,
        },
        body: JSON.stringify(long),
        signal: leaving.signal,
      });
      await reply.body?.getReader().read();
      leaving.abort();
    }
    const cookie = await signIn(product.url, OWNER);
    const rows = async () => {
      const list = await sendRaw(product.url, {
        method: "GET",
        path: "/api/usage?limit=100",
        headers: { cookie },
      });
      const { data } = list.json as { data: { items: { tags: string | null; status: number }[] } };
      return data.items.filter((row) => row.tags === product.url || row.tags === alone.url);
    };
    await expect.poll(async () => (await rows()).length, { timeout: 5_000 }).toBe(2);
    expect((await rows()).map((row) => row.status)).toEqual([499, 499]);
  });
});

describe("Next without Patchbay's server", () => {
  test("rejects a key with an address list, even from a listed address", async () => {
    const [node, next] = await both({ path: EMBED, body: embed("x"), key: "at home" });
    expect(node.status).toBe(200);
    expect(next.status).toBe(403);
    expect(next.json).toMatchObject({ error: { type: "permission_error", code: "ip_not_allowed" } });
  });

  test("ignores Patchbay's internal header from a caller, as the Node adapter does", async () => {
    const headers = { "x-patchbay-peer": ";1;1;127.0.0.1" };
    const [, next] = await both({ path: EMBED, body: embed("x"), key: "at home", headers });
    expect(next.status).toBe(403);
    const [node] = await both({
      path: EMBED,
      body: embed("x"),
      key: "elsewhere",
      headers: { "x-patchbay-peer": ";1;1;203.0.113.9" },
    });
    expect(node.status).toBe(403);
  });

  test("returns no metrics", async () => {
    const reply = await sendRaw(alone.url, { method: "GET", path: "/metrics" });
    expect(reply.status).toBe(403);
  });
});

describe("before setup", () => {
  test("both adapters return the same 503, and Next requires the setup token even from this machine", async () => {
    const fresh = mkdtempSync(path.join(tmpdir(), "patchbay-fresh-"));
    const node = await startProduct({ dataDirectory: fresh, nodeAdapterOnly: true });
    const next = await startNextAlone(fresh);
    try {
      for (const [address, body] of [
        [EMBED, embed("x")],
        [SPEAK, speech],
      ] as const) {
        const request = {
          path: address,
          headers: { "content-type": "application/json", "x-request-id": "same" },
          body: JSON.stringify(body),
        };
        const [one, two] = [await sendRaw(node.url, request), await sendRaw(next.url, request)];
        expect(one.status).toBe(503);
        expect(comparable(two)).toEqual(comparable(one));
      }
      const claim = (token?: string) =>
        sendRaw(next.url, {
          path: "/api/setup",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ ...OWNER, ...(token ? { setup_token: token } : {}) }),
        });
      const refused = await claim();
      expect(refused.status).toBe(401);
      expect(refused.json).toMatchObject({ code: "setup_token_required" });
      const token = readFileSync(path.join(fresh, "setup-token"), "utf8").trim();
      expect((await claim(token)).status).toBe(200);
    } finally {
      await next.close();
      await node.close();
      rmSync(fresh, { recursive: true, force: true });
    }
  });
});
