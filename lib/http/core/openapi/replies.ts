import { type ErrorCode, HTTP_STATUS, LONG_INPUT_CODES } from "../../../errors";
import { BODY_CODES, GEMINI_STATUS } from "../render-error";
import type { Surface } from "../route";
import { type Json, refTo } from "./json-schema";

const text = { type: "string" };
const unique = (values: readonly (string | null)[]) => [...new Set(values)].sort();

/** The error bodies of the console's API, OpenAI's and Gemini's. */
export const ERROR_SCHEMAS: Record<Surface, Json> = {
  gemini: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["code", "message", "status"],
        properties: {
          code: { type: "integer", minimum: 400, maximum: 599 },
          message: text,
          status: { type: "string", enum: unique(Object.values(GEMINI_STATUS)) },
          details: { type: "array", items: { type: "object" } },
        },
      },
    },
    examples: [
      {
        error: {
          code: 400,
          message: "'contents' must have at least one content.",
          status: "INVALID_ARGUMENT",
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.BadRequest",
              fieldViolations: [{ field: "contents", description: "must have at least one content" }],
            },
          ],
        },
      },
    ],
  },
  openai: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["message", "type", "param", "code"],
        properties: {
          message: text,
          type: { type: "string", enum: unique(Object.values(BODY_CODES).map(([type]) => type)) },
          param: { type: ["string", "null"] },
          code: { type: ["string", "null"] },
        },
      },
    },
    examples: [
      {
        error: {
          message: "'input' must not be empty.",
          type: "invalid_request_error",
          param: "input",
          code: null,
        },
      },
    ],
  },
  console: {
    type: "object",
    required: ["success", "message", "code"],
    properties: {
      success: { const: false },
      message: text,
      code: { type: "string", enum: unique(Object.values(BODY_CODES).map(([, , code]) => code)) },
      issues: {
        type: "array",
        items: { type: "object", required: ["path", "message"], properties: { path: text, message: text } },
      },
      attempts_left: { type: "integer", minimum: 0 },
      retry_after: { type: "integer", minimum: 1 },
    },
    additionalProperties: false,
    examples: [
      {
        success: false,
        message: "name: Must not be empty.",
        code: "invalid",
        issues: [{ path: "name", message: "Must not be empty." }],
      },
    ],
  },
};

/** Errors that only the console's API gives. */
const CONSOLE_ONLY: ReadonlySet<string> = new Set<ErrorCode>([
  "invalid_credentials",
  "invalid_code",
  "flow_expired",
  "setup_token_required",
  "step_up_failed",
  "not_found",
  "conflict",
]);
/** No caller is left to read it. */
const NEVER_READ: ErrorCode = "caller_left";

/** The statuses of a surface with the codes that each may have: "401 (unauthenticated), …". */
function statusList(surface: Surface, codesOf: (name: ErrorCode) => readonly (string | null)[]): string {
  const byStatus = new Map<number, Set<string | null>>();
  // Cast: Object.keys forgets the names.
  for (const name of Object.keys(HTTP_STATUS) as ErrorCode[]) {
    if (name === NEVER_READ || (surface !== "console" && CONSOLE_ONLY.has(name))) continue;
    const status = HTTP_STATUS[name];
    const known = byStatus.get(status) ?? [];
    byStatus.set(status, new Set([...known, ...codesOf(name)]));
  }
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, names]) => `${status} (${[...names].map((name) => name ?? "code: null").join(", ")})`)
    .join(", ");
}

const STATUSES: Record<Surface, string> = {
  gemini: statusList("gemini", (name) => [GEMINI_STATUS[HTTP_STATUS[name]]]),
  openai: statusList("openai", (name) => [
    BODY_CODES[name][1],
    ...(name === "invalid" ? LONG_INPUT_CODES : []),
  ]),
  console: statusList("console", (name) => [BODY_CODES[name][2]]),
};

