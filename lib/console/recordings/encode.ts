import type { EncodeRecordingQuery } from "../../contracts/console/recordings";
import { AppError } from "../../errors";
import { requireSession } from "../access/guards";
import type { ConsoleContext } from "../context";

/** Most recordings encoded at once. Each user may also have only one file at a time, until it is downloaded. */
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

/** Takes one of `limit` slots. Throws `overloaded` with this message when all are taken. */
function enter(ctx: ConsoleContext, bucket: string, limit: number, message: string): () => void {
  const leave = ctx.limiter.enter(bucket, limit);
  if (leave === null) throw new AppError("overloaded", message, { retryAfterMs: 1_000 });
  return leave;
}

/**
 * Converts a playground recording (24 kHz mono s16le) of the caller to another format without a new call. `read` is
 * called once a slot is taken. Memory is bounded for recordings of any length: the audio is encoded into a file as it
 * arrives. The reply begins when the whole recording has arrived, because browsers read no reply while they send.
 * Throws `unauthenticated`, `forbidden`, `overloaded` (no slot, or no space on the disk), `invalid` (empty, or half a
 * sample).
 */
export async function* encodeRecording(
  ctx: ConsoleContext,
  format: EncodeRecordingQuery["format"],
  read: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { user } = requireSession(ctx);
  const leaveOwn = enter(
    ctx,
    `recordings:${user.id}`,
    1,
    "Another of your recordings is being encoded or downloaded. Try again in a moment.",
  );
  try {
    const busy = "Other recordings are being encoded. Try again in a moment.";
    const leave = enter(ctx, "recordings", MAX_ENCODINGS, busy);
    const file = await ctx.spool(ctx.encoder.encode(format, completeSamples(read()))).finally(leave);
    yield* file;
  } finally {
    leaveOwn();
  }
}
