/** The words of a content: the texts of its parts, joined with a newline. */
export function textOf(content: { parts: readonly { text: string }[] }): string {
  return content.parts.map((part) => part.text).join("\n");
}
