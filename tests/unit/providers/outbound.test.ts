import { Socket } from "node:net";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { classify } from "@/lib/gateway/routing/failover-errors";
import { errorBody } from "@/lib/http/core/render-error";
import { readElevenLabsRefusal } from "@/lib/providers/elevenlabs/refusal";
import { readGeminiRefusal } from "@/lib/providers/gemini/refusal";
import { readOpenAiRefusal } from "@/lib/providers/openai/refusal";
import { acceptContinue } from "@/lib/providers/outbound/accept-continue";
import { checkHeaders, requestHeaders } from "@/lib/providers/outbound/headers";
import { decodeBase64 } from "@/lib/providers/outbound/json";
import {
  cleanMessage,
  cleanUpstreamText,
  errorOfReply,
  hasError,
  type ReadRefusal,
  readDuration,
  readRetryAfter,
} from "@/lib/providers/outbound/refusal";
import { createResolver, createSystemLookup } from "@/lib/providers/outbound/resolver";
import { encodePath, encodeSegment } from "@/lib/providers/upstream/provider";
import { FakeClock } from "../../support/factories";
import { RETRY_AFTER_FORMS } from "../../support/upstream/injected-failure";

const NOT_ACTIVE = "The File abc is not in an ACTIVE state and usage is not allowed.";
const NOW = Date.parse("2026-11-20T12:00:00Z");

test.each(RETRY_AFTER_FORMS)("reads Retry-After '$header' as $expectedMs ms", ({ header, expectedMs }) => {
  expect(readRetryAfter((name) => (name === "retry-after" ? header : null), NOW)).toBe(expectedMs);
});

test("counts a date in Retry-After from now, and prefers retry-after-ms", () => {
  const date = (name: string) => (name === "retry-after" ? "Fri, 20 Nov 2026 12:00:30 GMT" : null);
  expect(readRetryAfter(date, NOW)).toBe(30_000);
  expect(readRetryAfter((name) => (name === "retry-after-ms" ? "2500" : "9"), NOW)).toBe(2_500);
  expect([readDuration("34s"), readDuration("0.5s"), readDuration("x"), readDuration(5)]).toEqual([
    34_000,
    1_000,
    undefined,
    undefined,
  ]);
});

test.each([
  ["host", "evil.example"],
  ["Content-Length", "5"],
  ["Transfer-Encoding", "chunked"],
  ["Connection", "close"],
  ["Proxy-Authorization", "x"],
  ["Expect", "100-continue"],
  ["X-Template", "a\r\nX-Injected: 1"],
  ["X-Template", "a\nb"],
  ["X-Template", "a\u0000b"],
  ["X-Template", "ü"],
  ["X-Template", ""],
  ["X-Template", " a"],
  ["X Template", "a"],
  ["X-Temp:late", "a"],
  ["", "a"],
])("refuses a channel header '%s: %s'", (name, value) => {
  expect(() => checkHeaders({ [name]: value })).toThrow(expect.objectContaining({ code: "invalid" }));
});

test("sends the headers of the provider and the channel in lower case, and no others", () => {
  const ofChannel = checkHeaders({ "OpenAI-Organization": "org-1" });
  expect(requestHeaders({ authorization: "Bearer k" }, ofChannel, true, undefined)).toEqual({
    "user-agent": "patchbay",
    "accept-encoding": "identity",
    "content-type": "application/json",
    authorization: "Bearer k",
    "openai-organization": "org-1",
  });
});

test.each([
  ["see https://tts.internal:8080/x?key=1 for more", "see [address] for more"],
  ["connect to 10.1.2.3:8080 failed", "connect to [address] failed"],
  ["at fd00:1:2:3::5 now", "at [address] now"],
  ["key sk-proj-abcdefgh12345 is bad", "key [key] is bad"],
  ["Incorrect: sk-ab***********wxyz.", "Incorrect: [key]"],
  ["host gpu-box down", "host […] down"],
  ["host GPU-Box down", "host […] down"],
  ["dial tts-7.speech.svc.cluster.local:8080 and Localhost:11434", "dial [address] and [address]"],
  ["models are local.", "models are local."],
  ["at tts_7.localhost:8080, my-localhost:99", "at [address], [address]"],
  ["sent Authorization: Bearer abc/def+ghi.jkl== twice", "sent Authorization: [key] twice"],
  ["missing bearer or basic authentication", "missing bearer or basic authentication"],
  ["sent bearer abcdef123456789 twice", "sent [key] twice"],
  ["sent Basic dXNlcjpwYXNzd29yZA== twice", "sent [key] twice"],
  ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s1gn-ature_ expired", "token [key] expired"],
  [`our key sk-pb-${"a1".repeat(19)} leaked`, "our key [key] leaked"],
  ["two\n  lines\u0007\u202e", "two lines"],
])("cleans the upstream message '%s' to '%s'", (message, clean) => {
  expect(cleanMessage(message, ["gpu-box"])).toBe(clean);
});

