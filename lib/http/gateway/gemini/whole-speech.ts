import { wavHeader } from "../../../audio/wav";
import type { SpeechCall } from "../../../gateway/speech/synthesize-speech";
import { SPEECH_SAMPLE_RATE } from "../../../ports/speech-model";
import { audioOf, type SpeechEnd } from "../speech-body";
import { Base64Pieces } from "./base64-pieces";
import { type ReplyFacts, usageMetadata } from "./speech-reply";

/**
 * A WAV file's header tells its length. Where that is not known, this much of it (87 s) is awaited; a longer one says
 * "unknown" instead.
 */
const MOST_WAV_BYTES = 4 * 1024 * 1024;

/**
 * The JSON of `:generateContent`, written while the audio is read: nothing is held here but the piece at hand. The usage and
 * the closing braces come after the call is in the books.
 */
export async function* wholeSpeech(call: SpeechCall, facts: ReplyFacts): AsyncGenerator<Uint8Array> {
  let end: SpeechEnd | undefined;
  const pcm = audioOf(call, (event) => {
    end = event;
  });
  const audio = facts.mimeType === "audio/wav" ? asWav(pcm, call.totalBytes) : pcm;
  const base64 = new Base64Pieces();
  const before = `{"candidates":[{"content":{"role":"model","parts":[{"inlineData":{"mimeType":${JSON.stringify(facts.mimeType)},"data":"`;
  let opening = before;
  for await (const bytes of audio) {
    yield Buffer.from(opening + base64.push(bytes), "latin1");
    opening = "";
  }
  if (!end) return;
  const rest = JSON.stringify({
    usageMetadata: usageMetadata(end),
    modelVersion: facts.modelVersion,
    responseId: facts.responseId,
  }).slice(1);
  const finish = JSON.stringify(end.finishReason);
  yield Buffer.from(
    `${opening}${base64.finish()}"}}]},"finishReason":${finish},"index":0,"safetyRatings":[]}],${rest}`,
  );
}

/** A whole WAV file; its header has true sizes unless they are unknown and the file grows beyond what is worth holding. */
async function* asWav(pcm: AsyncIterable<Uint8Array>, totalBytes: number | null): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  let isOpen = totalBytes !== null;
  if (totalBytes !== null) yield wavHeader(SPEECH_SAMPLE_RATE, totalBytes);
  for await (const chunk of pcm) {
    if (isOpen) {
      yield chunk;
      continue;
    }
    held.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MOST_WAV_BYTES) {
      isOpen = true;
      yield wavHeader(SPEECH_SAMPLE_RATE, null);
      yield* held.splice(0);
    }
  }
  if (isOpen) return;
  yield wavHeader(SPEECH_SAMPLE_RATE, bytes);
  yield* held;
}
