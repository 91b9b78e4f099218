import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { streamBody } from "@/lib/http/core/request-body";
import { createBodyReaders } from "@/lib/http/node/body";

const MIB = 1024 * 1024;

/** Chunks of a MiB, each after `waitMs`; `endless`: the source never ends after the last one. */
function source(chunks: number, { waitMs = 0, endless = false } = {}) {
  let sent = 0;
  let returned = 0;
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      if (sent === chunks) {
        if (endless) await new Promise(() => undefined);
        return { done: true, value: undefined };
      }
      sent += 1;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      return { done: false, value: new Uint8Array(MIB) };
    },
    async return() {
      returned += 1;
      return { done: true, value: undefined };
    },
  };
  return { iterator, returns: () => returned };
}

async function sizeOf(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of chunks) size += chunk.byteLength;
  return size;
}

test("passes on a body up to the limit, and rejects a larger one", async () => {
  expect(await sizeOf(streamBody(source(3).iterator, 3 * MIB, 1_000))).toBe(3 * MIB);
  const large = source(4);
  await expect(sizeOf(streamBody(large.iterator, 3 * MIB, 1_000))).rejects.toMatchObject({
    code: "too_large",
  });
  expect(large.returns()).toBe(1);
});

test("applies the upload timeout to every 8 MiB, and rejects a body that stops arriving", async () => {
  // 24 MiB at 60 ms each take longer than one timeout.
  expect(await sizeOf(streamBody(source(24, { waitMs: 60 }).iterator, 64 * MIB, 1_000))).toBe(24 * MIB);
  const slow = source(7, { waitMs: 200 });
  await expect(sizeOf(streamBody(slow.iterator, 64 * MIB, 1_000))).rejects.toMatchObject({
    code: "request_timeout",
  });
  const stopped = source(1, { endless: true });
  await expect(sizeOf(streamBody(stopped.iterator, 64 * MIB, 50))).rejects.toMatchObject({
    code: "request_timeout",
  });
  expect(stopped.returns()).toBe(1);
});

test("counts only the time in which a body waits for the caller", async () => {
  let size = 0;
  for await (const chunk of streamBody(source(4).iterator, 64 * MIB, 400)) {
    size += chunk.byteLength;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  expect(size).toBe(4 * MIB);
});

let server: http.Server | null = null;
afterEach(() => server?.close());

/** A server that streams its request's body; `outcome` is its size or its error code. */
async function receive(maxBytes: number): Promise<{ port: number; outcome: Promise<unknown> }> {
  let settle: (outcome: unknown) => void = () => undefined;
  const outcome = new Promise<unknown>((resolve) => {
    settle = resolve;
  });
  server = http.createServer((message, response) => {
    const headers = new Map(Object.entries(message.headers).map(([name, value]) => [name, String(value)]));
    const { streamBody: read } = createBodyReaders(message, response, headers, 2_000);
    sizeOf(read(maxBytes)).then(
      (size) => {
        settle(size);
        response.end();
      },
      (error: { code: string }) => {
        settle(error.code);
        response.destroy();
      },
    );
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  // Listening on a TCP port.
  return { port: (server.address() as AddressInfo).port, outcome };
}

test("streams the body of a request, and rejects a declared length above the limit or a caller who left", async () => {
  const whole = await receive(4 * MIB);
  await fetch(`http://127.0.0.1:${whole.port}`, { method: "POST", body: new Uint8Array(3 * MIB) });
  expect(await whole.outcome).toBe(3 * MIB);
  server?.close();

  const large = await receive(MIB);
  await fetch(`http://127.0.0.1:${large.port}`, { method: "POST", body: new Uint8Array(2 * MIB) }).catch(
    () => null,
  );
  expect(await large.outcome).toBe("too_large");
  server?.close();

  const left = await receive(4 * MIB);
  const request = http.request({
    port: left.port,
    host: "127.0.0.1",
    method: "POST",
    headers: { "content-length": MIB },
  });
  request.on("error", () => undefined);
  request.write(new Uint8Array(1_000));
  setTimeout(() => request.destroy(), 50);
  expect(await left.outcome).toBe("caller_left");
});
