import {
  AppError,
  type ErrorCode,
  HTTP_STATUS,
  isAppError,
  isOutOfFiles,
  isPassedOn404,
  outOfFiles,
} from "../../errors";
import type { Log } from "../../ports/telemetry";
import { type Inbound, jsonReply, type Outbound } from "./exchange";
import type { Surface } from "./route";

type HttpStatus = (typeof HTTP_STATUS)[ErrorCode];

/** Gemini's `status` of each HTTP status. */
export const GEMINI_STATUS = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "INVALID_ARGUMENT",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  431: "INVALID_ARGUMENT",
  499: "CANCELLED",
  500: "INTERNAL",
  502: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
} as const satisfies Record<HttpStatus, string>;

/** The fields of each error's body: OpenAI's `type` and `code`, and the `code` of the console's API. */
export const BODY_CODES = {
  unauthenticated: ["authentication_error", "invalid_api_key", "unauthenticated"],
  invalid_credentials: ["authentication_error", "invalid_api_key", "invalid_credentials"],
  invalid_code: ["authentication_error", "invalid_api_key", "invalid_code"],
  flow_expired: ["authentication_error", "invalid_api_key", "flow_expired"],
  setup_token_required: ["authentication_error", "invalid_api_key", "setup_token_required"],
  forbidden: ["permission_error", null, "forbidden"],
  step_up_failed: ["permission_error", null, "invalid_credentials"],
  model_not_allowed: ["permission_error", "model_not_allowed", "forbidden"],
  ip_not_allowed: ["permission_error", "ip_not_allowed", "forbidden"],
  not_found: ["invalid_request_error", "unknown_url", "not_found"],
  model_not_found: ["invalid_request_error", "model_not_found", "not_found"],
  unknown_url: ["invalid_request_error", "unknown_url", "not_found"],
  method_not_allowed: ["invalid_request_error", "method_not_allowed", "method_not_allowed"],
  invalid: ["invalid_request_error", null, "invalid"],
  request_timeout: ["invalid_request_error", "request_timeout", "timeout"],
  conflict: ["invalid_request_error", null, "conflict"],
  too_large: ["invalid_request_error", "request_too_large", "too_large"],
  unsupported_media_type: ["invalid_request_error", "unsupported_media_type", "unsupported_media_type"],
  headers_too_large: ["invalid_request_error", "headers_too_large", "too_large"],
  rate_limited: ["rate_limit_error", "rate_limit_exceeded", "rate_limited"],
  upstream_rate_limited: ["rate_limit_error", "upstream_rate_limited", "rate_limited"],
  insufficient_quota: ["insufficient_quota", "insufficient_quota", "insufficient_quota"],
  not_initialized: ["api_error", "not_initialized", "not_initialized"],
  no_channel_available: ["api_error", "no_channel_available", "unavailable"],
  overloaded: ["api_error", "overloaded", "unavailable"],
  storage_unavailable: ["api_error", "storage_unavailable", "unavailable"],
  upstream_error: ["api_error", "upstream_error", "upstream"],
  upstream_truncated: ["api_error", "upstream_truncated", "upstream"],
  upstream_invalid: ["api_error", "upstream_invalid", "upstream"],
  upstream_redirect: ["api_error", "upstream_redirect", "upstream"],
  upstream_timeout: ["api_error", "upstream_timeout", "upstream"],
  caller_left: ["api_error", "caller_left", "caller_left"],
  internal: ["api_error", "internal_error", "internal"],
} as const satisfies Record<ErrorCode, readonly [type: string, code: string | null, consoleCode: string]>;

/** `Retry-After` where the error does not set one; codes not listed have none. */
const DEFAULT_RETRY_MS: Partial<Record<ErrorCode, number>> = {
  rate_limited: 1_000,
  upstream_rate_limited: 1_000,
  insufficient_quota: 60_000,
  not_initialized: 60_000,
  no_channel_available: 5_000,
  overloaded: 1_000,
  storage_unavailable: 1_000,
};
/** Longest `Retry-After` on the gateway; official clients do not wait much longer. */
const MAX_GATEWAY_RETRY_MS = 60_000;

/** The HTTP status of an error on a surface. Gateway clients retry 409 and 422, some of them forever. */
function statusOf(surface: Surface, error: AppError): HttpStatus {
  if (isPassedOn404(error)) return 404;
  if (error.code === "conflict" && surface !== "console") return 400;
  return HTTP_STATUS[error.code];
}

