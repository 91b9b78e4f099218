import type { Log } from "../domain/context";
import { AppError, isAppError } from "../errors";
import type { Inbound, Outbound } from "./exchange";
import { renderError, statusOf } from "./render-error";
import type { Surface } from "./route";

function traceOf(cause: unknown): string | undefined {
  return cause instanceof Error ? (cause.stack ?? cause.message) : undefined;
}

/** Any thrown thing as a reply. What is not an AppError is our fault: the caller gets 500, the log the cause. */
export function renderFailure(surface: Surface, thrown: unknown, request: Inbound, log: Log): Outbound {
  const error = isAppError(thrown)
    ? thrown
    : new AppError(
        "internal",
        "Something went wrong on our side. Please tell the operator the request id of this reply.",
        {},
        thrown,
      );
  const status = statusOf(surface, error);
  if (status >= 500) {
    log[status === 500 ? "error" : "warn"]("request.failed", {
      requestId: request.requestId,
      method: request.method,
      path: request.path,
      status,
      code: error.code,
      cause: traceOf(error.cause),
    });
  }
  return renderError(surface, error);
}
