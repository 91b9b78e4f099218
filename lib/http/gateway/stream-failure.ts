import { AppError, isAppError } from "../../errors";
import type { GatewayContext } from "../../gateway/context";

/** Converts and logs an error of a reply whose status was already sent; the adapters log earlier errors only. */
export function streamFailure(ctx: GatewayContext, thrown: unknown): AppError {
  const error = isAppError(thrown)
    ? thrown
    : new AppError(
        "internal",
        "Something went wrong on our side. Please tell the operator the request id of this reply.",
      );
  if (error.code !== "caller_left") {
    const cause = isAppError(thrown) ? thrown.cause : thrown;
    ctx.services.log.warn("stream.failed", {
      requestId: ctx.requestId,
      traceId: ctx.trace?.traceId,
      code: error.code,
      cause: cause instanceof Error ? (cause.stack ?? cause.message) : undefined,
    });
  }
  return error;
}
