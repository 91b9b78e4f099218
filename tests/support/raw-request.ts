import http from "node:http";

export interface RawReply {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  json: unknown;
}

export interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

/** Sends exactly these bytes: no fetch that mends paths, headers or bodies on the way. */
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
        headers: { ...(body ? { "content-length": String(body.length) } : {}), ...request.headers },
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("error", reject);
        reply.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          let json: unknown;
          try {
            json = JSON.parse(text);
          } catch {
            json = undefined;
          }
          resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text, json });
        });
      },
    );
    outgoing.on("error", reject);
    if (body) outgoing.write(body);
    outgoing.end();
  });
}