test("reduces an upstream's page to its text, and replaces what may be a key", () => {
  const page =
    "<!doctype html><style>b{color:red}</style><h1>502 <b>Bad Gateway</b></h1><p>token 3f2a9c81d0e74b56a1c2d3e4f5a6b7c8</p>";
  expect(cleanUpstreamText(page, [])).toBe("502 Bad Gateway token [key]");
  expect(cleanUpstreamText('{"oops":"key gpu-box-secret"}', ["gpu-box-secret"])).toBe('{"oops":"key […]"}');
  expect(cleanUpstreamText("x".repeat(9_000), [])).toHaveLength(500);
  // A secret at the position where the text is cut.
  const secret = "s3cret-of-the-channel";
  for (let at = 3_980; at < 4_000; at++)
    expect(cleanUpstreamText(" ".repeat(at) + secret, [secret]), String(at)).not.toContain("s3");
});

test("keeps an upstream's message beside the error that callers get", () => {
  const refusal = {
    header: () => null,
    nowMs: 0,
    secrets: ["sk-upstream-1"],
    read: (_status: number, body: { error?: unknown } | null) => ({
      words: String(body?.error),
      about: null,
    }),
  };
  const of = (status: number) =>
    errorOfReply({ ...refusal, status, text: '{"error":"No GPU for sk-upstream-1 <b>now</b>"}' });
  for (const status of [500, 503, 429, 504, 403])
    expect(of(status).details.upstreamMessage, String(status)).toBe("No GPU for […] <b>now</b>");
  const marked = errorOfReply({ ...refusal, status: 400, text: '\ufeff{"error":"Too long"}' });
  expect(marked).toMatchObject({ code: "invalid", message: "Too long" });
  expect(of(500).message).toBe("The channel's upstream answered with an error (500).");
  expect(JSON.stringify([errorBody("openai", of(500)), errorBody("gemini", of(500))])).not.toContain("GPU");
});

test("does not take a firewall's 403 page for a refused key", () => {
  const about = (text: string, status = 403) =>
    errorOfReply({ header: () => null, nowMs: 0, secrets: [], read: readOpenAiRefusal, status, text })
      .details;
  const page = about("\n<!DOCTYPE html><title>Blocked</title><p>Ray 8d49");
  expect(page).toEqual({ upstreamStatus: 403, upstreamMessage: "Blocked Ray 8d49" });
  expect(about("<h1>Unauthorized</h1>", 401)).toMatchObject({ upstreamRefusal: "credentials" });
  for (const text of ["", "Forbidden", '{"error":{"message":"No access"}}'])
    expect(about(text), text).toMatchObject({ upstreamRefusal: "credentials" });
});

test.each([
  [readOpenAiRefusal, 403, { error: { message: "Flagged", metadata: { flagged_input: "x" } } }],
  [readElevenLabsRefusal, 403, { detail: { status: "voice_access_denied", message: "No access." } }],
  [readGeminiRefusal, 400, { error: { status: "FAILED_PRECONDITION", message: NOT_ACTIVE } }],
  [readGeminiRefusal, 400, { error: { message: "Too long.", details: [{ reason: "FIELD_INVALID" }] } }],
])(
  "attributes a refusal of what the caller named to the request, not to the channel (%#)",
  (read, status, body) => {
    const refusal = { header: () => null, nowMs: 0, secrets: [], read, status, text: JSON.stringify(body) };
    expect(errorOfReply(refusal)).toMatchObject({ code: "invalid", details: { upstreamStatus: status } });
  },
);

