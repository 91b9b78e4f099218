import { wavHeader } from "../../../audio/pcm";
import type { SpeechCall } from "../../../gateway/speech/synthesize-speech";
import { SPEECH_SAMPLE_RATE } from "../../../ports/speech-model";
import { audioOf, type SpeechEnd } from "../speech-body";
import { type SpeechReplyFields, usageMetadata } from "./speech-reply";

/**
 * A WAV header contains the length. Where it is not known, up to this much audio (87 s) is buffered to learn it; the
 * header of a longer file says "unknown".
 */
const MAX_BUFFERED_WAV_BYTES = 4 * 1024 * 1024;

/**
 * The JSON of `:generateContent`, written while the audio is read; only the current chunk is in memory. The usage and
 * the closing braces are sent after the call is settled.
 */
export async function* wholeSpeech(call: SpeechCall, fields: SpeechReplyFields): AsyncGenerator<Uint8Array> {
  let end: SpeechEnd | undefined;
  const pcm = audioOf(call, (event) => {
    end = event;
  });
  const base64 = new Base64Encoder();
  const before = `{"candidates":[{"content":{"role":"model","parts":[{"inlineData":{"mimeType":${JSON.stringify(fields.mimeType)},"data":"`;
  let opening = before;
  if (fields.mimeType === "audio/wav") {
    for await (const bytes of asWav(pcm, call.totalBytes)) {
      yield base64.push(bytes, opening);
      opening = "";
    }
  } else {
    for (let event = await call.events.next(); !event.done; event = await call.events.next()) {
      if (event.value.type === "end") {
        end = event.value;
        break;
      }
      if (event.value.type === "audio") yield base64.push(event.value.pcm, opening);
      else if (opening === "") yield event.value.text;
      else yield Buffer.concat([Buffer.from(opening), event.value.text]);
      opening = "";
    }
  }
  if (!end) return;
  const rest = JSON.stringify({
    usageMetadata: usageMetadata(end),
    modelVersion: fields.modelVersion,
    responseId: fields.responseId,
  }).slice(1);
  const finish = JSON.stringify(end.finishReason);
  yield Buffer.from(
    `${opening}${base64.finish()}"}}]},"finishReason":${finish},"index":0,"safetyRatings":[]}],${rest}`,
  );
}

/** A WAV file; its header has the true sizes unless they are unknown and the file exceeds `MAX_BUFFERED_WAV_BYTES`. */
async function* asWav(pcm: AsyncIterable<Uint8Array>, totalBytes: number | null): AsyncGenerator<Uint8Array> {
  const buffered: Uint8Array[] = [];
  let bytes = 0;
  let hasHeader = totalBytes !== null;
  if (totalBytes !== null) yield wavHeader(SPEECH_SAMPLE_RATE, totalBytes);
  for await (const chunk of pcm) {
    if (hasHeader) {
      yield chunk;
      continue;
    }
    buffered.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MAX_BUFFERED_WAV_BYTES) {
      hasHeader = true;
      yield wavHeader(SPEECH_SAMPLE_RATE, null);
      yield* buffered.splice(0);
    }
  }
  if (hasHeader) return;
  yield wavHeader(SPEECH_SAMPLE_RATE, bytes);
  yield* buffered;
}

/** Base64 of a stream in pieces, each of a multiple of three bytes, so that only the last one has padding. */
class Base64Encoder {
  private rest: Uint8Array = new Uint8Array(0);

  /**
   * Returns `before` (ASCII) and the base64 of the bytes so far, as bytes: outside the encoder, no string of the base64
   * is made.
   */
  push(bytes: Uint8Array, before: string): Uint8Array {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const whole = all.length - (all.length % 3);
    this.rest = Uint8Array.prototype.slice.call(all, whole);
    const written = Buffer.allocUnsafeSlow(before.length + (whole / 3) * 4);
    written.write(before, "latin1");
    const view = Buffer.from(all.buffer, all.byteOffset, whole);
    written.write(view.toString("base64"), before.length, "latin1");
    return written;
  }

  /** The remaining bytes, padded. */
  finish(): string {
    return Buffer.from(this.rest).toString("base64");
  }
}
