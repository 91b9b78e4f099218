import {
  EMPTY_SHARE,
  MINUTE_LIMIT,
  NO_CHANNEL_FOR,
  NOT_SET_UP,
  SEND_LESS,
} from "../contracts/gateway/error-sentences";
import { isRecord } from "../contracts/is-record";
import { PROXY_STATUSES } from "./api-error";

/** The advice that a playground shows with a failed request. */
type Advice =
  | "offline"
  | "sign-in"
  | "not-allowed"
  | "unknown-model"
  | "input"
  | "too-large"
  | "wait"
  | "raise-limit"
  | "budget"
  | "no-channel"
  | "upstream"
  | "cut"
  | "server";

/** A failed gateway request as the playgrounds show it. */
export interface GatewayFailure {
  /** The API's message; empty when the server could not be reached. */
  message: string;
  /** HTTP status, or the status in an in-band error frame; 0 without a response. */
  status: number;
  /** OpenAI's `code`, Gemini's `status` or its reason for an early end, or the console's `code`. */
  code: string | null;
  requestId: string | null;
  retryAfterMs: number | null;
  advice: Advice;
}

/** The fields of a failure whose reply gives no details, or that has no reply. */
const NO_DETAILS = { message: "", status: 0, code: null, requestId: null, retryAfterMs: null } as const;

export class GatewayError extends Error {
  readonly failure: GatewayFailure;

  constructor(failure: GatewayFailure, cause?: unknown) {
    super(failure.message || failure.advice, cause === undefined ? undefined : { cause });
    this.name = "GatewayError";
    this.failure = failure;
  }
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

const ADVICE_OF_STATUS: Readonly<Record<number, Advice>> = {
  400: "input",
  401: "sign-in",
  403: "not-allowed",
  413: "too-large",
  429: "wait",
  502: "upstream",
  503: "wait",
  504: "upstream",
};

/** Messages about an unknown model, the gateway's own or an upstream's, by status. Another 404 is about a voice. */
const NO_MODEL_WORDS: Readonly<Record<number, RegExp>> = {
  400: /^(?:(?:invalid|unsupported) model(?:: | ')|model does not exist\b|model \S+ is not supported\. )|\binvalid model name passed in model=/i,
  404: /^(?:litellm\.NotFoundError: (?!.*\bvoice\b(?! model))|(?:(?!voice).)*model|no endpoints found for )/i,
};

/** `isFinal`: a retry cannot succeed. */
function adviceFor(status: number, code: string | null, message: string, isFinal: boolean): Advice {
  if (code === "insufficient_quota" || (status === 429 && /budget|quota/i.test(message))) return "budget";
  // The limit is lower than the number of processes that share it: a process whose share is 0 refuses every request.
  if (message.endsWith(EMPTY_SHARE)) return "raise-limit";
  // The request alone exceeds a whole limit of a key or of an upstream: waiting does not help.
  if (message.endsWith(SEND_LESS)) return "too-large";
  // The message decides: Gemini's `status` is the same for every 404 and every 503, and an upstream's refusal has no
  // code.
  if (code === "model_not_found" || NO_MODEL_WORDS[status]?.test(message)) return "unknown-model";
  if (code === "no_channel_available" || message.startsWith(NO_CHANNEL_FOR)) return "no-channel";
  const isSetUp = code !== "not_initialized" && !message.startsWith(NOT_SET_UP);
  if (status === 503 && isFinal && isSetUp) return "too-large";
  return ADVICE_OF_STATUS[status] ?? (status >= 500 ? "server" : "input");
}

/**
 * Reads an error body in Gemini's, OpenAI's or the console's format; null for another body. `isFinal`: the reply says
 * that a retry cannot succeed.
 */
export function failureOfBody(body: unknown, httpStatus: number, isFinal = false): GatewayFailure | null {
  if (!isRecord(body)) return null;
  const inner = isRecord(body.error) ? body.error : body.success === false ? body : null;
  if (inner === null) return null;
  const message = text(inner.message) ?? "";
  const status = typeof inner.code === "number" ? inner.code : httpStatus;
  const code = text(inner.code) ?? text(inner.status) ?? text(inner.type);
  return { ...NO_DETAILS, message, status, code, advice: adviceFor(status, code, message, isFinal) };
}

/**
 * The gateway's own limit per minute that refused a request, read from the error message. Null for any other failure,
 * and when the request would fit into the limit and exceeds only the share of a process.
 */
export function minuteLimitOf({
  status,
  message,
  advice,
}: GatewayFailure): { unit: "requests" | "tokens"; limit: number } | null {
  const [, limit, unit, needed] = status === 429 ? (MINUTE_LIMIT.exec(message) ?? []) : [];
  if (unit === undefined || advice === "raise-limit") return null;
  if (advice === "too-large" && Number(needed) <= Number(limit)) return null;
  return { unit: unit === "request" ? "requests" : "tokens", limit: Number(limit) };
}

function retryAfter(headers: Headers): number | null {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(exact)) return exact;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

/** The failure of a response that is not 2xx. Never throws: without a readable body it has only the status. */
export async function failureOfResponse(response: Response): Promise<GatewayFailure> {
  const body: unknown = await response.json().catch(() => null);
  const { status, statusText } = response;
  const isFinal = response.headers.get("x-should-retry") === "false";
  const failure = failureOfBody(body, status, isFinal);
  // A proxy's error page while the server does not run.
  if (failure === null && PROXY_STATUSES.includes(status))
    return { ...NO_DETAILS, status, advice: "offline" };
  return {
    ...(failure ?? {
      message: `${status} ${statusText}`.trim(),
      status,
      code: null,
      advice: adviceFor(status, null, "", isFinal),
    }),
    requestId: response.headers.get("x-request-id"),
    retryAfterMs: retryAfter(response.headers),
  };
}

/** The failure of anything thrown by a request; null when the caller aborted it. */
export function failureOfError(error: unknown): GatewayFailure | null {
  if (error instanceof GatewayError) return error.failure;
  if (error instanceof Error && error.name === "AbortError") return null;
  return { ...NO_DETAILS, advice: "offline" };
}

/** The failure of a stream that ended without its last frame. */
export function truncatedStreamFailure(requestId: string | null): GatewayFailure {
  return { ...NO_DETAILS, requestId, advice: "cut" };
}

/** The name of the channel that served a call, which the header has percent-encoded; null without one. */
export function channelNameOf({ headers }: Response): string | null {
  const name = headers.get("x-patchbay-channel");
  try {
    return name && decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** POSTs JSON with the key; throws GatewayError for anything but 2xx, AbortError when `signal` is aborted. */
export async function postJson(
  path: string,
  body: unknown,
  options: {
    key: string;
    signal?: AbortSignal;
    /** Sent as `x-request-id`; absent: the server creates one. */
    requestId?: string;
    /** Sends `cache-control: no-store`: the gateway neither answers from its cache nor stores the reply in it. */
    isUncached?: boolean;
    fetch?: typeof fetch;
  },
): Promise<Response> {
  const send = options.fetch ?? fetch;
  const response = await send(path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${options.key}`,
      ...(options.requestId ? { "x-request-id": options.requestId } : {}),
      ...(options.isUncached ? { "cache-control": "no-store" } : {}),
    },
    body: JSON.stringify(body),
    cache: "no-store",
    signal: options.signal,
  });
  if (!response.ok) throw new GatewayError(await failureOfResponse(response));
  return response;
}
