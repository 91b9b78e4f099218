import { AppError, isAppError } from "../errors";

/** Why a call's signal was aborted: the adapter's error (the server stops), else that the caller left. */
export function stopReason(signal: AbortSignal): AppError {
  return isAppError(signal.reason) ? signal.reason : new AppError("caller_left", "The caller left.");
}