/** The error for a reply of this status and body. */
const refusalOf = (read: ReadRefusal, status: number, body: unknown, type = "application/json") =>
  errorOfReply({
    header: (name) => (name === "content-type" ? type : null),
    nowMs: 0,
    secrets: [],
    read,
    status,
    text: typeof body === "string" ? body : JSON.stringify(body),
  });

test("keeps the whole body of an ElevenLabs error without a message", () => {
  const text = '{"detail":{"code":"internal_error"}}';
  expect(refusalOf(readElevenLabsRefusal, 500, text).details).toMatchObject({ upstreamMessage: text });
});

const NO_ACCESS = "Project `proj_1` does not have access to model `tts-1`";
/** LiteLLM's error for a model that the key may not use; older versions send it with status 401. */
const DENIED = {
  error: {
    message: "key not allowed to access model.",
    type: "key_model_access_denied",
    param: "model",
    code: "403",
  },
};

test.each<[string, ReadRefusal, number, unknown]>([
  ["OpenAI", readOpenAiRefusal, 403, { error: { message: NO_ACCESS, param: null, code: "model_not_found" } }],
  ["Patchbay", readOpenAiRefusal, 403, { error: { message: "No access.", code: "model_not_allowed" } }],
  ["LiteLLM", readOpenAiRefusal, 403, DENIED],
  ["LiteLLM", readOpenAiRefusal, 401, DENIED],
  [
    "LiteLLM",
    readOpenAiRefusal,
    401,
    { error: { ...DENIED.error, type: "user_model_access_denied", code: "401" } },
  ],
  [
    "ElevenLabs",
    readElevenLabsRefusal,
    403,
    { detail: { code: "model_access_denied", message: "No access." } },
  ],
])(
  "attributes an error of %s about access to one model to the model, not to the key",
  (_name, read, status, body) => {
    const { code, message, details } = refusalOf(read, status, body);
    expect([code, message]).toEqual([
      "upstream_error",
      `The channel's upstream answered with an error (${status}).`,
    ]);
    expect(details).toMatchObject({ upstreamStatus: status, isUnknownModel: true });
    expect(details).not.toHaveProperty("upstreamRefusal");
  },
);

const RETIRED =
  "This model models/gemini-2.5-flash-preview-tts is no longer available to new users. Please update.";
const UNLISTED = "{'error': '/embeddings: Invalid model name passed in model=x. Call `/v1/models`.'}";
/** How LiteLLM's proxy words an error of an upstream of its own. */
const behindLiteLlm = (name: string, status: number, words: string) =>
  `litellm.${name}: ${name}: OpenAIException - Error code: ${status} - ${words}\n\nLiteLLM: model group 'x' failed with the error above. No fallback was attempted.`;
const ABSENT = "Model 'speaches-ai/Kokoro-82M' is not installed locally. You can download the model.";

test.each<[string, ReadRefusal, number, unknown]>([
  ["Gemini", readGeminiRefusal, 404, { error: { code: 404, message: RETIRED, status: "NOT_FOUND" } }],
  ["Speaches", readOpenAiRefusal, 404, { detail: ABSENT }],
  [
    "OpenRouter",
    readOpenAiRefusal,
    404,
    { error: { message: "No endpoints found for acme/embed.", code: 404 } },
  ],
  [
    "Infinity",
    readOpenAiRefusal,
    400,
    { error: { message: "Invalid model: Engine for x not found.", code: 400 } },
  ],
  ["LiteLLM", readOpenAiRefusal, 400, { error: { message: UNLISTED, type: "None", code: "400" } }],
  [
    "an upstream behind LiteLLM",
    readOpenAiRefusal,
    404,
    {
      error: {
        message: behindLiteLlm("NotFoundError", 404, "The model 'nope' does not exist."),
        type: "invalid_request_error",
        param: null,
        code: "404",
      },
    },
  ],
  ["fastkokoro", readOpenAiRefusal, 400, { detail: "Unsupported model 'nope'. Use 'kokoro'." }],
  ["Kokoro", readOpenAiRefusal, 400, { detail: { error: "invalid_model", message: "Unsupported model: x" } }],
  [
    "Voyage",
    readOpenAiRefusal,
    400,
    { detail: "Model voyage-9 is not supported. Supported models are ['voyage-4']." },
  ],
  [
    "SiliconFlow",
    readOpenAiRefusal,
    400,
    { code: 20012, message: "Model does not exist. Please check it carefully.", data: null },
  ],
])("recognises an unknown model in the error of %s", (_name, read, status, body) => {
  expect(refusalOf(read, status, body)).toMatchObject({
    code: "invalid",
    details: { upstreamStatus: status, isUnknownModel: true },
  });
});

