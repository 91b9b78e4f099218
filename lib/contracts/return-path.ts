import { withQuery } from "./with-query";

/** Placeholder for the console's origin, used to check whether a path leads to another origin. */
const BASE = "http://patchbay.invalid";
// Characters at the start of a path that URL parsers skip or read as a slash, raw or percent-encoded.
const OFF_ORIGIN_PREFIX = /^\/(?:[/\\]|%2f|%5c|%00|%09|%0a|%0d)/i;

/**
 * The path to open after sign-in: `path` if it stays on this origin (begins with one slash, contains no control
 * character or backslash, and is a path of this origin after parsing), otherwise `/`.
 */
export function safeReturnPath(path: string | null | undefined): string {
  if (typeof path !== "string" || path.length > 2048) return "/";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters on purpose.
  if (!path.startsWith("/") || OFF_ORIGIN_PREFIX.test(path) || /[\u0000-\u0020\u007f\\]/.test(path))
    return "/";
  let url: URL;
  try {
    url = new URL(path, BASE);
  } catch {
    return "/";
  }
  const cleaned = `${url.pathname}${url.search}${url.hash}`;
  return url.origin !== BASE || OFF_ORIGIN_PREFIX.test(cleaned) ? "/" : cleaned;
}

/** The sign-in page that returns to `path`; `hasEnded`: the page says that the session has ended. */
export function signInPath(path: string, hasEnded: boolean): string {
  const query = new URLSearchParams();
  if (path !== "/") query.set("return_to", path);
  if (hasEnded) query.set("reason", "ended");
  return withQuery("/login", query);
}
