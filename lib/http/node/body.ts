import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "../../errors";
import { BodyChunks } from "../core/body-chunks";
import type { BodyCount, Inbound } from "../core/exchange";

const EMPTY = new Uint8Array(0);

/** True while a declared request body has not fully arrived. */
export function hasUnreadBody(message: IncomingMessage): boolean {
  if (message.complete) return false;
  const length = message.headers["content-length"];
  return (length !== undefined && length !== "0") || message.headers["transfer-encoding"] !== undefined;
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The body is larger than ${maxBytes} bytes.`);
}

function collect(
  message: IncomingMessage,
  maxBytes: number,
  timeoutMs: number,
  memory: BodyCount | undefined,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks = new BodyChunks();
    const timer = setTimeout(
      () => fail(new AppError("request_timeout", `The body did not arrive within ${timeoutMs / 1_000} s.`)),
      timeoutMs,
    );
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
      fail(new AppError("caller_left", "The caller left before its body was whole."));
    // A message that was destroyed earlier emits no further event.
    if (message.destroyed && !message.complete) return onClose();
    message.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}

/**
 * The body reader of one request at the Node adapter. A body declared too large is rejected before it is requested
 * (`Expect: 100-continue`); one without a length is rejected as soon as it exceeds the limit.
 */
export function createBodyReader(
  message: IncomingMessage,
  response: ServerResponse,
  headers: ReadonlyMap<string, string>,
  timeoutMs: number,
): Inbound["readBody"] {
  return async (maxBytes, memory) => {
    const length = headers.get("content-length");
    if (length === undefined && !headers.has("transfer-encoding")) return EMPTY;
    if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes);
    if (length !== undefined) memory?.check(Number(length));
    if (headers.has("expect")) response.writeContinue();
    return collect(message, maxBytes, timeoutMs, memory);
  };
}
