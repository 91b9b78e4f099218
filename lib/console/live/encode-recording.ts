import type { EncodeRecordingQuery } from "../../contracts/console/recordings";
import { AppError } from "../../errors";
import { requireSession } from "../access/guards";
import type { ConsoleContext } from "../context";

/** Each recording occupies an encoder and a file, so only few are encoded at the same time. */
const MAX_ENCODINGS = 2;

/**
 * Splits chunks of any length into chunks of complete samples. Throws `invalid` without a sample, or with half of one.
 */
async function* completeSamples(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  let rest: Uint8Array = new Uint8Array(0);
  for await (const chunk of bytes) {
    const joined = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = joined.byteLength - (joined.byteLength % 2);
    rest = joined.subarray(end);
    if (end === 0) continue;
    isEmpty = false;
    yield joined.subarray(0, end);
  }
  if (isEmpty || rest.byteLength > 0)
    throw new AppError("invalid", "The body must be 24 kHz mono PCM with 16-bit samples.");
}

/** Takes a slot for one recording of this user; throws `overloaded` when the user's or all slots are taken. */
function enter(ctx: ConsoleContext, userId: string): () => void {
  const own = ctx.limiter.enter(`recordings:${userId}`, 1);
  const all = own === null ? null : ctx.limiter.enter("recordings", MAX_ENCODINGS);
  if (own !== null && all !== null)
    return () => {
      all();
      own();
    };
  own?.();
  throw new AppError("overloaded", "Another recording is being encoded. Try again in a moment.", {
    retryAfterMs: 1_000,
  });
}

/**
 * Converts a playground recording (24 kHz mono s16le) of the caller to another format without a new call. `read` is
 * called once a slot is free. Memory is bounded however long the recording is: it is encoded as it arrives, into a
 * file. The reply begins when the whole recording has arrived, because browsers read no reply while they send. Throws
 * `unauthenticated`, `forbidden`, `overloaded` (no slot, or no space on the disk), `invalid` (empty, or half a sample).
 */
export async function* encodeRecording(
  ctx: ConsoleContext,
  format: EncodeRecordingQuery["format"],
  read: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { user } = requireSession(ctx);
  const leave = enter(ctx, user.id);
  try {
    yield* await ctx.spool(ctx.encoder.encode(format, completeSamples(read())));
  } finally {
    leave();
  }
}
