/** One server-sent event: the joined `data:` lines and the `event:` name, if there was one. */
export interface ServerEvent {
  event: string | null;
  data: string;
}

function parseBlock(block: string): ServerEvent | null {
  let event: string | null = null;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line.startsWith("event:")) event = line.slice(6).trim();
  }
  return data.length === 0 ? null : { event, data: data.join("\n") };
}

/**
 * Splits a body into server-sent events as they arrive, whatever the chunks' boundaries (in the middle of a
 * character included). A block the stream ends in without its blank line is dropped, as the standard says.
 * Source of the rules: WHATWG HTML, "Server-sent events", parsing an event stream.
 */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let isAtEnd = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        isAtEnd = true;
        return;
      }
      rest += decoder.decode(value, { stream: true });
      // A carriage return at the very end may be half of a CRLF: it waits for the next chunk.
      const isHalf = rest.endsWith("\r");
      const whole = (isHalf ? rest.slice(0, -1) : rest).replace(/\r\n?/g, "\n");
      const blocks = whole.split("\n\n");
      rest = (blocks.pop() ?? "") + (isHalf ? "\r" : "");
      for (const block of blocks) {
        const parsed = parseBlock(block);
        if (parsed) yield parsed;
      }
    }
  } finally {
    // Leaving the loop early (stop, error) closes the connection, which stops the work upstream.
    if (!isAtEnd) await reader.cancel().catch(() => undefined);
  }
}
