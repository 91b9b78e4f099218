import type { UpstreamFailureKind } from "./channel-probe";

/** One message to a URL that an operator has configured. */
interface WebhookPost {
  /** `https://…`, or `http://…` to an allowed host; may have a query. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as `JSON.stringify` writes it. */
  body: unknown;
  timeoutMs: number;
}

/** The port of the operator's webhook; guarded like upstream calls: public or allowed addresses only, no redirects. */
export interface Webhook {
  /** Why `post` sends nothing to a URL, worded for its form field; null when it may. Names are not resolved. */
  refusalOf(url: string): string | null;
  /** Null when it was accepted (2xx); else the reason. Never throws because of the receiver. */
  post(message: WebhookPost): Promise<WebhookFailure | null>;
}

export type WebhookFailure = UpstreamFailureKind | "timeout" | "redirect" | "failed" | `status_${number}`;
