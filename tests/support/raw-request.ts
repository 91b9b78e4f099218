import http from "node:http";
import net from "node:net";

export interface RawReply {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The body as received. */
  bytes: Buffer;
  text: string;
  json: unknown;
}

export interface RawRequest {
  method?: string;
  path: string;
  /** With several values, the header is sent several times. */
  headers?: Record<string, string | string[]>;
  body?: Uint8Array | string;
  /** The local address to call from (`127.0.0.2` is another caller than `127.0.0.1`). */
  from?: string;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends exactly these bytes, while fetch would normalize paths, headers and bodies. */
export function sendRaw(base: string, request: RawRequest): Promise<RawReply> {
  const { hostname, port } = new URL(base);
  const body = typeof request.body === "string" ? Buffer.from(request.body) : request.body;
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      {
        hostname,
        port,
        method: request.method ?? "POST",
        path: request.path,
        agent: false,
        ...(request.from ? { localAddress: request.from } : {}),
        headers: { ...(body ? { "content-length": String(body.length) } : {}), ...request.headers },
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("error", reject);
        reply.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          resolve({ status: reply.statusCode ?? 0, headers: reply.headers, bytes, text, json: parsed(text) });
        });
      },
    );
    outgoing.on("error", reject);
    if (body) outgoing.write(body);
    outgoing.end();
  });
}

/** A raw socket under the test's control. */
export interface Wire {
  send(bytes: string | Uint8Array): void;
  /** All bytes received so far (latin1). */
  received(): string;
  /** Resolves with all bytes received once they contain `mark`; throws if the socket closes before. */
  until(mark: string): Promise<string>;
  /** Resolves with all bytes received when the other side has closed. */
  ended: Promise<string>;
  /** Stops and resumes reading, as a slow caller. */
  pause(): void;
  resume(): void;
  /** Reads at this rate. */
  readSlowly(bytesPerSecond: number): void;
  /** True when the other side has closed or reset the connection. */
  isClosed(): boolean;
  destroy(): void;
}

/** Opens a socket to `port` of this machine from the local address `from`. */
export function openWire(port: number, from?: string): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: "127.0.0.1", ...(from ? { localAddress: from } : {}) });
    let text = "";
    let isClosed = false;
    const watchers = new Set<() => void>();
    const notify = () => {
      for (const watcher of [...watchers]) watcher();
    };
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      notify();
    });
    const ended = new Promise<string>((done) => {
      socket.on("close", () => {
        isClosed = true;
        notify();
        done(text);
      });
    });
    socket.once("error", reject);
    socket.on("error", () => undefined);
    socket.once("connect", () =>
      resolve({
        send: (bytes) => void socket.write(bytes),
        received: () => text,
        until: (mark) =>
          new Promise((found, failed) => {
            const check = () => {
              if (text.includes(mark)) found(text);
              else if (isClosed) failed(new Error(`The socket closed before '${mark}' arrived: ${text}`));
              else return;
              watchers.delete(check);
            };
            watchers.add(check);
            check();
          }),
        ended,
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
        readSlowly: (bytesPerSecond) => {
          socket.pause();
          const timer = setInterval(
            () => void socket.read(Math.min(bytesPerSecond, socket.readableLength)),
            1_000,
          );
          socket.on("close", () => clearInterval(timer));
        },
        isClosed: () => isClosed,
        destroy: () => void socket.destroy(),
      }),
    );
  });
}

export interface WireReply {
  status: number;
  headers: Record<string, string>;
  body: string;
  json: unknown;
}

/** Parses the first reply in received bytes; its body is delimited by Content-Length. */
export function readReply(text: string): WireReply {
  const end = text.indexOf("\r\n\r\n");
  const [line = "", ...rest] = text.slice(0, end).split("\r\n");
  const headers: Record<string, string> = {};
  for (const header of rest) {
    const colon = header.indexOf(":");
    headers[header.slice(0, colon).toLowerCase()] = header.slice(colon + 1).trim();
  }
  const body = text.slice(end + 4, end + 4 + Number(headers["content-length"] ?? text.length));
  return { status: Number(line.split(" ")[1] ?? 0), headers, body, json: parsed(body) };
}

/** Sends bytes on a new socket and reads the reply; the server must close the connection. */
export async function exchange(port: number, bytes: string | Uint8Array, from?: string): Promise<WireReply> {
  const wire = await openWire(port, from);
  wire.send(bytes);
  return readReply(await wire.ended);
}

/**
 * Sends a request with its whole body without waiting for a reply. Resolves with the reply also when the server resets
 * the connection after it; the status is 0 when there was none.
 */
export function postAtOnce(
  port: number,
  { path, headers, body }: { path: string; headers: Record<string, string>; body: string },
): Promise<WireReply> {
  const all = {
    host: "localhost",
    connection: "close",
    ...headers,
    "content-length": Buffer.byteLength(body),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return exchange(port, `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}
