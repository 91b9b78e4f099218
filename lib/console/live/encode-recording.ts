import type { EncodeRecordingQuery } from "../../contracts/console/recordings";
import { AppError } from "../../errors";
import { requireSession } from "../access/guards";
import type { ConsoleContext } from "../context";

/** A recording is in memory while it is encoded, so only few are encoded at the same time. */
const MOST_AT_ONCE = 2;
/** Bytes handed to the encoder at a time: one second. */
const PIECE_BYTES = 48_000;

async function* inChunks(pcm: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < pcm.byteLength; at += PIECE_BYTES) yield pcm.subarray(at, at + PIECE_BYTES);
}

/** Takes a slot for one recording of this user; throws `overloaded` when the user's or all slots are taken. */
function enter(ctx: ConsoleContext, userId: string): () => void {
  const own = ctx.limiter.enter(`recordings:${userId}`, 1);
  const all = own === null ? null : ctx.limiter.enter("recordings", MOST_AT_ONCE);
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
 * called once a slot is free. Throws `unauthenticated`, `forbidden`, `overloaded`, `invalid` (empty, or half a sample).
 */
export async function* encodeRecording(
  ctx: ConsoleContext,
  format: EncodeRecordingQuery["format"],
  read: () => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { user } = requireSession(ctx);
  const leave = enter(ctx, user.id);
  try {
    const pcm = await read();
    if (pcm.byteLength === 0 || pcm.byteLength % 2 !== 0)
      throw new AppError("invalid", "The body must be 24 kHz mono PCM with 16-bit samples.");
    yield* ctx.encoder.encode(format, inChunks(pcm));
  } finally {
    leave();
  }
}
