import { AppError } from "../../errors";
import type { SpeechEvent } from "../../ports/speech-model";
import type { GatewayContext, Services } from "../context";
import { HeldMemory, ownerShareBytes } from "./held-memory";
import { cut, type OpenedSpeech, timedEvents } from "./speech-stream";
import { stopReason } from "./stop-reason";

/** Audio of one reply (RELIABILITY RB-6): 23 minutes. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Audio of all replies that one process holds. */
const MOST_HELD_BYTES = 512 * 1024 * 1024;
/** A second of audio at 24 kHz s16le. */
const BLOCK_BYTES = 48_000;
const RETRY_MS = 1_000;

/** The memory of one process for replies that are held until they are whole. */
export class HoldingSpace {
  readonly #memory = new HeldMemory();

  /**
   * Room for one reply of this owner that lasts at most so many seconds. Throws `rate_limited` above the owner's share,
   * `overloaded` above that of all.
   */
  enter({ metrics }: Pick<Services, "metrics">, ownerId: string, seconds: number): HeldSpeech {
    const expected = Math.min(MOST_BYTES, Math.ceil(seconds) * BLOCK_BYTES);
    const ofOwner = `owner:${ownerId}`;
    const ofAll = "all";
    const shares = [
      {
        name: ofOwner,
        mostBytes: ownerShareBytes(MOST_HELD_BYTES),
        refusal: () => {
          metrics.count("rate_limited");
          return new AppError(
            "rate_limited",
            `All keys of this key's owner together may have ${ownerShareBytes(MOST_HELD_BYTES)} bytes of whole replies in progress at once. Wait for one to end, or stream.`,
            { retryAfterMs: RETRY_MS },
          );
        },
      },
      {
        name: ofAll,
        mostBytes: MOST_HELD_BYTES,
        refusal: () =>
          new AppError("overloaded", "The server holds as many replies as it may. Try again in a moment.", {
            retryAfterMs: RETRY_MS,
          }),
      },
    ];
    this.#memory.check(shares, expected, 0);
    return new HeldSpeech(expected, (change) => this.#memory.add([ofOwner, ofAll], change));
  }
}

/** One reply's audio, in blocks that are given back as they are read. */
export class HeldSpeech {
  #blocks: Uint8Array[] = [];
  /** Bytes used of the last block. */
  #used = 0;
  #counted = 0;
  readonly #count: (change: number) => void;
  /** Bytes appended since `clear`. */
  bytes = 0;

  constructor(expected: number, count: (change: number) => void) {
    this.#count = count;
    this.#setCounted(expected);
  }

  append(pcm: Uint8Array): void {
    this.bytes += pcm.length;
    for (let at = 0; at < pcm.length; ) {
      const last = this.#blocks.at(-1);
      const isFull = last === undefined || this.#used === BLOCK_BYTES;
      const block = isFull ? new Uint8Array(BLOCK_BYTES) : last;
      if (isFull) {
        this.#blocks.push(block);
        this.#used = 0;
      }
      const piece = pcm.subarray(at, at + BLOCK_BYTES - this.#used);
      block.set(piece, this.#used);
      this.#used += piece.length;
      at += piece.length;
    }
    this.#setCounted(Math.max(this.#counted, this.#blocks.length * BLOCK_BYTES));
  }

  /** The next block, which is held no longer; null at the end. */
  take(): Uint8Array | null {
    const isLast = this.#blocks.length === 1;
    const block = this.#blocks.shift();
    this.#setCounted(this.#blocks.length * BLOCK_BYTES);
    if (block === undefined) return null;
    return isLast ? block.subarray(0, this.#used) : block;
  }

  /** Forgets what an attempt left; the room is kept for the next. */
  clear(): void {
    this.#blocks = [];
    this.#used = 0;
    this.bytes = 0;
  }

  /** Gives the room back. */
  release(): void {
    this.#blocks = [];
    this.#setCounted(0);
  }

  #setCounted(bytes: number): void {
    this.#count(bytes - this.#counted);
    this.#counted = bytes;
  }
}

/**
 * The same speech once all of its audio is in `held` and it has ended well. Throws what its channel throws,
 * `upstream_truncated` for one that stops, `upstream_timeout` by the call's limits, and `upstream_invalid` above 64 MiB;
 * the channel's work is stopped then, and `held` keeps its room for the next attempt.
 */
export async function holdSpeech(
  ctx: GatewayContext,
  opened: OpenedSpeech,
  held: HeldSpeech,
): Promise<OpenedSpeech> {
  const { source } = opened;
  const next = timedEvents(ctx, source);
  held.clear();
  try {
    held.append(opened.first);
    for (;;) {
      const event = await next();
      if (ctx.signal.aborted) throw stopReason(ctx.signal);
      if (event.done) throw cut();
      if (event.value.type === "end") {
        source.return?.().catch(() => {});
        return played(held, event.value, opened.isEmbedded);
      }
      held.append(event.value.pcm);
      if (held.bytes > MOST_BYTES) throw tooLong();
    }
  } catch (error) {
    opened.halt();
    source.return?.().catch(() => {});
    // The next attempt begins anew; a caller who left is charged for what was made.
    if (!ctx.signal.aborted) held.clear();
    throw error;
  }
}

function tooLong(): AppError {
  const megabytes = MOST_BYTES / 1024 ** 2;
  return new AppError("upstream_invalid", `The channel sent more than ${megabytes} MiB of audio.`);
}

/** Held speech as a channel's stream; its room is given back as it is read, and when it is given up. */
function played(
  held: HeldSpeech,
  end: Extract<SpeechEvent, { type: "end" }>,
  isEmbedded: boolean,
): OpenedSpeech {
  const totalBytes = held.bytes;
  let isOver = false;
  const release = (): void => {
    isOver = true;
    held.release();
  };
  return {
    first: held.take() ?? new Uint8Array(0),
    isEmbedded,
    totalBytes,
    halt: release,
    source: {
      async next() {
        if (isOver) return { done: true, value: undefined };
        const pcm = held.take();
        isOver = pcm === null;
        return { done: false, value: pcm === null ? end : { type: "audio", pcm } };
      },
      async return() {
        release();
        return { done: true, value: undefined };
      },
    },
  };
}