function retryMs(surface: Surface, error: AppError): number | undefined {
  const delayMs = error.details.retryAfterMs ?? DEFAULT_RETRY_MS[error.code];
  if (delayMs === undefined) return undefined;
  const floor = Math.max(1, delayMs);
  return surface === "console" ? floor : Math.min(floor, MAX_GATEWAY_RETRY_MS);
}

function geminiBody(error: AppError, status: HttpStatus): object {
  const details: object[] = [];
  if (error.details.issues?.length) {
    details.push({
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: error.details.issues.map((issue) => ({
        field: issue.path,
        description: issue.message,
      })),
    });
  }
  return {
    error: {
      code: status,
      message: error.message,
      status: GEMINI_STATUS[status],
      ...(details.length > 0 ? { details } : {}),
    },
  };
}

function openaiBody(error: AppError): object {
  const [type, code] = BODY_CODES[error.code];
  const { param, issues, apiCode } = error.details;
  return {
    error: {
      message: error.message,
      type,
      param: param ?? issues?.[0]?.path ?? null,
      code: apiCode ?? code,
    },
  };
}

function consoleBody(error: AppError): object {
  const { issues, attemptsLeft, retryAfterMs } = error.details;
  return {
    success: false,
    message: error.message,
    code: BODY_CODES[error.code][2],
    ...(issues?.length ? { issues } : {}),
    ...(attemptsLeft === undefined ? {} : { attempts_left: attemptsLeft }),
    ...(retryAfterMs === undefined ? {} : { retry_after: Math.ceil(retryAfterMs / 1_000) }),
  };
}

/** The error's body in the surface's own shape; also what an in-stream error event carries. */
export function errorBody(surface: Surface, error: AppError): object {
  switch (surface) {
    case "gemini":
      return geminiBody(error, statusOf(surface, error));
    case "openai":
      return openaiBody(error);
    case "console":
      return consoleBody(error);
    default:
      return surface satisfies never;
  }
}

/** The whole reply to a failed request: status, headers and body of the surface's dialect. */
export function renderError(surface: Surface, error: AppError): Outbound {
  const status = statusOf(surface, error);
  const headers: Record<string, string> = { ...error.details.headers };
  if (status === 401) headers["www-authenticate"] = "Bearer";
  if (error.details.allow) headers.allow = error.details.allow.join(", ");
  const waitMs = retryMs(surface, error);
  if (waitMs !== undefined) {
    headers["retry-after"] = String(Math.ceil(waitMs / 1_000));
    headers["retry-after-ms"] = String(Math.ceil(waitMs));
  }
  const isFinal = error.code === "insufficient_quota" || error.code === "not_initialized";
  if (isFinal || error.details.shouldRetry === false) headers["x-should-retry"] = "false";
  return jsonReply(status, errorBody(surface, error), headers);
}

function traceOf(cause: unknown): string | undefined {
  return cause instanceof Error ? (cause.stack ?? cause.message) : undefined;
}

/**
 * The AppError of a thrown value. Any other error is internal, except a lack of file descriptors, which is temporary.
 */
export function appErrorOf(thrown: unknown): AppError {
  const isAboutFiles = isOutOfFiles(thrown);
  if (isAppError(thrown) && !(isAboutFiles && thrown.code === "internal")) return thrown;
  if (isAboutFiles) return outOfFiles(thrown);
  return new AppError(
    "internal",
    "Internal error. Please report the request ID of this reply (x-request-id) to the operator.",
    {},
    thrown,
  );
}

/** What the log says of a failed call. `channel`: the ID of the last attempt's channel. */
interface FailedCall {
  traceId?: string;
  model?: string;
  channel?: string;
}

/**
 * Renders a thrown value: the caller gets the status of its code, the log gets the cause of a 5xx and of an upstream's
 * rate limit.
 */
export function renderFailure(
  surface: Surface,
  thrown: unknown,
  request: Inbound,
  log: Log,
  call: FailedCall = {},
): Outbound {
  const error = appErrorOf(thrown);
  const status = statusOf(surface, error);
  if (status >= 500 || error.code === "upstream_rate_limited") {
    log[status === 500 ? "error" : "warn"]("request_failed", {
      requestId: request.requestId,
      ...call,
      method: request.method,
      path: request.path,
      status,
      code: error.code,
      cause: traceOf(error.cause),
    });
  }
  return renderError(surface, error);
}
