import { AppError, type ErrorDetails, isAppError, isOutOfFiles, outOfFiles, systemCode } from "../../errors";
import type { UpstreamFailureKind } from "../../ports/channel-probe";

/** An error below HTTP. Its message contains no host, address or key, so it may be logged. */
export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";
  readonly kind: UpstreamFailureKind;
  /** Node's error code of the system error; empty without one. */
  readonly code: string;

  constructor(kind: UpstreamFailureKind, errno = "") {
    super(errno === "" ? kind : `${kind} (${errno})`);
    this.kind = kind;
    this.code = errno;
  }
}

/** The transport error under an error, however often it was wrapped; null when there is none. */
export function failureOf(error: unknown): UpstreamFailureKind | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if (at instanceof UpstreamFailure) return at.kind;
  }
  return null;
}

/** Start of this folder's error messages, which `withSubject` replaces. */
const SUBJECT = "The channel's upstream";

/** The same error about a server that is not a channel's upstream. */
export function withSubject(error: AppError, subject: string): AppError {
  return new AppError(error.code, error.message.replace(SUBJECT, subject), error.details, error.cause);
}

/** The same message for every way of not reaching an upstream, so that it cannot be used to map a network. */
export function unreachable(failure: UpstreamFailure): AppError {
  return new AppError("upstream_error", "The channel's upstream could not be reached.", {}, failure);
}

export function tooSlow(): AppError {
  return new AppError("upstream_timeout", "The channel's upstream did not answer in time.");
}

export function stalled(): AppError {
  return new AppError("upstream_timeout", "The channel's upstream stopped sending.");
}

export function truncated(cause?: unknown): AppError {
  return new AppError("upstream_truncated", "The channel's upstream ended its answer early.", {}, cause);
}

/** `what` continues "The channel's upstream answered". */
export function invalidAnswer(what: string, cause?: unknown, details: ErrorDetails = {}): AppError {
  return new AppError("upstream_invalid", `The channel's upstream answered ${what}.`, details, cause);
}

const NOT_HTTP: ReadonlySet<string> = new Set([
  "UND_ERR_HEADERS_OVERFLOW",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
]);

/** An error of the connection or of undici, before (`headers`) or after (`body`) the status line was received. */
export function connectionError(error: unknown, phase: "headers" | "body"): AppError {
  if (isAppError(error)) return error;
  // Not caused by the upstream.
  if (isOutOfFiles(error)) return outOfFiles(error);
  if (error instanceof UpstreamFailure) return unreachable(error);
  const errno = systemCode(error);
  if (phase === "body") return truncated(new UpstreamFailure("connection_lost", errno));
  // How undici reports a status of 101, after which it cannot read on.
  if (error instanceof Error && error.message === "bad upgrade") {
    const cause = new UpstreamFailure("protocol_error", errno);
    return invalidAnswer("with status 101, which was not requested", cause, { upstreamStatus: 101 });
  }
  // undici's parser errors do not all have a code.
  const isNotHttp = NOT_HTTP.has(errno) || (error instanceof Error && error.name === "HTTPParserError");
  if (isNotHttp)
    return invalidAnswer("with data that is not HTTP", new UpstreamFailure("protocol_error", errno));
  return new AppError(
    "upstream_error",
    "The channel's upstream closed the connection before it answered.",
    {},
    new UpstreamFailure("connection_lost", errno),
  );
}
