import type { SpeechEvent } from "../../ports/speech-model";
import { isSpeakable } from "../../text/clean-text";
import { invalidAnswer } from "../outbound/failure";

/**
 * Less audio is not speech. It is held back until more arrives, so that a reply with only a click can still fail over.
 */
const MIN_BYTES = 40 * 48;
/** Largest audio event in bytes: over one second of speech. */
const PIECE_BYTES = 64 * 1024;

/**
 * Turns PCM into audio events as it arrives, each with whole samples and none empty. Throws `upstream_invalid` if the
 * stream ends with less than 40 ms of audio, unless `text` is given and has nothing to speak: a line of a script ("Bob:
 * ...") may be silent.
 */
export async function* audioEvents(
  pcm: AsyncIterable<Uint8Array>,
  text?: string,
): AsyncGenerator<SpeechEvent> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let hasBegun = false;
  for await (const piece of pcm) {
    if (piece.length === 0) continue;
    if (hasBegun) {
      yield* pieces(piece);
      continue;
    }
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes < MIN_BYTES) continue;
    hasBegun = true;
    yield* pieces(held.length === 1 ? piece : Buffer.concat(held));
    held = [];
  }
  if (!hasBegun && (text === undefined || isSpeakable(text)))
    throw invalidAnswer(heldBytes === 0 ? "without audio" : "with less than 40 ms of audio");
}

function* pieces(bytes: Uint8Array): Generator<SpeechEvent> {
  // Readers use the bytes as 16-bit numbers, which needs even offsets.
  const pcm = bytes.byteOffset % 2 === 0 ? bytes : Uint8Array.prototype.slice.call(bytes);
  for (let at = 0; at < pcm.length; at += PIECE_BYTES) {
    yield { type: "audio", pcm: pcm.subarray(at, Math.min(pcm.length, at + PIECE_BYTES)) };
  }
}
