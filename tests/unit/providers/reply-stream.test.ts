import { describe, expect, test } from "vitest";
import { type HeldPieces, ReplyStream } from "@/lib/providers/outbound/reply-stream";

/** The reply of an upstream as undici's parser reports it, with a controller that records its calls. */
function started(held: HeldPieces = { bytes: 0 }) {
  const calls: string[] = [];
  const reply = new ReplyStream(held);
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    pause: () => void calls.push("pause"),
    resume: () => void calls.push("resume"),
    abort(reason: Error) {
      calls.push("abort");
      reply.onResponseError(controller, reason);
    },
  };
  reply.onRequestStart(controller);
  reply.onResponseStart(controller, 200, { "content-type": "audio/pcm" });
  const sendBytes = (bytes: Uint8Array) => reply.onResponseData(controller, bytes);
  return { reply, controller, calls, sendBytes, send: (bytes: number) => sendBytes(Buffer.alloc(bytes, 1)) };
}

/** The content of one read of the socket: pieces of `bytes` with the framing of HTTP chunks between them. */
function oneRead(bytes: number, count: number): Uint8Array[] {
  const buffer = Buffer.allocUnsafeSlow((bytes + 8) * count);
  return Array.from({ length: count }, (_, index) => {
    const at = index * (bytes + 8) + 6;
    return buffer.subarray(at, at + bytes).fill(index + 1);
  });
}

describe("a reply of an upstream", () => {
  test("is passed to a waiting reader as one piece per read of the socket", async () => {
    const { reply, sendBytes } = started();
    expect(await reply.head).toMatchObject({ status: 200 });
    const first = reply.read();
    const parts = oneRead(8_000, 5);
    const content = Buffer.concat(parts);
    for (const part of parts) sendBytes(part);
    // The piece is passed with the last part, before anything else runs.
    sendBytes(Buffer.alloc(10));
    expect(await first).toEqual(content);
    expect(await reply.read()).toHaveLength(10);
    reply.onResponseEnd();
    expect([await reply.read(), await reply.read()]).toEqual([null, null]);
  });

  test("drops the raw headers, which would keep the buffer of its first read in memory", () => {
    const { reply, controller } = started();
    const header = Buffer.alloc(20);
    const withHeaders = { ...controller, rawHeaders: [header] };
    reply.onResponseStart(withHeaders, 200, {});
    expect(withHeaders.rawHeaders).toBeNull();
  });

  test("is passed in the buffer of its read, without a copy, and leaves the bytes before and after it unchanged", async () => {
    const { reply, sendBytes } = started();
    const parts = oneRead(8_000, 5);
    const [before, ...middle] = parts;
    const after = middle.pop();
    const expected = Buffer.concat(middle);
    const piece = reply.read();
    for (const part of middle) sendBytes(part);
    const joined = await piece;
    expect(joined?.buffer).toBe(before?.buffer);
    expect(joined).toEqual(expected);
    expect([before, after]).toEqual([Buffer.alloc(8_000, 1), Buffer.alloc(8_000, 5)]);
  });

  test("is copied if its bytes share a buffer with other data, come from several reads or fill little of a read", async () => {
    const pooled = Buffer.from(new ArrayBuffer(Buffer.poolSize)).fill(9);
    const sparse = Buffer.from(new ArrayBuffer(100_000)).fill(9);
    const pieceOf = async (parts: Uint8Array[]) => {
      const { reply, sendBytes } = started();
      const piece = reply.read();
      for (const part of parts) sendBytes(part);
      return piece;
    };
    const oneBuffer = [pooled.subarray(0, 3_000), pooled.subarray(4_000, 7_000)];
    const fewBytes = [sparse.subarray(0, 20_000), sparse.subarray(50_000, 79_000)];
    const twoReads = [oneRead(8_000, 2), oneRead(8_000, 2)].flatMap(([first = Buffer.of()]) => [first]);
    for (const parts of [oneBuffer, fewBytes, twoReads]) {
      const expected = Buffer.concat(parts);
      const joined = await pieceOf(parts);
      expect(joined).toEqual(expected);
      expect(parts.map((part) => part.buffer)).not.toContain(joined?.buffer);
    }
    expect([pooled, sparse].every((buffer) => buffer.every((byte) => byte === 9))).toBe(true);
  });

  test("reaches a waiting reader in the same tick if the end of a read is not known", async () => {
    const { reply, sendBytes } = started();
    const piece = reply.read();
    const [first = Buffer.of(), second = Buffer.of()] = oneRead(1_000, 3);
    sendBytes(first);
    sendBytes(second);
    expect(await piece).toHaveLength(2_000);
  });

  test("pauses the connection at the first byte that no reader waits for, and resumes it for the next read", async () => {
    const { reply, calls, send } = started();
    send(10_000);
    expect(calls).toEqual(["pause"]);
    expect(await reply.read()).toHaveLength(10_000);
    expect(calls).toEqual(["pause", "resume"]);
  });

  test("counts the bytes that readers have not processed", async () => {
    const held = { bytes: 0 };
    const { reply, send } = started(held);
    const other = started(held);
    send(3_000);
    other.send(500);
    expect(held.bytes).toBe(3_500);
    await reply.read();
    expect(held.bytes).toBe(3_500);
    const end = reply.read();
    expect(held.bytes).toBe(500);
    other.reply.stop(new Error("left"));
    expect(held.bytes).toBe(0);
    reply.onResponseEnd();
    expect(await end).toBeNull();
    reply.stop(new Error("closed"));
    expect(held.bytes).toBe(0);
    const broken = started(held);
    broken.send(700);
    broken.reply.onResponseError(broken.controller, new Error("other side closed"));
    broken.reply.stop(new Error("closed"));
    expect(held.bytes).toBe(0);
  });

  test("returns the bytes before an error first, and then rejects each read with the error", async () => {
    const { reply, controller, send } = started();
    const error = new Error("other side closed");
    send(500);
    reply.onResponseError(controller, error);
    expect(await reply.read()).toHaveLength(500);
    await expect(reply.read()).rejects.toBe(error);
    await expect(reply.read()).rejects.toBe(error);
  });

  test("closes the connection when it is stopped, and rejects the waiting reader", async () => {
    const { reply, calls, send } = started();
    send(500);
    const error = new Error("too slow");
    expect(await reply.read()).toHaveLength(500);
    const waiting = reply.read();
    reply.stop(error);
    await expect(waiting).rejects.toBe(error);
    reply.stop(new Error("again"));
    expect(calls.filter((one) => one === "abort")).toHaveLength(1);
  });

  test("rejects immediately when it is stopped before its request begins, which is then aborted", async () => {
    const reply = new ReplyStream({ bytes: 0 });
    const aborts: unknown[] = [];
    const error = new Error("the caller left");
    reply.stop(error);
    await expect(reply.head).rejects.toBe(error);
    reply.onRequestStart({
      aborted: false,
      paused: false,
      reason: null,
      pause: () => {},
      resume: () => {},
      abort: (reason: Error) => void aborts.push(reason),
    });
    expect(aborts).toEqual([error]);
  });

  test("ignores early hints", async () => {
    const { controller } = started();
    const reply = new ReplyStream({ bytes: 0 });
    reply.onResponseStart(controller, 103, {});
    reply.onResponseStart(controller, 204, {});
    expect((await reply.head).status).toBe(204);
  });
});