test.each([
  ["FastAPI", '{"detail":"Not Found"}'],
  ["Azure", '{"error":{"code":"404","message":"Resource not found"}}'],
  ["Ollama", '{"error":"path \\"/v1/v1/embeddings\\" not found"}'],
  ["OpenAI", '{"error":{"message":"Invalid URL (POST /v1/v1/embeddings)","param":null,"code":null}}'],
  ["Go", "404 page not found", "text/plain; charset=utf-8"],
])("attributes a 404 of %s about the path to the channel", (_name, text, type?: string) => {
  expect(refusalOf(readOpenAiRefusal, 404, text, type)).toMatchObject({
    code: "upstream_error",
    message: "The channel's upstream answered with an error (404).",
  });
});

test.each([
  ["llama.cpp", "input (992 tokens) is too large to process. increase the physical batch size"],
  ["llama.cpp", "input is larger than the max context size. skipping"],
  ["Ollama", "failed to encode response: json: unsupported value: NaN"],
])("attributes a 500 of %s about one text to the request: %s", (_name, message) => {
  expect(refusalOf(readOpenAiRefusal, 500, { error: { code: 500, message } })).toMatchObject({
    code: "upstream_error",
    details: { upstreamStatus: 500, isCausedByRequest: true, upstreamMessage: message },
  });
  const other = refusalOf(readOpenAiRefusal, 500, { error: { code: 500, message: `Failed: ${message}.` } });
  expect(other.details).not.toHaveProperty("isCausedByRequest");
});

test("reads Mistral's message, which names the fields in a list", () => {
  const detail = [{ type: "extra_forbidden", loc: ["body", "Request", "x"], msg: "Not permitted" }];
  expect(refusalOf(readOpenAiRefusal, 422, { object: "error", message: { detail } })).toMatchObject({
    code: "invalid",
    message: "Request.x: Not permitted",
  });
});

test("attributes a 400 about an overdue account to the channel", () => {
  const error = { message: "Access denied.", type: "Arrearage", param: null, code: "Arrearage" };
  expect(refusalOf(readOpenAiRefusal, 400, { error })).toMatchObject({
    code: "upstream_error",
    details: { upstreamRefusal: "account" },
  });
});

test.each([
  [401, "AuthenticationError", "authentication_error", "Incorrect API key provided: sk-x."],
  [403, "APIError", "permission_error", "You are not allowed to sample from this model."],
])(
  "attributes a %i of an upstream behind LiteLLM to one model, not to the key",
  (status, name, type, words) => {
    const error = { message: behindLiteLlm(name, status, words), type, param: null, code: String(status) };
    const { code, details } = refusalOf(readOpenAiRefusal, status, { error });
    expect(code).toBe("upstream_error");
    expect(details).not.toHaveProperty("upstreamRefusal");
    const own = { message: "Authentication Error, Invalid proxy server token passed.", type: "auth_error" };
    expect(refusalOf(readOpenAiRefusal, status, { error: { ...own, code: String(status) } })).toMatchObject({
      details: { upstreamRefusal: "credentials" },
    });
  },
);

test.each([
  [400, "no_db_connection", "No connected db.", "credentials"],
  [400, "expired_key", "Authentication Error - Expired Key. Key Expiry time 2026-11-01.", "credentials"],
  [422, "budget_exceeded", "Budget has been exceeded! Current cost: 1.5, Max budget: 1.0", "account"],
])("attributes LiteLLM's %i of type '%s' to the channel", (status, type, message, upstreamRefusal) => {
  const error = { message, type, param: null, code: String(status) };
  expect(refusalOf(readOpenAiRefusal, status, { error })).toMatchObject({
    code: "upstream_error",
    details: { upstreamRefusal },
  });
});