const REQUEST_ID = "x-request-id";
/** The headers of every reply. */
const ALWAYS = [REQUEST_ID, "cache-control"];
const RETRY = ["retry-after", "retry-after-ms", "x-should-retry"];
/** The headers of a call to a model, besides those of its limits. */
const CALL = ["x-patchbay-channel", "x-patchbay-attempts", "x-patchbay-overhead-ms", "x-patchbay-cache"];
const LIMITS = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
/** OpenAI's names for the limits of requests and of tokens, with their meaning. */
const OPENAI_HEADERS = Object.fromEntries(
  ["requests", "tokens"].flatMap((unit) => [
    [`x-ratelimit-limit-${unit}`, `The tightest limit of ${unit} per minute that applies to the key.`],
    [`x-ratelimit-remaining-${unit}`, `Remaining ${unit} under that limit.`],
    [`x-ratelimit-reset-${unit}`, "Time until that limit resets, such as 250ms or 3s."],
  ]),
);
const OPENAI_LIMITS = Object.keys(OPENAI_HEADERS);

const header = (type: "string" | "integer", description: string): Json => ({ description, schema: { type } });

/** `components.headers`: reply headers by name. */
export const REPLY_HEADERS: Readonly<Record<string, Json>> = {
  [REQUEST_ID]: header("string", "The request's ID: the caller's own, or a new one."),
  "cache-control": header(
    "string",
    "'no-store': proxies and clients must not keep the reply. On a stream 'no-transform' may follow.",
  ),
  "retry-after": header(
    "integer",
    "On 429 and 503, and on the 504 of a repeat that waited for the first request with its Idempotency-Key: seconds " +
      "after which a retry may succeed, at most 60 on the gateway.",
  ),
  "retry-after-ms": header("integer", "The same in milliseconds."),
  "x-should-retry": header("string", "'false' when all attempts are used or a retry cannot succeed."),
  "x-patchbay-channel": header(
    "string",
    "The name of the channel that served the call; other characters than visible ASCII are percent-encoded. Absent " +
      "where no channel was called: for a reply from the cache or of an earlier request.",
  ),
  "x-patchbay-attempts": header(
    "integer",
    "Attempts on upstreams; 0 for a reply from the cache or of an earlier request.",
  ),
  "x-patchbay-overhead-ms": header("string", "Milliseconds spent in the gateway, without the upstream."),
  "x-patchbay-cache": header(
    "string",
    "'hit', 'miss' or 'bypass'; absent while the cache is off and for the reply of an earlier request.",
  ),
  "x-patchbay-ignored": header(
    "string",
    "Fields of the request that the upstream does not support, separated by commas.",
  ),
  "ratelimit-limit": header("integer", "The tightest limit per minute that applies to the key."),
  "ratelimit-remaining": header("integer", "Remaining under that limit."),
  "ratelimit-reset": header("integer", "Seconds until the limit resets."),
  ...Object.fromEntries(
    Object.entries(OPENAI_HEADERS).map(([name, description]) => [name, header("string", description)]),
  ),
  "x-patchbay-notice": header("string", "The model's notice about these embeddings."),
};

const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The headers of a successful reply; `isCall`: of a call to a model. */
export function successHeaders(surface: Surface, isCall: boolean): Json {
  if (surface === "console") return headerRefs(ALWAYS);
  return headerRefs([
    ...ALWAYS,
    ...(isCall ? [...CALL, "x-patchbay-ignored", "x-patchbay-notice"] : []),
    ...LIMITS,
    ...OPENAI_LIMITS,
  ]);
}

/** The `default` response of an operation: the error body of its surface; `forGoogle`: or Gemini's, to Google's clients. */
export const errorReply = (surface: Surface, forGoogle = false): Json => ({
  description: `An error. Statuses and codes: ${STATUSES[surface]}.${forGoogle ? " In Gemini's form to a Google client." : ""}`,
  headers: headerRefs([
    ...ALWAYS,
    ...RETRY,
    ...(surface === "console" ? [] : [...CALL, ...LIMITS, ...OPENAI_LIMITS]),
  ]),
  content: {
    "application/json": {
      schema: forGoogle
        ? { anyOf: [refTo(`${surface}Error`), refTo("geminiError")] }
        : refTo(`${surface}Error`),
    },
  },
});
