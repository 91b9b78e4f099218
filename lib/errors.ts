import type { RefusedLimit } from "./contracts/console/rejections";

/** The HTTP status of each code, as returned to callers and stored in usage rows. */
export const HTTP_STATUS = {
  unauthenticated: 401,
  invalid_credentials: 401,
  invalid_code: 401,
  flow_expired: 401,
  setup_token_required: 401,
  forbidden: 403,
  step_up_failed: 403,
  model_not_allowed: 403,
  ip_not_allowed: 403,
  not_found: 404,
  model_not_found: 404,
  unknown_url: 404,
  method_not_allowed: 405,
  invalid: 400,
  request_timeout: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  headers_too_large: 431,
  rate_limited: 429,
  upstream_rate_limited: 429,
  insufficient_quota: 429,
  not_initialized: 503,
  no_channel_available: 503,
  overloaded: 503,
  storage_unavailable: 503,
  upstream_error: 502,
  upstream_truncated: 502,
  upstream_invalid: 502,
  upstream_redirect: 502,
  upstream_timeout: 504,
  caller_left: 499,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof HTTP_STATUS;

/** One invalid field; `path` is dotted (`contents.0.parts.1.text`), empty for the whole body. */
export interface Issue {
  path: string;
  message: string;
}

/**
 * `credentials`: the channel's key is invalid, lacks permissions or cannot be decrypted. `account`: its account has no
 * credit.
 */
export type UpstreamRefusal = "credentials" | "account";

/** OpenAI's codes for an `invalid` error about an input that is too long. */
export const LONG_INPUT_CODES = ["context_length_exceeded", "max_tokens_per_request"] as const;

/** A code more specific than the error's own. `upstream_not_allowed`: the owner has to allow a channel's address. */
export type ApiCode = (typeof LONG_INPUT_CODES)[number] | "upstream_not_allowed";

export interface ErrorDetails {
  /** All validation errors, for forms (console) and `details` (Gemini). */
  issues?: Issue[];
  /** OpenAI's `param`: the invalid field. */
  param?: string;
  /** Replaces OpenAI's `code`. */
  apiCode?: ApiCode;
  /** `Retry-After`, in milliseconds. */
  retryAfterMs?: number;
  /** Wrong 2FA codes still allowed in this sign-in flow. */
  attemptsLeft?: number;
  /** Methods of the path, for the `Allow` header of a 405. */
  allow?: readonly string[];
  /** The upstream's HTTP status. With `invalid`: of its error about the caller's input, which is passed through. */
  upstreamStatus?: number;
  /**
   * With `upstream_error`: what about the channel the upstream refuses, whatever its status. Without `upstreamStatus`,
   * no upstream was called.
   */
  upstreamRefusal?: UpstreamRefusal;
  /** Additional response headers, such as those of the rate limit that was exceeded. */
  headers?: Readonly<Record<string, string>>;
  /**
   * The upstream does not know the model that the channel names, or refuses it to the channel's key: the configuration
   * is wrong, not the request.
   */
  isUnknownModel?: boolean;
  /**
   * With an `upstream_*` code, or `upstreamStatus`: the request caused the failure (a prompt that the upstream blocks, a
   * slow reader, a language that its model lacks), which says nothing about the channel.
   */
  isCausedByRequest?: boolean;
  /** False when a retry cannot succeed (`x-should-retry`). */
  shouldRetry?: boolean;
  /** The limit that refused the request; recorded, never sent. */
  limit?: RefusedLimit;
  /** The API key that was refused although it exists; recorded, never sent. */
  key?: { id: string; ownerId: string };
  /** The upstream's own message, one line without secrets; for administrators, never sent to callers. */
  upstreamMessage?: string;
}

const BRAND = "patchbay.AppError";

/** How long a caller of a busy engine is asked to wait, in milliseconds: from 1 s to a minute. */
export function busyRetryMs(queueMs: number): number {
  return Math.min(60_000, Math.max(1_000, Math.round(queueMs)));
}

/**
 * The one error type of the product. A verb throws `AppError`; the HTTP layer turns its code into the status and
 * body of the caller's dialect (lib/http/core/render-error.ts). Any other thrown value is an internal error: 500.
 */
export class AppError extends Error {
  readonly brand = BRAND;
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /** `message` is shown to the caller: what is wrong, where, and what is accepted. `cause` is only logged. */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "AppError";
    this.code = code;
    this.details = details;
  }
}

/** An `invalid` error about one field; `message` is both the error's message and that of the field's issue. */
export function invalidField(path: string, message: string): AppError {
  return new AppError("invalid", message, { issues: [{ path, message }] });
}

/** True for an AppError of any copy of this module (Next's bundle and the server bundle each contain one). */
export function isAppError(error: unknown): error is AppError {
  return typeof error === "object" && error !== null && "brand" in error && error.brand === BRAND;
}

/** A copy of an upstream's error, marked with `isCausedByRequest`. */
export function causedByRequest(error: AppError): AppError {
  return new AppError(error.code, error.message, { ...error.details, isCausedByRequest: true }, error);
}

/** The error for text `index` of an embeddings call that has more than `limit` tokens. */
export function inputTooLong(limit: number, many: boolean, index: number): AppError {
  const which = many ? ` (input ${index})` : "";
  const message = `This model's maximum context length is ${limit} tokens${which}. Please shorten the input.`;
  return new AppError("invalid", message, { param: "input", apiCode: "context_length_exceeded" });
}

/** True when `error` is an AppError with this code. */
export function hasCode(error: unknown, code: ErrorCode): error is AppError {
  return isAppError(error) && error.code === code;
}

/** True for an upstream's 404 about the request, whose status callers get. */
export function isPassedOn404({ code, details }: AppError): boolean {
  return code === "invalid" && details.upstreamStatus === 404;
}

/** The `code` of an error of Node or of one of its libraries, such as `ENOENT`; empty without one. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** EMFILE: this process has no file descriptors left; ENFILE: the system has none left. */
const OUT_OF_FILES = /^E[MN]FILE$/;

/** True when an error, or one in its chain of causes, reports that no file descriptor was left. */
export function isOutOfFiles(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (!("code" in at)) continue;
    if (OUT_OF_FILES.test(String(at.code))) return true;
    // A worker thread that could not start gives the reason only in its message.
    if (at.code === "ERR_WORKER_INIT_FAILED" && /\bE[MN]FILE\b/.test(at.message)) return true;
  }
  return false;
}

/**
 * The error for callers when a file in the data directory cannot be written: the disk, or the quota of the server's
 * user, is full, or the directory is read-only. Null for any other error.
 */
export function diskError(error: unknown): AppError | null {
  const code = systemCode(error);
  if (/^(?:ENOSPC|EDQUOT)$/.test(code))
    return new AppError("overloaded", "The server's disk is full.", {}, error);
  if (/^(?:EROFS|EACCES|EPERM)$/.test(code))
    return new AppError("storage_unavailable", "The server cannot write to its data directory.", {}, error);
  return null;
}

/**
 * The error for callers when no file descriptor is left. It can be retried: descriptors are freed as other calls end.
 */
export function outOfFiles(cause?: unknown): AppError {
  const message = "The server has reached its limit of open connections and files. Try again in a moment.";
  return new AppError("overloaded", message, { retryAfterMs: 1_000 }, cause);
}
