const MAY_HAVE_DOTS = /\/(?:\.|%2e)/i;

function decodeDots(segment: string): string {
  return segment.replaceAll(/%2e/gi, ".");
}

/**
 * Resolves `.` and `..` segments as browsers do (WHATWG URL §4.4), including percent-encoded dots; changes nothing
 * else.
 */
export function normalizePath(path: string): string {
  if (!MAY_HAVE_DOTS.test(path)) return path;
  const resolved: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    const dots = decodeDots(segment);
    const isLast = index === segments.length - 1;
    if (dots === "..") resolved.pop();
    else if (dots !== ".") resolved.push(segment);
    if (isLast && (dots === "." || dots === "..")) resolved.push("");
  }
  return `/${resolved.join("/")}`;
}

/** True when every percent-escape of the path decodes to UTF-8. */
export function isDecodable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

const ROUTED_ROOTS = new Set(["v1", "v1beta", "api"]);
const ROUTED_PATHS = new Set(["/metrics", "/openapi.json"]);

/**
 * True when the route table answers a normalized path: everything below `/v1`, `/v1beta` and `/api` in any spelling
 * (an unknown spelling gets the table's 404, never a page), except next-auth's `/api/auth/`.
 */
export function isRoutedPath(path: string): boolean {
  if (ROUTED_PATHS.has(path) || path.startsWith("//")) return true;
  const end = path.indexOf("/", 1);
  let top = end === -1 ? path.slice(1) : path.slice(1, end);
  if (top.includes("%")) top = decodeURIComponent(top);
  // `/api;x=1` and `/v1.rsc` are not pages either.
  top = (top.split(/[;.]/, 1)[0] ?? "").toLowerCase();
  return ROUTED_ROOTS.has(top) && !path.startsWith("/api/auth/");
}

const OPENAI_PATH =
  /^\/(?:audio|chat|completions|embeddings|engines|files|images|moderations|responses)(?:\/|$)/;
/**
 * The console has a page at this path: only a request with an API key is meant for the API's list of models or for a
 * model.
 */
const MODELS_PATH = /^\/models(?:\/|$)/;
/** Browsers send other schemes to proxies in front. */
const BEARER = /^\s*bearer\s/i;

/**
 * The dialect of an API call at the root, as an SDK sends it when its base URL lacks `/v1` or `/v1beta`; null for any
 * other path. These paths have neither a page nor a route; the error asks the caller to correct the base URL.
 */
export function bareDialect(path: string, headers: ReadonlyMap<string, string>): "openai" | "gemini" | null {
  if (OPENAI_PATH.test(path)) return "openai";
  if (!MODELS_PATH.test(path)) return null;
  if (headers.has("x-goog-api-key")) return "gemini";
  return BEARER.test(headers.get("authorization") ?? "") ? "openai" : null;
}

const REPEATED_VERSION = /^(\/v1(?:beta)?)(\/v1(?:beta)?\/(?:audio|embeddings|engines|models)(?:\/.*)?)$/;

/**
 * Splits a path with two versions, which clients that add a version themselves (such as Google's SDKs) send when the
 * base URL ends in one already; null for any other path.
 */
export function splitRepeatedVersion(path: string): { version: string; rest: string } | null {
  const [, version, rest] = REPEATED_VERSION.exec(path) ?? [];
  return version === undefined || rest === undefined ? null : { version, rest };
}