test("does not report LiteLLM's lost database as an invalid key", () => {
  const error = { message: "Database connection error", type: "no_db_connection", param: null, code: "503" };
  expect(refusalOf(readOpenAiRefusal, 503, { error }).details).not.toHaveProperty("upstreamRefusal");
});

test.each([400, 422, 429])(
  "passes on LiteLLM's %i about a caller's budget, and hides the key in one about a model's budget",
  (status) => {
    const about = (message: string) => {
      const error = { message, type: "budget_exceeded", param: null, code: String(status) };
      return refusalOf(readOpenAiRefusal, status, { error });
    };
    const ofCaller = about("ExceededBudget: End User=ada over budget. Spend=2.0, Budget=1.0");
    expect([ofCaller.code, ofCaller.message]).toEqual(["invalid", expect.stringContaining("End User=ada")]);
    const ofModel = about("LiteLLM Virtual Key: 88dc28d0f030, key_alias: a, exceeded budget for model=tts-1");
    expect(ofModel).toMatchObject({ code: "upstream_error", details: { isUnknownModel: true } });
    expect(ofModel.message).not.toContain("88dc28d0f030");
    for (const { details } of [ofCaller, ofModel]) expect(details).not.toHaveProperty("upstreamRefusal");
  },
);

test("puts the upstream's request ID before its message for administrators", () => {
  const about = (
    headers: Record<string, string>,
    text = JSON.stringify({ error: { message: "Sorry." } }),
    status = 500,
  ) =>
    errorOfReply({
      status,
      header: (name) => headers[name] ?? null,
      nowMs: NOW,
      secrets: ["sk-upstream-1"],
      read: readOpenAiRefusal,
      text,
    });
  const id = "4cbe6a1f0d9b4f7bb1c2f6a0e7d13c55";
  const error = about({ "x-request-id": id });
  expect(error.details.upstreamMessage).toBe(`[request ${id}] Sorry.`);
  expect(error.message).not.toContain(id);
  expect(about({ "request-id": id }, "", 503).details.upstreamMessage).toBeUndefined();
  const invalid = about({ "x-request-id": id }, undefined, 400);
  expect([invalid.code, invalid.message]).toEqual(["invalid", "Sorry."]);
  expect(invalid.details.upstreamMessage).toBe(`[request ${id}] Sorry.`);
  const secrets = ["req-SK-upstream-1", "sk-live-abcdefgh12345678", "http://10.0.0.5:8080/trace/1"];
  for (const other of ["", "two words", "a".repeat(129), ...secrets])
    expect(about({ "x-request-id": other }).details.upstreamMessage, other).toBe("Sorry.");
});

test("reads ElevenLabs' error code, which its older status does not always have", () => {
  const about = (status: number, detail: object) => refusalOf(readElevenLabsRefusal, status, { detail });
  const credits = (left: number) =>
    about(402, {
      code: "insufficient_credits",
      message: `You have ${left} credits remaining, while 800 credits are required for this request.`,
    });
  expect(credits(210)).toMatchObject({ code: "upstream_error", details: { isCausedByRequest: true } });
  expect(credits(0)).toMatchObject({ code: "upstream_error", details: { upstreamRefusal: "account" } });
  const voice = {
    code: "voice_access_denied",
    status: "forbidden",
    message: "You do not have access to this voice.",
  };
  expect(about(403, voice)).toMatchObject({ code: "invalid", details: { upstreamStatus: 403 } });
});

test("lets another channel serve a language that an ElevenLabs model does not support", () => {
  const message = "Model 'eleven_flash_v2_5' does not support the language_code xx.";
  const detail = { status: "unsupported_language", message };
  const error = refusalOf(readElevenLabsRefusal, 400, { detail });
  expect(error).toMatchObject({ code: "invalid", message, details: { upstreamStatus: 400 } });
  expect(classify(error, { embedded: false })).toEqual({ next: "skip", countsForCircuit: false });
});

test("reads an error of OpenAI's form from a relay of ElevenLabs", () => {
  const about = (status: number, error: object) => refusalOf(readElevenLabsRefusal, status, { error });
  const tooLong = {
    message: "The text is too long.",
    type: "invalid_request_error",
    param: null,
    code: null,
  };
  expect(about(400, tooLong)).toMatchObject({ code: "invalid", message: tooLong.message });
  const spent = { message: "No quota left.", type: "insufficient_quota", code: "insufficient_quota" };
  expect(about(429, spent).details).toMatchObject({
    upstreamRefusal: "account",
    upstreamMessage: spent.message,
  });
});

