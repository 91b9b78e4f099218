import { AppError } from "../../errors";
import type { Inbound } from "../core/exchange";

const CROSS_SITE = "This request came from another site and was refused.";

/**
 * Refuses writes that a page of another site made the browser send (SECURITY CS-1). `Sec-Fetch-Site` decides when
 * present; else the Origin's host and port must equal the Host's, or `baseUrl`'s whole origin when set. A caller that
 * sends neither is not a browser. Throws `forbidden`.
 */
export function requireSameOrigin(request: Inbound, baseUrl: string | null): void {
  const site = request.headers.get("sec-fetch-site");
  if (site !== undefined) {
    if (site === "same-origin" || site === "none") return;
    throw new AppError("forbidden", CROSS_SITE);
  }
  const origin = request.headers.get("origin");
  if (origin === undefined) return;
  if (!URL.canParse(origin)) throw new AppError("forbidden", CROSS_SITE);
  const from = new URL(origin);
  const isOurs =
    baseUrl === null
      ? from.host === withoutDefaultPort(request.headers.get("host") ?? "", from.protocol)
      : from.origin === new URL(baseUrl).origin;
  if (!isOurs) throw new AppError("forbidden", CROSS_SITE);
}

function withoutDefaultPort(host: string, protocol: string): string {
  const port = protocol === "https:" ? ":443" : ":80";
  const lower = host.toLowerCase();
  return lower.endsWith(port) ? lower.slice(0, -port.length) : lower;
}
