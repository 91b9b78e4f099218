/** One server-sent event: its `event:` name, if any, and its joined `data:` lines. */
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
 * Splits a body into server-sent events as they arrive. Chunks may end anywhere, also within a character. An
 * incomplete block at the end of the stream is dropped (WHATWG HTML, "Server-sent events", parsing an event stream).
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
      // A trailing carriage return may be half of a CRLF: leave it for the next chunk.
      const endsInReturn = rest.endsWith("\r");
      const text = (endsInReturn ? rest.slice(0, -1) : rest).replace(/\r\n?/g, "\n");
      const blocks = text.split("\n\n");
      rest = (blocks.pop() ?? "") + (endsInReturn ? "\r" : "");
      for (const block of blocks) {
        const parsed = parseBlock(block);
        if (parsed) yield parsed;
      }
    }
  } finally {
    // Leaving the loop early (stop, error) closes the connection, which also aborts the upstream request.
    if (!isAtEnd) await reader.cancel().catch(() => undefined);
  }
}
