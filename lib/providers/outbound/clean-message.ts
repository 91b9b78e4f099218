const LONGEST = 500;

/**
 * An upstream's error message as a caller may read it: one line, without URLs, keys and the other values in `secrets`.
 * Empty when nothing is left.
 */
export function cleanMessage(text: string, secrets: readonly string[]): string {
  let words = text.slice(0, LONGEST * 8);
  for (const secret of secrets) {
    if (secret.length >= 4) words = words.split(secret).join("[…]");
  }
  return words
    .replace(/\b[a-z][a-z0-9+.-]{0,32}:\/\/[^\s"'<>)]+/gi, "[address]")
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, "[address]")
    .replace(/(?:\[?(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}\]?)(?::\d+)?/gi, "[address]")
    .replace(/\blocalhost(?::\d+)?\b/gi, "[address]")
    .replace(/\b(?:sk|pk|xi|gsk|hf|AIza|Bearer)[-_ ]?[A-Za-z0-9*_.-]{8,}/g, "[key]")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, LONGEST);
}
