import { expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import type { GatewayContext } from "@/lib/gateway/context";
import { BufferedReplies } from "@/lib/gateway/speech/buffered-replies";
import type { Outbound } from "@/lib/http/core/exchange";
import { answerOnce, type IdempotentCall } from "@/lib/http/gateway/idempotent-reply";
import { keyRecord, usageRecord } from "../../support/factories";
import { openGatewayHarness } from "../../support/gateway-harness";

const CHUNK = new Uint8Array(48_000);
const SENT = { key: "order-17", digest: "digest" };

/**
 * Calls that stream two chunks under one Idempotency-Key. `isCharged`: the ledger entry of a call is written before the
 * first chunk.
 */
function streaming(memory: BufferedReplies, isCharged = false) {
  const { services } = openGatewayHarness();
  services.state.bufferedReplies = memory;
  let calls = 0;
  async function* twoChunks({ onRecorded }: GatewayContext) {
    if (isCharged) onRecorded?.(usageRecord("key_1", "usr_1"));
    yield CHUNK;
    yield CHUNK;
  }
  const call: IdempotentCall = {
    slot: { enterCaller: async () => true, waitAsRepeat: () => undefined },
    execute: async (given) => {
      calls += 1;
      return { status: 200, headers: {}, body: twoChunks(given) };
    },
    authorizeReplay: async (ctx) => ctx,
  };
  // Only these fields are read.
  const ctx = {
    services,
    caller: { key: keyRecord("usr_1"), owner: { id: "usr_1" } },
    signal: new AbortController().signal,
    receivedAt: services.clock.monotonic(),
  } as unknown as GatewayContext;
  /** The reply that a repeat would get; null where the call would run again. */
  const stored = async () => {
    const start = await services.state.idempotency.begin(ctx.caller, SENT.key, SENT.digest);
    return start.kind === "repeat" ? start.reply : null;
  };
  return { calls: () => calls, send: () => answerOnce(ctx, SENT, call), stored };
}

function chunksOf({ body }: Outbound): AsyncIterator<Uint8Array> {
  if (body === null || body instanceof Uint8Array) throw new Error("the reply is not streamed");
  return body[Symbol.asyncIterator]();
}

async function lengthOf(reply: Outbound): Promise<number> {
  if (reply.body instanceof Uint8Array) return reply.body.length;
  const chunks = chunksOf(reply);
  let length = 0;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) length += next.value.length;
  return length;
}

test("counts the copy of a streamed reply until it is stored, and sends it to a repeat", async () => {
  const memory = new BufferedReplies();
  const { send, calls } = streaming(memory);
  const first = chunksOf(await send());
  await first.next();
  await first.next();
  expect(memory.bytes).toBeGreaterThan(CHUNK.length);
  await first.next();
  expect(memory.bytes).toBe(0);
  expect(await lengthOf(await send())).toBe(2 * CHUNK.length);
  expect(calls()).toBe(1);
});

test("counts no copy of a reply whose caller left", async () => {
  const memory = new BufferedReplies();
  const first = chunksOf(await streaming(memory).send());
  await first.next();
  await first.next();
  await first.return?.();
  expect(memory.bytes).toBe(0);
});

test("keeps the rest of a reply that was charged while it was read, although its caller left", async () => {
  const memory = new BufferedReplies();
  const { send, stored } = streaming(memory, true);
  const first = chunksOf(await send());
  await first.next();
  await first.return?.();
  expect(memory.bytes).toBe(0);
  expect((await stored())?.body).toHaveLength(2 * CHUNK.length);
});

test("sends the whole reply when no memory is left for its copy, and runs a repeat as a new call", async () => {
  const memory = new BufferedReplies(CHUNK.length);
  memory.enter("usr_2", 1);
  const { send, calls } = streaming(memory);
  expect(await lengthOf(await send())).toBe(2 * CHUNK.length);
  expect(await lengthOf(await send())).toBe(2 * CHUNK.length);
  expect(calls()).toBe(2);
});

/**
 * Two calls under one Idempotency-Key, of which the first fails when `fail` is called. `inside`: what `enterCaller`
 * returns, call by call.
 */
function failingFirst(inside: boolean[]) {
  const { services, clock } = openGatewayHarness();
  const receivedAt: number[] = [];
  /** What happened, in order. */
  const steps: string[] = [];
  let fail: () => void = () => undefined;
  const call: IdempotentCall = {
    slot: {
      async enterCaller() {
        const isInside = inside.shift() ?? true;
        steps.push(isInside ? "took the slots" : "has no slots");
        return isInside;
      },
      waitAsRepeat: () => undefined,
    },
    execute: async (ctx) => {
      steps.push("runs");
      receivedAt.push(ctx.receivedAt);
      if (receivedAt.length === 1)
        await new Promise((_resolve, reject) => {
          fail = () => reject(new AppError("upstream_error", "The upstream failed."));
        });
      return { status: 200, headers: {}, body: new Uint8Array(3) };
    },
    authorizeReplay: async (ctx) => ctx,
  };
  // Only these fields are read.
  const ctx = {
    services,
    caller: { key: keyRecord("usr_1"), owner: { id: "usr_1" } },
    signal: new AbortController().signal,
    receivedAt: clock.monotonic(),
  } as unknown as GatewayContext;
  return { clock, receivedAt, steps, fail: () => fail(), send: () => answerOnce(ctx, SENT, call) };
}

test("runs a repeat when the original request has failed, with the whole time of a call", async () => {
  const { clock, receivedAt, fail, send } = failingFirst([]);
  const first = send();
  const repeat = send();
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(20_000);
  fail();
  await expect(first).rejects.toThrow("The upstream failed.");
  expect((await repeat).status).toBe(200);
  expect(receivedAt[1]).toBe((receivedAt[0] ?? 0) + 20_000);
});

test("takes the slots of a call before it runs a request that entered as a repeat of a failed one", async () => {
  const { steps, fail, send } = failingFirst([false, false, true]);
  const reply = send();
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps).toEqual(["has no slots", "has no slots", "took the slots", "runs"]);
  fail();
  await expect(reply).rejects.toThrow("The upstream failed.");
});
