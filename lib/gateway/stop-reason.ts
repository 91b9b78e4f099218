import { AppError, isAppError } from "../errors";
import type { StopSignal } from "../ports/stop-signal";

/** Why a call's signal was aborted: the adapter's error (the server stops), else that the caller left. */
export function stopReason(signal: Pick<StopSignal, "reason">): AppError {
  return isAppError(signal.reason) ? signal.reason : new AppError("caller_left", "The caller left.");
}
