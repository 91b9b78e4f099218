import { AppError, isAppError, isOutOfFiles, outOfFiles } from "../../errors";
import type { Log } from "../../ports/log";
import type { Inbound, Outbound } from "./exchange";
import { renderError, statusOf } from "./render-error";
import type { Surface } from "./route";

function traceOf(cause: unknown): string | undefined {
  return cause instanceof Error ? (cause.stack ?? cause.message) : undefined;
}

/** The AppError of a thrown value. Any other error is internal, except a lack of file descriptors, which is temporary. */
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

/** Renders a thrown value: the caller gets the status of its code, the log gets the cause of a 5xx. */
export function renderFailure(
  surface: Surface,
  thrown: unknown,
  request: Inbound,
  log: Log,
  traceId?: string,
): Outbound {
  const error = appErrorOf(thrown);
  const status = statusOf(surface, error);
  if (status >= 500) {
    log[status === 500 ? "error" : "warn"]("request.failed", {
      requestId: request.requestId,
      traceId,
      method: request.method,
      path: request.path,
      status,
      code: error.code,
      cause: traceOf(error.cause),
    });
  }
  return renderError(surface, error);
}
