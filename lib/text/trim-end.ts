/**
 * `text` without the characters at its end that `drop`, an expression for one character, matches. Linear, where
 * `/x+$/` looks at a long run of x from each of its characters.
 */
export function trimEndOf(text: string, drop: RegExp): string {
  let end = text.length;
  while (end > 0 && drop.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
