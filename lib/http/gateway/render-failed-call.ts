import { isModelName } from "../../gateway/admission/resolve-model";
import type { GatewayServices, OpenedCall } from "../../gateway/context";
import type { KeyWithOwner } from "../../ports/store";
import type { RequestTrace } from "../../ports/telemetry";
import type { Inbound, Outbound } from "../core/exchange";
import { appErrorOf, renderFailure } from "../core/render-error";
import type { Surface } from "../core/route";

/** What is known of a call when it fails. */
export interface CallProgress {
  /** Null before the key is known to be valid. */
  caller: KeyWithOwner | null;
  /** The model as named in the path or body. */
  model: string | undefined;
  trace?: RequestTrace;
  /** Null without a ledger entry. */
  opened: OpenedCall | null;
}

/**
 * Renders a failed gateway call. A call without a ledger entry is counted in the metric of rejected calls unless the
 * caller left. It is also counted in the list of rejected requests, unless the error is a 5xx other than `overloaded`:
 * the store may be its cause.
 */
export function renderFailedCall(
  surface: Surface,
  services: Pick<GatewayServices, "log" | "metrics" | "state">,
  request: Inbound,
  { caller, model, opened, trace }: CallProgress,
  thrown: unknown,
): Outbound {
  const error = appErrorOf(thrown);
  const { code, details, message } = error;
  const named = model !== undefined && isModelName(model) ? model : null;
  const reply = renderFailure(surface, error, request, services.log, {
    traceId: trace?.traceId,
    ...(opened === null ? { model: named ?? undefined } : opened.logFields()),
  });
  if (opened !== null) return { ...reply, headers: { ...opened.headers(), ...reply.headers } };
  trace?.refused(named, reply.status, code);
  if (code === "caller_left") return reply;
  services.metrics.countRejection(surface, code);
  if (reply.status >= 500 && code !== "overloaded") return reply;
  const retryAfterS = Number(reply.headers["retry-after"] ?? Number.NaN);
  services.state.rejections.count({
    keyId: caller?.key.id ?? details.key?.id ?? null,
    userId: caller?.owner.id ?? details.key?.ownerId ?? null,
    model: named,
    error: code,
    limit: details.limit ?? null,
    requestId: request.requestId,
    status: reply.status,
    message,
    retryAfterS: Number.isNaN(retryAfterS) ? null : retryAfterS,
    address: request.peer.address,
  });
  return reply;
}