test("hasError is true for a body with status 200 that has an error and no vectors", () => {
  const error = { code: 429, message: "Slow down." };
  const bodies: [object, boolean][] = [
    [{ error }, true],
    [{ error: "No GPU" }, true],
    [{ data: null, error }, true],
    [{ data: [], error }, true],
    [{ data: {}, error }, true],
    [{ error: null }, false],
    [{ data: [{ embedding: [1] }], error: {} }, false],
    [{ data: [{ embedding: [1] }], error: { code: 0, message: "" } }, false],
    [{ embedding: { values: [1] }, error: { code: 200, message: "Success" } }, false],
  ];
  for (const [body, expected] of bodies) expect(hasError(JSON.stringify(body))).toBe(expected);
});

test("says that a JSON reply too long to read is without audio", () => {
  const about = (status: number) =>
    errorOfReply({ header: () => null, nowMs: 0, secrets: [], read: readOpenAiRefusal, status, text: "" });
  expect(about(200).message).toContain("without audio");
  expect(about(204).message).toContain("with status 204 and no content");
});

test("reads the errors of Google's OpenAI endpoint, which are in a list", () => {
  const about = (status: number, error: object) => refusalOf(readOpenAiRefusal, status, [{ error }]);
  const key = {
    code: 400,
    message: "API key not valid. Please pass a valid API key.",
    status: "INVALID_ARGUMENT",
  };
  expect(about(400, key).details).toMatchObject({ upstreamRefusal: "credentials" });
  const field = { code: 400, message: "Invalid value at 'dimensions'.", status: "INVALID_ARGUMENT" };
  expect(about(400, field)).toMatchObject({ code: "invalid", message: field.message });
});

test("names the limit when a channel has too many headers", () => {
  const headers = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, "a"]));
  const message = "Must have at most 20 headers.";
  expect(() => checkHeaders(headers)).toThrow(message);
});

test("attributes ElevenLabs' quota_exceeded to the request only while credits are left", () => {
  const about = (left: number) =>
    errorOfReply({
      header: () => null,
      nowMs: 0,
      secrets: [],
      read: readElevenLabsRefusal,
      status: 401,
      text: JSON.stringify({
        detail: {
          status: "quota_exceeded",
          message: `This request exceeds your quota of 10000. You have ${left} credits remaining, while 800 credits are required for this request.`,
        },
      }),
    });
  expect(about(210)).toMatchObject({ code: "upstream_error", details: { isCausedByRequest: true } });
  expect(about(210).details).not.toHaveProperty("upstreamRefusal");
  expect(about(0)).toMatchObject({ code: "upstream_error", details: { upstreamRefusal: "account" } });
});

test("percent-encodes a path segment that consists of dots", () => {
  expect([encodeSegment(".."), encodeSegment("a/..b"), encodePath("tuned/..")]).toEqual([
    "%2E%2E",
    "a%2F..b",
    "tuned/%2E%2E",
  ]);
});

test("refuses base64 with a missing or invalid character", () => {
  expect(decodeBase64("AAECAw==")).toEqual(Buffer.from([0, 1, 2, 3]));
  expect(decodeBase64("AAECAw")).toEqual(Buffer.from([0, 1, 2, 3]));
  for (const wrong of ["AAEC*w==", "AAECA", "AA=CAw==", "AAEC Aw="]) {
    expect(() => decodeBase64(wrong), wrong).toThrow(expect.objectContaining({ code: "upstream_invalid" }));
  }
});

