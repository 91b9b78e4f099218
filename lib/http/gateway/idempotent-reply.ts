import { createHash } from "node:crypto";
import { AppError } from "../../errors";
import type { Slot } from "../../gateway/admission/enter-gateway";
import type { GatewayContext } from "../../gateway/context";
import { type IdempotentStart, MAX_STORED_REPLY_BYTES, type StoredReply } from "../../gateway/idempotency";
import { recordRepeat } from "../../gateway/metering/record-repeat";
import type { ReplyCopy } from "../../gateway/speech/buffered-replies";
import { stopReason } from "../../ports/stop-signal";
import type { UsageRecord } from "../../ports/store";
import type { Inbound, Outbound } from "../core/exchange";

const MAX_KEY_LENGTH = 255;
/** `Retry-After` of a repeat while its original request is running. */
const RETRY_MS = 1_000;

/** The request's Idempotency-Key; null without one. Throws `invalid` for one that is empty or too long. */
export function readIdempotencyKey(request: Inbound): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === undefined) return null;
  if (key === "" || key.length > MAX_KEY_LENGTH)
    throw new AppError("invalid", `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`);
  return key;
}

/** Digest that a repeat must share with the original request. */
export function digestRequest(request: Inbound, body: Uint8Array): string {
  const query = new URLSearchParams(request.query);
  // A key in the query identifies the caller, not the request.
  query.delete("key");
  return createHash("sha256")
    .update(`${request.method} ${request.path}?${query}\n`)
    .update(body)
    .digest("base64url");
}

/** What happens to the copy of a streamed body. */
interface CopyUse {
  /** Called with a body that was read completely and copied. */
  store(body: Uint8Array): void;
  /** Called for any other body. */
  discard(): void;
  /**
   * True once the call is charged: from then on a repeat gets the reply, even if this caller leaves in the middle of
   * it.
   */
  isSettled(): boolean;
}

/** Forwards a streamed body and copies it. */
async function* teeChunks(
  body: AsyncIterable<Uint8Array>,
  copy: ReplyCopy,
  { store, discard }: CopyUse,
): AsyncGenerator<Uint8Array> {
  let isWhole = false;
  try {
    for await (const chunk of body) {
      copy.add(chunk);
      yield chunk;
    }
    isWhole = true;
  } finally {
    const chunks = copy.take();
    if (isWhole && chunks !== null) store(Buffer.concat(chunks));
    else discard();
  }
}

/**
 * Like `teeChunks`, but also calls `discard` for a body that is closed before its first read. The rest of a settled
 * body is read into the copy when it is closed, unless the copy is given up.
 */
function teeBody(
  body: AsyncIterable<Uint8Array>,
  replyCopy: ReplyCopy,
  use: CopyUse,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = body[Symbol.asyncIterator]();
      const copy = teeChunks({ [Symbol.asyncIterator]: () => source }, replyCopy, use);
      let hasBegun = false;
      return {
        next() {
          hasBegun = true;
          return copy.next();
        },
        async return() {
          for (let isOver = !use.isSettled(); !isOver && replyCopy.isKept; ) {
            hasBegun = true;
            isOver = (await copy.next()).done === true;
          }
          if (hasBegun) return copy.return(undefined);
          use.discard();
          await source.return?.();
          return { done: true as const, value: undefined };
        },
      };
    },
  };
}

/** Callbacks of a request with an Idempotency-Key. */
export interface IdempotentCall {
  /** Runs the request. */
  execute(ctx: GatewayContext): Promise<Outbound>;
  /** The call's slot; a repeat releases the slots of its key and owner while it waits. */
  slot: Pick<Slot, "enterCaller" | "waitAsRepeat">;
  /** Checks the API key's permissions for the request as they are now and returns the context with the current key. */
  authorizeReplay(ctx: GatewayContext): Promise<GatewayContext>;
}

/**
 * The reply of the original request. Throws the signal's reason when it is aborted first, so that a caller who left
 * keeps no slot, and `upstream_timeout` at `deadline` (monotonic milliseconds).
 */
