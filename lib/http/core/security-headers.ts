/** Security headers of our replies. */

const COMMON = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/** For `/api`, `/v1`, `/v1beta` and the rest of the route table: data, never rendered, never cached. */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Without `includeSubDomains`: services on subdomains may have no TLS. */
export const STRICT_TRANSPORT = "max-age=63072000";

/** The content security policy of a page; scripts need the nonce. `isDevelopment` permits Next's hot reloading. */
export function pagePolicy(nonce: string, isDevelopment: boolean): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    // A nonce-only style policy breaks charts and toasts.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "worker-src 'self' blob:",
    `connect-src 'self'${isDevelopment ? " ws: wss:" : ""}`,
    "font-src 'self'",
    "form-action 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The security headers of a page. */
export function pageHeaders(policy: string, isSecure: boolean): Record<string, string> {
  return {
    ...COMMON,
    "content-security-policy": policy,
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
    ...(isSecure ? { "strict-transport-security": STRICT_TRANSPORT } : {}),
  };
}
