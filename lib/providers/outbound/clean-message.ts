const MAX_LENGTH = 500;

/**
 * Access tokens by their form: after an authorization scheme, by the prefix of their issuer (ours included), or as a JSON
 * Web Token.
 */
const TOKENS = [
  /\bBearer[-_ ]+[A-Za-z0-9*_.~+/=-]{8,}/g,
  // In any case only what cannot be a word: "basic authentication" is none.
  /\b(?:basic|bearer) +(?=\S{0,64}[\d=])[A-Za-z0-9*_.~+/=-]{8,}/gi,
  /\b(?:sk|pk|xi|gsk|hf|AIza)[-_ ]?[A-Za-z0-9*_.-]{8,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,4}/g,
];
/** A key without a prefix: only letters and digits, digits among them. */
const OPAQUE = /\b(?=[a-z]*\d)[0-9a-z]{24,}\b/gi;

/** The part of a text that is read, without the secrets; they are removed before the cut, which could divide one. */
function startOf(text: string, secrets: readonly string[]): string {
  let words = text;
  for (const secret of secrets) {
    if (secret.length >= 4) words = words.split(secret).join("[…]");
  }
  return words.slice(0, MAX_LENGTH * 8);
}

/**
 * An upstream's error message as a caller may read it: one line, without URLs, keys and the other values in `secrets`.
 * Empty when nothing is left.
 */
export function cleanMessage(text: string, secrets: readonly string[]): string {
  let words = startOf(text, secrets);
  for (const token of TOKENS) words = words.replace(token, "[key]");
  return words
    .replace(/\b[a-z][a-z0-9+.-]{0,32}:\/\/[^\s"'<>)]+/gi, "[address]")
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, "[address]")
    .replace(/(?:\[?(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}\]?)(?::\d+)?/gi, "[address]")
    .replace(/\blocalhost(?::\d+)?\b/gi, "[address]")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_LENGTH);
}

/**
 * An upstream's error message for administrators: of a body that is no message, its text without tags; also without
 * whatever may be a key. Empty when nothing is left.
 */
export function cleanUpstreamText(text: string, secrets: readonly string[]): string {
  const start = startOf(text, secrets);
  const isMarkup = /^\s*</.test(start);
  const words = isMarkup
    ? start.replace(/<(?:style|script)[^>]*>[^<]*/gi, " ").replace(/<[^<>]*>/g, " ")
    : start;
  return cleanMessage(words, secrets).replace(OPAQUE, "[key]").trim();
}
