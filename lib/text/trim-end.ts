/**
 * `text` without trailing characters that match `drop`, an expression for one character. Linear, unlike `/x+$/`, which
 * rescans a long run of x from each of its characters.
 */
export function trimEndOf(text: string, drop: RegExp): string {
  let end = text.length;
  while (end > 0 && drop.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
