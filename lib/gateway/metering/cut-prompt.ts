/** What is kept of one call's words at most. */
export const MAX_PROMPT_BYTES = 16 * 1024;

/** The beginning of a text that fits into `MAX_PROMPT_BYTES` as UTF-8, cut between two characters. */
export function cutPrompt(text: string): string {
  // A code unit takes three bytes at most: nothing to measure below a third.
  if (text.length * 3 <= MAX_PROMPT_BYTES) return text;
  const bytes = new Uint8Array(MAX_PROMPT_BYTES);
  const { read } = new TextEncoder().encodeInto(text, bytes);
  return text.slice(0, read);
}
