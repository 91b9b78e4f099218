import type { UpstreamFailureKind } from "./channel-probe";

/** One message to an address that an operator has written down. */
export interface WebhookPost {
  /** `https://…`, or `http://…` to an allowed host; a query may stand in it. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as `JSON.stringify` writes it. */
  body: unknown;
  timeoutMs: number;
}

/** The seam to the operator's own server: guarded as calls to upstreams are (SECURITY SF-2 to SF-4). */
export interface Webhook {
  /** Null when it was taken (2xx); else why not. Never throws for what the other side does. */
  post(message: WebhookPost): Promise<WebhookFailure | null>;
}

export type WebhookFailure = UpstreamFailureKind | "timeout" | "redirect" | "failed" | `status_${number}`;
