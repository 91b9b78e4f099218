import { AppError, isAppError } from "../../errors";

/** Bytes of a streamed body that must arrive within the upload timeout: a large body may take several of them. */
const STREAMED_WINDOW_BYTES = 8 * 1024 * 1024;

export function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The body is larger than ${maxBytes} bytes.`);
}

export function tooSlow(timeoutMs: number): AppError {
  return new AppError("request_timeout", `The body did not arrive within ${timeoutMs / 1_000} s.`);
}

/** The next chunk of `source`; rejects after `timeoutMs`. */
async function nextWithin(source: AsyncIterator<Uint8Array>, timeoutMs: number, limitMs: number) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow(limitMs)), Math.max(0, timeoutMs));
  });
  try {
    return await Promise.race([source.next(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The chunks of a body as they arrive from an adapter's `source`, counted and timed. Throws `too_large`,
 * `request_timeout`, and `caller_left` for any failure of the source.
 */
export async function* streamBody(
  source: AsyncIterator<Uint8Array>,
  maxBytes: number,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  let windowBytes = 0;
  // Only waiting for the caller counts, not the time the reader needs for a chunk.
  let leftMs = timeoutMs;
  try {
    for (;;) {
      const asked = performance.now();
      const { done, value } = await nextWithin(source, leftMs, timeoutMs);
      if (done) return;
      leftMs -= performance.now() - asked;
      total += value.byteLength;
      windowBytes += value.byteLength;
      if (total > maxBytes) throw tooLarge(maxBytes);
      if (windowBytes >= STREAMED_WINDOW_BYTES) {
        windowBytes = 0;
        leftMs = timeoutMs;
      }
      yield value;
    }
  } catch (error) {
    if (isAppError(error)) throw error;
    throw new AppError(
      "caller_left",
      "The client disconnected before the request body was complete.",
      {},
      error,
    );
  } finally {
    // Not awaited: a source that waits for the caller would never answer.
    source.return?.()?.catch(() => undefined);
  }
}
