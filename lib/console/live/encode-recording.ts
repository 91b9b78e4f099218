import type { EncodeRecordingQuery } from "../../contracts/console/recordings";
import { AppError } from "../../errors";
import { requireSession } from "../access/guards";
import type { ConsoleContext } from "../context";

/** A recording is held whole while it is encoded, so few are at a time. */
const MOST_AT_ONCE = 2;
/** What the encoder is handed at a time: a second of sound. */
const PIECE_BYTES = 48_000;

async function* inPieces(pcm: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < pcm.byteLength; at += PIECE_BYTES) yield pcm.subarray(at, at + PIECE_BYTES);
}

/** A place for one recording of this user; throws `overloaded` when theirs or all are taken. */
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
 * A recording (24 kHz mono s16le) in another format, for whoever made it in the playground: the very sound that was
 * heard, at no cost. `read` is called once there is room for it. Throws
 * `unauthenticated`, `forbidden`, `overloaded`, `invalid` (no sound, half a sample).
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
      throw new AppError("invalid", "The body must be 24 kHz mono sound of 16-bit samples.");
    yield* ctx.encoder.encode(format, inPieces(pcm));
  } finally {
    leave();
  }
}
