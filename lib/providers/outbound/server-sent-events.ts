import { invalidAnswer } from "./fault";

export interface ServerSentEvent {
  /** `message` when the upstream names none. */
  event: string;
  data: string;
}

/** One event may hold seconds of audio, not minutes. */
const LONGEST_EVENT = 32 * 1024 * 1024;

/**
 * The events of a stream (WHATWG HTML §9.2), comments and empty ones left out. What stands behind the last blank line
 * comes as an event too: some servers leave that line out, and whether it is whole the reader can tell.
 */
export async function* serverSentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let lines: string[] = [];
  let rest = "";
  let searched = 0;

  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (error) {
      throw invalidAnswer("with bytes that are not UTF-8", error);
    }
  };
  const take = (): ServerSentEvent | null => {
    const event = readLines(lines);
    lines = [];
    return event;
  };

  for await (const bytes of body) {
    rest += decode(bytes);
    if (rest.length > LONGEST_EVENT) throw invalidAnswer("with an event that is too long");
    for (let end = rest.indexOf("\n", searched); end >= 0; end = rest.indexOf("\n")) {
      const line = rest.slice(0, end).replace(/\r$/, "");
      rest = rest.slice(end + 1);
      searched = 0;
      if (line !== "") {
        lines.push(line);
        continue;
      }
      const event = take();
      if (event !== null) yield event;
    }
    searched = rest.length;
  }
  rest += decode();
  if (rest !== "") lines.push(rest);
  const last = take();
  if (last !== null) yield last;
}

function readLines(lines: readonly string[]): ServerSentEvent | null {
  let event = "message";
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    else if (name === "event") event = value;
  }
  return data.length === 0 ? null : { event, data: data.join("\n") };
}
