import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "../../errors";
import type { BodyCount, Inbound } from "../core/exchange";
import { BodyChunks, streamBody, tooLarge, tooSlow } from "../core/request-body";

const EMPTY = new Uint8Array(0);

/** True while a declared request body has not fully arrived. */
export function hasUnreadBody(message: IncomingMessage): boolean {
  if (message.complete) return false;
  const length = message.headers["content-length"];
  return (length !== undefined && length !== "0") || message.headers["transfer-encoding"] !== undefined;
}

function collect(
  message: IncomingMessage,
  maxBytes: number,
  timeoutMs: number,
  memory: BodyCount | undefined,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks = new BodyChunks();
    const timer = setTimeout(() => fail(tooSlow(timeoutMs)), timeoutMs);
    timer.unref();
    const done = (): void => {
      clearTimeout(timer);
      message.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
    };
    const fail = (error: unknown): void => {
      done();
      // The adapter discards the rest of the body.
      message.pause();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        if (chunks.length + chunk.length > maxBytes) throw tooLarge(maxBytes);
        memory?.take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = (): void => {
      done();
      resolve(chunks.concat());
    };
    const onClose = (): void =>
      fail(new AppError("caller_left", "The client disconnected before the request body was complete."));
    // A message that was destroyed earlier emits no further event.
    if (message.destroyed && !message.complete) return onClose();
    message.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}

/**
 * The body readers of one request at the Node adapter. A body declared too large is rejected before it is requested
 * (`Expect: 100-continue`); one without a length is rejected as soon as it exceeds the limit.
 */
export function createBodyReaders(
  message: IncomingMessage,
  response: ServerResponse,
  headers: ReadonlyMap<string, string>,
  timeoutMs: number,
): Pick<Inbound, "readBody" | "streamBody"> {
  /** Requests the body; false when there is none. */
  const begin = (maxBytes: number, memory?: BodyCount): boolean => {
    const length = headers.get("content-length");
    if (length === undefined && !headers.has("transfer-encoding")) return false;
    if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes);
    if (length !== undefined) memory?.check(Number(length));
    if (headers.has("expect")) response.writeContinue();
    return true;
  };
  return {
    async readBody(maxBytes, memory) {
      return begin(maxBytes, memory) ? collect(message, maxBytes, timeoutMs, memory) : EMPTY;
    },
    async *streamBody(maxBytes) {
      // The adapter discards the rest of a body that is left early.
      const chunks = message.iterator({ destroyOnReturn: false });
      if (begin(maxBytes)) yield* streamBody(chunks, maxBytes, timeoutMs);
    },
  };
}
