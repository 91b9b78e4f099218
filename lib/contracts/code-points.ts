// In its own file, so that browsers can load it without zod.

/** The number of Unicode code points. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    // The second half of a surrogate pair is not counted.
    if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00 || (text.charCodeAt(at - 1) & 0xfc00) !== 0xd800) continue;
    count--;
    at++;
  }
  return count;
}
