/** Stands for whatever origin the console is served from; only used to see whether a path leaves it. */
const BASE = "http://patchbay.invalid";
// The set of what URL parsers skip or read as a slash, raw or percent-encoded, at the start of a path.
const LEAVES = /^\/(?:[/\\]|%2f|%5c|%00|%09|%0a|%0d)/i;

/**
 * The path to go to after signing in: `path` when it stays on this origin (begins with one slash, holds no control
 * character or backslash, and still is one path of this origin after parsing), else `/`.
 */
export function safeReturnPath(path: string | null | undefined): string {
  if (typeof path !== "string" || path.length > 2048) return "/";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (!path.startsWith("/") || LEAVES.test(path) || /[\u0000-\u0020\u007f\\]/.test(path)) return "/";
  let url: URL;
  try {
    url = new URL(path, BASE);
  } catch {
    return "/";
  }
  const cleaned = `${url.pathname}${url.search}${url.hash}`;
  return url.origin !== BASE || LEAVES.test(cleaned) ? "/" : cleaned;
}
