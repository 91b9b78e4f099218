/** A sentence of the server in the page's language; unchanged where it has no translation. */
export type ServerText = (sentence: string) => string;

export const asSent: ServerText = (sentence) => sentence;

/**
 * Loads the translation of the server's sentences. The server itself writes English; the Chinese table is loaded here.
 */
export async function loadServerText(locale: string): Promise<ServerText> {
  if (locale !== "zh") return asSent;
  try {
    const { inChinese } = await import("../messages/zh/server-errors");
    return (sentence) => inChinese(sentence) ?? sentence;
  } catch {
    // The server cannot be reached or runs another version: English is better than none.
    return asSent;
  }
}
