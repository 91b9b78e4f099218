import { AppError } from "../../errors";
import type { SpeechEvent } from "../../ports/speech-model";
import type { GatewayContext } from "../context";
import { stopReason } from "../stop-reason";
import { type HeldSpeech, MAX_REPLY_BYTES } from "./held-replies";
import type { OpenedSpeech } from "./opened-speech";
import { cut, timedEvents } from "./speech-stream";

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
      if (held.bytes > MAX_REPLY_BYTES) throw tooLong();
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
  const megabytes = MAX_REPLY_BYTES / 1024 ** 2;
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
