import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { InjectedFailure } from "./injected-failure";
import type { Reply } from "./reply";

/** Counts sent bytes. */
export type Count = (bytes: number) => void;

/** Bodies without an end: spaces, as before JSON that never arrives, and bytes of 1 as audio. */
const FLOODS = { text: Buffer.alloc(64 * 1024, 0x20), audio: Buffer.alloc(64 * 1024, 1) };
/** 32 MiB of zeros, gzipped to 32 KiB on first use. */
let bomb: Buffer | undefined;
const HTML = "<!DOCTYPE html><html><body>It works!</body></html>";

/** Sends a reply with the injected failure. Resolves when all is sent; a stall never resolves. */
export async function send(
  res: ServerResponse,
  reply: Reply,
  failure: InjectedFailure | null,
  count: Count,
): Promise<void> {
  const kind = failure?.kind ?? "";
  const n = failure?.n ?? 0;
  switch (kind) {
    case "reset-before-headers":
      res.socket?.resetAndDestroy();
      return;
    case "close-before-headers":
      res.socket?.destroy();
      return;
    case "not-http":
      res.socket?.end("SSH-2.0-OpenSSH_9.2\r\n");
      return;
    case "black-hole":
      return;
    case "slow":
      await new Promise((resolve) => setTimeout(resolve, n));
      return send(res, reply, null, count);
    case "informational":
      // As some proxies in front of upstreams send them.
      for (const code of ["100 Continue", "102 Processing", "103 Early Hints", "100 Continue"])
        res.socket?.write(`HTTP/1.1 ${code}\r\nlink: </a>\r\n\r\n`);
      return send(res, reply, null, count);
    case "many-headers":
      res.writeHead(
        200,
        Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`x-${i}`, "y".repeat(40)])),
      );
      res.end();
      return;
    case "garbage":
      return whole(res, 200, { "content-type": "text/html" }, Buffer.from(HTML), count);
    case "garbage-json":
      return whole(
        res,
        200,
        { "content-type": "application/json" },
        Buffer.from('{"data": [{"embedding'),
        count,
      );
    case "not-utf8":
      return whole(res, 200, { ...reply.headers }, Buffer.from([0x7b, 0xff, 0xfe, 0x80, 0x81, 0x82]), count);
    case "empty":
      return whole(res, 200, reply.headers, Buffer.alloc(0), count);
    case "bomb":
      // Repeated until the connection closes.
      bomb ??= gzipSync(Buffer.alloc(32 * 1024 * 1024));
      return flood(res, { ...reply.headers, "content-encoding": "gzip" }, bomb, count);
    case "gzip":
      return whole(
        res,
        200,
        { ...reply.headers, "content-encoding": "gzip" },
        gzipSync(Buffer.concat(reply.chunks)),
        count,
      );
    case "bad-gzip":
      return whole(
        res,
        200,
        { ...reply.headers, "content-encoding": "gzip" },
        Buffer.from("no gzip at all"),
        count,
      );
    case "strange-encoding":
      return whole(
        res,
        200,
        { ...reply.headers, "content-encoding": "compress" },
        Buffer.concat(reply.chunks),
        count,
      );
    case "huge":
      return flood(
        res,
        reply.headers,
        String(reply.headers["content-type"]).startsWith("audio/") ? FLOODS.audio : FLOODS.text,
        count,
      );
    case "undelimited":
    case "identity-coded": {
      const body = Buffer.concat(reply.chunks);
      const coding = failure?.kind === "identity-coded" ? "transfer-encoding: identity\r\n" : "";
      const head = `HTTP/1.1 200 OK\r\ncontent-type: ${reply.headers["content-type"]}\r\n${coding}connection: close\r\n\r\n`;
      count(body.length);
      res.socket?.end(Buffer.concat([Buffer.from(head), body]));
      return;
    }
    case "cut-at-byte": {
      const body = Buffer.concat(reply.chunks);
      res.writeHead(reply.status, { ...reply.headers, "content-length": String(body.length) });
      return cutAfter(res, [body.subarray(0, n)], count);
    }
    case "cut-chunked-at-byte":
      res.writeHead(reply.status, reply.headers);
      return cutAfter(res, [Buffer.concat(reply.chunks).subarray(0, n)], count);
    case "cut-at-chunk":
      res.writeHead(reply.status, reply.headers);
      return cutAfter(res, reply.chunks.slice(0, n), count);
    case "end-at-chunk":
      return chunked(res, { ...reply, chunks: reply.chunks.slice(0, n) }, count);
    case "stalled-status":
      res.writeHead(reply.status, { ...reply.headers, "content-length": "100" });
      res.flushHeaders();
      return;
    case "stall-at-chunk":
      res.writeHead(reply.status, reply.headers);
      res.flushHeaders();
      for (const chunk of reply.chunks.slice(0, n)) await write(res, chunk, count);
      return;
    default:
      return reply.chunks.length === 1 && reply.chunks[0] !== undefined
        ? whole(res, reply.status, reply.headers, reply.chunks[0], count)
        : chunked(res, reply, count);
  }
}

function whole(
  res: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: Buffer,
  count: Count,
): void {
  res.writeHead(status, { ...headers, "content-length": String(body.length) });
  count(body.length);
  res.end(body);
}

async function chunked(res: ServerResponse, reply: Reply, count: Count): Promise<void> {
  res.writeHead(reply.status, reply.headers);
  for (const chunk of reply.chunks) await write(res, chunk, count);
  res.end();
}

/** Resolves when the bytes are with the kernel, or the connection is closed. */
function write(res: ServerResponse, bytes: Buffer, count: Count): Promise<void> {
  if (res.destroyed || bytes.length === 0) return Promise.resolve();
  count(bytes.length);
  return new Promise((resolve) => {
    res.once("close", resolve);
    res.write(bytes, () => {
      res.off("close", resolve);
      resolve();
    });
  });
}

async function cutAfter(res: ServerResponse, chunks: Buffer[], count: Count): Promise<void> {
  res.flushHeaders();
  for (const chunk of chunks) await write(res, chunk, count);
  res.socket?.destroy();
}

async function flood(
  res: ServerResponse,
  headers: Record<string, string>,
  piece: Buffer,
  count: Count,
): Promise<void> {
  res.writeHead(200, headers);
  while (!res.destroyed) await write(res, piece, count);
}