test("looks up the addresses of a host once in 30 s, and uses old ones for 5 minutes while the name server fails", async () => {
  const clock = new FakeClock(1_000_000);
  let asked = 0;
  let isDown = false;
  const resolver = createResolver(clock, async () => {
    asked += 1;
    if (isDown) throw new Error("SERVFAIL");
    return [`192.0.2.${asked}`];
  });
  const [first, second] = await Promise.all([resolver.resolve("h"), resolver.resolve("h")]);
  expect([first, second, asked]).toEqual([["192.0.2.1"], ["192.0.2.1"], 1]);
  clock.advance(29_999);
  expect(await resolver.resolve("h")).toEqual(["192.0.2.1"]);
  clock.advance(2);
  expect(await resolver.resolve("h")).toEqual(["192.0.2.2"]);
  isDown = true;
  clock.advance(299_000);
  expect(await resolver.resolve("h")).toEqual(["192.0.2.2"]);
  clock.advance(2_000);
  await expect(resolver.resolve("h")).rejects.toThrow("SERVFAIL");
});

test("does not wait for a name server without an answer while an old answer is cached", async () => {
  const clock = new FakeClock(1_000_000);
  let isSlow = false;
  const never = new Promise<string[]>(() => {});
  const resolver = createResolver(clock, () => (isSlow ? never : Promise.resolve(["192.0.2.1"])));
  await resolver.resolve("h");
  isSlow = true;
  clock.advance(31_000);
  expect(await resolver.resolve("h")).toEqual(["192.0.2.1"]);
});

/** Opens resolvers, each of which calls `answer` with its own address. `servers`: the system's name servers. */
function openQueries(servers: { list: string[] }, answer: (own: string) => Promise<string[]>) {
  let opened = 0;
  return () => {
    opened += 1;
    const [own, list] = [`192.0.2.${opened}`, servers.list];
    const none = () => Promise.reject(new Error("ENODATA"));
    return { resolve4: () => answer(own), resolve6: none, getServers: () => list };
  };
}

test("keeps one resolver, which remembers dead name servers, until the system's name servers change", async () => {
  const servers = { list: ["192.0.2.53"] };
  const lookup = createSystemLookup(openQueries(servers, async (own) => [own]));
  const [first, second] = [await lookup("a.example"), await lookup("b.example")];
  expect(second).toEqual(first);
  servers.list = ["198.51.100.53"];
  const third = await lookup("c.example");
  expect(third).not.toEqual(first);
  expect(await lookup("d.example")).toEqual(third);
});

/** getaddrinfo rejects this name without asking a name server. */
const NAMELESS = "a..example";

test.each([
  { from: "getaddrinfo", where: "name servers do not answer", host: "127.1", addresses: ["127.0.0.1"] },
  { from: "name servers", where: "they are slow", host: NAMELESS, addresses: ["192.0.2.1"], answerMs: 3_000 },
])("takes the addresses from $from where $where", async ({ host, addresses, answerMs }) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const answer = (own: string) =>
      new Promise<string[]>((resolve) => answerMs && setTimeout(() => resolve([own]), answerMs));
    const found = createSystemLookup(openQueries({ list: [] }, answer))(host);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await found).toEqual(addresses);
  } finally {
    vi.useRealTimers();
  }
});

test("takes a late address of one family without waiting for the other", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const queries = {
      resolve4: () =>
        new Promise<string[]>((resolve) => {
          setTimeout(() => resolve(["192.0.2.1"]), 3_000);
        }),
      resolve6: () => new Promise<string[]>(() => undefined),
      getServers: () => [],
    };
    const found = createSystemLookup(() => queries)(NAMELESS);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await found).toEqual(["192.0.2.1"]);
  } finally {
    vi.useRealTimers();
  }
});

test("passes a 100 head to undici as 102 wherever the network splits it, and leaves bodies unchanged", () => {
  const informational = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
  const final = "HTTP/1.1 200 OK\r\nx: HTTP/1.1 100\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n";
  const sent = Buffer.from(`${informational}HTTP/1.1 100 Continue\r\n\r\n${final}`);
  const expected = `${informational}HTTP/1.1 102 Continue\r\n\r\n${final}`.replace("100 C", "102 C");
  fc.assert(
    fc.property(fc.array(fc.nat(sent.length), { maxLength: 12 }), (cuts) => {
      const socket = new Socket();
      acceptContinue(socket);
      const at = [0, ...cuts, sent.length].sort((a, b) => a - b);
      for (let i = 1; i < at.length; i += 1) socket.push(Buffer.from(sent.subarray(at[i - 1], at[i])));
      expect(String(socket.read())).toBe(expected);
      socket.destroy();
    }),
  );
});