function replyOf<T>(
  original: Promise<T>,
  { signal, services }: GatewayContext,
  deadline: number,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(stopReason(signal));
    if (signal.aborted) return onAbort();
    const timeout = (): void => {
      const message =
        "The first request with this Idempotency-Key is still running. Send it again to wait for its reply.";
      reject(new AppError("upstream_timeout", message, { retryAfterMs: RETRY_MS }));
    };
    const timer = setTimeout(timeout, Math.max(0, deadline - services.clock.monotonic()));
    signal.addEventListener("abort", onAbort, { once: true });
    original.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    });
  });
}

/** Headers that describe one call only: the state of its limits, and how it was answered. */
const OF_ONE_CALL = /^(?:(?:x-)?ratelimit-|x-patchbay-(?:attempts|cache|channel|overhead-ms)$)/;

/** The headers of a stored reply and, where it is of a call with a ledger entry, those of its repeat. */
function headersOfRepeat({ headers, row }: StoredReply, overheadMs: number): Outbound["headers"] {
  const repeated = Object.entries(headers).filter(([name]) => !OF_ONE_CALL.test(name));
  const own = { "x-patchbay-attempts": "0", "x-patchbay-overhead-ms": Math.max(0, overheadMs).toFixed(1) };
  return { ...Object.fromEntries(repeated), ...(row === null ? {} : own) };
}

/** Runs the request of the first caller, and stores or discards its reply. */
async function runFirst(
  ctx: GatewayContext,
  start: Extract<IdempotentStart, { kind: "first" }>,
  call: IdempotentCall,
): Promise<Outbound> {
  let row: UsageRecord | null = null;
  const recordingContext: GatewayContext = {
    ...ctx,
    onRecorded(recorded) {
      row = recorded;
    },
  };
  try {
    const reply = await call.execute(recordingContext);
    if (reply.status !== 200) {
      start.discard();
      return reply;
    }
    const { status, headers } = reply;
    const store = (body: Uint8Array): void => {
      start.store({ status, headers, body, row });
    };
    if (reply.body === null || reply.body instanceof Uint8Array) {
      const body = reply.body ?? new Uint8Array(0);
      if (body.byteLength <= MAX_STORED_REPLY_BYTES) store(body);
      else start.discard();
      return reply;
    }
    const copy = ctx.services.state.bufferedReplies.copy(ctx.caller.owner.id, MAX_STORED_REPLY_BYTES);
    const use: CopyUse = { store, discard: start.discard, isSettled: () => row !== null };
    return { ...reply, body: teeBody(reply.body, copy, use) };
  } catch (error) {
    start.discard();
    throw error;
  }
}

/**
 * Runs `execute` once for all requests of one key with the same Idempotency-Key and body. Only status 200 is stored:
 * after a failure the official SDKs retry with the same Idempotency-Key, and that retry must run. Before a stored reply
 * is sent, `authorizeReplay` runs, since the key may have lost a permission meanwhile. A repeat that waits holds no
 * slots of its key and owner; it takes them when it has to run the request. It waits at most for the time of one call,
 * and then throws `upstream_timeout`.
 */
export async function answerOnce(
  ctx: GatewayContext,
  sent: { key: string; digest: string },
  call: IdempotentCall,
): Promise<Outbound> {
  const { services } = ctx;
  const deadline = ctx.receivedAt + services.instance.limits.callMs;
  let current = ctx;
  for (;;) {
    const isInside = await call.slot.enterCaller();
    const start = await services.state.idempotency.begin(current.caller, sent.key, sent.digest);
    if (start.kind === "repeat") {
      call.slot.waitAsRepeat();
      const waitsFrom = services.clock.monotonic();
      const stored = await replyOf(start.reply, current, deadline);
      const waitedMs = services.clock.monotonic() - waitsFrom;
      current = await call.authorizeReplay(current);
      if (stored !== null) {
        if (stored.row !== null) await recordRepeat(current, stored.row);
        const overheadMs = services.clock.monotonic() - current.receivedAt - waitedMs;
        return { status: stored.status, headers: headersOfRepeat(stored, overheadMs), body: stored.body };
      }
      // The original request failed. The wait does not count towards the time limit of the call that may run now.
      current = { ...current, receivedAt: services.clock.monotonic() };
    } else if (isInside) return runFirst(current, start, call);
    // The original request failed after this one had entered as its repeat, without slots: enter again.
    else start.discard();
  }
}
