/** Most bytes stored of a call's prompt. */
export const MAX_PROMPT_BYTES = 16 * 1024;

/** Truncates a text to `MAX_PROMPT_BYTES` of UTF-8, between two characters. */
export function cutPrompt(text: string): string {
  // A code unit takes at most three bytes.
  if (text.length * 3 <= MAX_PROMPT_BYTES) return text;
  const bytes = new Uint8Array(MAX_PROMPT_BYTES);
  const { read } = new TextEncoder().encodeInto(text, bytes);
  return text.slice(0, read);
}
