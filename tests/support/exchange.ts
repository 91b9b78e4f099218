import type { Inbound, Outbound, Peer } from "../../lib/http/core/exchange";
import type { Clock } from "../../lib/ports/clock";

/** A request as an adapter passes it to a handler, by default from a program on this machine. */
export function inbound(
  target: string,
  sent: {
    method: string;
    headers: Iterable<readonly [string, string]>;
    body: Uint8Array;
    clock: Clock;
    peer?: Partial<Peer>;
    signal?: AbortSignal | undefined;
    /** Called while the body is read. */
    whileReading?: (() => unknown) | undefined;
    onFinished?: Inbound["onFinished"];
  },
): Inbound {
  const [path = "", query = ""] = target.split("?");
  return {
    method: sent.method,
    path,
    query,
    headers: new Map(sent.headers),
    peer: { address: "127.0.0.1", isLocal: true, isSecure: false, ...sent.peer },
    requestId: "req-1",
    receivedAt: sent.clock.monotonic(),
    signal: sent.signal ?? new AbortController().signal,
    onFinished: sent.onFinished ?? (() => undefined),
    readBody: async () => {
      await sent.whileReading?.();
      return sent.body;
    },
    streamBody: () => chunked(sent.body),
  };
}

/** Bytes as a body that arrives in one chunk. */
export async function* chunked(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}

/** The bytes of a reply's body, read to its end. */
export async function wholeBody({ body }: Outbound): Promise<Buffer> {
  if (body === null || body instanceof Uint8Array) return Buffer.from(body ?? []);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
