import { createHash } from "node:crypto";
import { AppError } from "../../errors";
import type { Slot } from "../../gateway/admission/enter-gateway";
import type { GatewayContext } from "../../gateway/context";
import { type KeptReply, MAX_REPLY_BYTES } from "../../gateway/idempotency";
import { recordRepeat } from "../../gateway/metering/record-repeat";
import { stopReason } from "../../gateway/stop-reason";
import type { UsageRecord } from "../../ports/store";
import type { Inbound, Outbound } from "../core/exchange";

const MAX_KEY_LENGTH = 255;

/** The request's Idempotency-Key; null without one. Throws `invalid` for one that is empty or too long. */
export function readIdempotencyKey(request: Inbound): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === undefined || request.method === "GET") return null;
  if (key === "" || key.length > MAX_KEY_LENGTH)
    throw new AppError("invalid", `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`);
  return key;
}

/** What a repeat must have in common with the request it repeats. */
export function digestRequest(request: Inbound, body: Uint8Array): string {
  const query = new URLSearchParams(request.query);
  // A key in the query is who asks, not what is asked.
  query.delete("key");
  return createHash("sha256")
    .update(`${request.method} ${request.path}?${query}\n`)
    .update(body)
    .digest("base64url");
}

/** Passes a streamed body on and hands it to `keep` when it was read whole and is not too long. */
async function* copied(
  body: AsyncIterable<Uint8Array>,
  keep: (body: Uint8Array) => void,
  forget: () => void,
): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] | null = [];
  let bytes = 0;
  let isWhole = false;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > MAX_REPLY_BYTES) chunks = null;
      else chunks?.push(chunk);
      yield chunk;
    }
    isWhole = true;
  } finally {
    if (isWhole && chunks !== null) keep(Buffer.concat(chunks));
    else forget();
  }
}

/** A body nobody has asked for yet must still let go of the key when it is given up unread. */
function copiedBody(
  body: AsyncIterable<Uint8Array>,
  keep: (body: Uint8Array) => void,
  forget: () => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = body[Symbol.asyncIterator]();
      const copy = copied({ [Symbol.asyncIterator]: () => source }, keep, forget);
      let hasBegun = false;
      return {
        next() {
          hasBegun = true;
          return copy.next();
        },
        async return() {
          if (hasBegun) return copy.return(undefined);
          forget();
          await source.return?.();
          return { done: true as const, value: undefined };
        },
      };
    },
  };
}

/** How a request with an Idempotency-Key is answered. */
export interface IdempotentCall {
  /** Runs the request. */
  execute(ctx: GatewayContext): Promise<Outbound>;
  /** The call's slot, of which a repeat holds none of the key's. */
  slot: Pick<Slot, "enterCaller" | "waitAsRepeat">;
  /** Checks the API key's permissions for the request as they are now and returns the context with the current key. */
  authorizeReplay(ctx: GatewayContext): Promise<GatewayContext>;
}

/** The value, or the reason why the caller no longer waits for it: a caller who left must not keep a slot. */
function untilAborted<T>(value: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(stopReason(signal));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/**
 * Runs `execute` once for all requests of one key with the same Idempotency-Key and body (CONTRACT §8). Only status
 * 200 is stored: a failure asks for a retry, and the official SDKs retry under the same key. Before a stored reply is
 * sent, `authorizeReplay` runs: the key may have lost a permission since the first request, or while this one waited
 * for it. While it waits it holds none of its key's slots; it takes one when it has to run itself.
 */
export async function answerOnce(
  ctx: GatewayContext,
  sent: { key: string; digest: string },
  call: IdempotentCall,
): Promise<Outbound> {
  const { idempotency } = ctx.services.state;
  const isInside = await call.slot.enterCaller();
  const start = idempotency.begin(ctx.caller.key.id, sent.key, sent.digest);
  if (start.kind === "repeat") {
    call.slot.waitAsRepeat();
    const kept = await untilAborted(start.reply, ctx.signal);
    const current = await call.authorizeReplay(ctx);
    if (kept === null) return answerOnce(current, sent, call);
    if (kept.row !== null) await recordRepeat(current, kept.row);
    return { status: kept.status, headers: { ...kept.headers }, body: kept.body };
  }
  if (!isInside) {
    // The request that this one was to repeat failed at this moment.
    start.forget();
    return answerOnce(ctx, sent, call);
  }
  let row: UsageRecord | null = null;
  const watched: GatewayContext = {
    ...ctx,
    onRecorded(booked) {
      row = booked;
    },
  };
  try {
    const reply = await call.execute(watched);
    if (reply.status !== 200) {
      start.forget();
      return reply;
    }
    const keep = (body: Uint8Array): void => {
      const kept: KeptReply = { status: reply.status, headers: reply.headers, body, row };
      start.keep(kept);
    };
    if (reply.body === null || reply.body instanceof Uint8Array) {
      const body = reply.body ?? new Uint8Array(0);
      if (body.byteLength <= MAX_REPLY_BYTES) keep(body);
      else start.forget();
      return reply;
    }
    return { ...reply, body: copiedBody(reply.body, keep, start.forget) };
  } catch (error) {
    start.forget();
    throw error;
  }
}
