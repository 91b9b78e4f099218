/** The text of a content: its parts joined by newlines. */
export function textOf(content: { parts: readonly { text: string }[] }): string {
  return content.parts.map((part) => part.text).join("\n");
}
