import { wavHeader } from "../../../audio/pcm";
import type { SpeechCall } from "../../../gateway/speech/synthesize-speech";
import { SPEECH_SAMPLE_RATE } from "../../../ports/speech-model";
import { audioOf, type SpeechEnd } from "../speech-body";
import { type SpeechReplyFields, usageMetadata } from "./speech-reply";

/** Half a second per frame: small enough to play at once, large enough for little JSON overhead. */
const FRAME_BYTES = 24_000;
/** Bytes of received audio that are held back (20 ms), so that the last frame, which has the usage, has audio too. */
const HELD_BACK_BYTES = 960;

/** Format of the frames: server-sent events (`alt=sse`) or a JSON array. */
export interface FrameFormat {
  contentType: string;
  frame(json: string, isFirst: boolean): string;
  /** Written after the last frame of a complete reply. */
  end: string;
}

/** Exactly `data: {json}` and a blank line, also after the last one: the official clients parse nothing else. */
export const SSE: FrameFormat = {
  contentType: "text/event-stream",
  frame: (json) => `data: ${json}\n\n`,
  end: "",
};

export const JSON_ARRAY: FrameFormat = {
  contentType: "application/json; charset=utf-8",
  frame: (json, isFirst) => `${isFirst ? "[" : ",\n"}${json}`,
  end: "]",
};

/**
 * The frames of `:streamGenerateContent`, each a response object with whole samples. Only the last one has finish reason
 * and usage; it is sent after the call is settled. An error is sent as the frame of `errorFrame` and rethrown.
 */
export async function* streamedSpeech(
  call: SpeechCall,
  fields: SpeechReplyFields,
  framing: FrameFormat,
  errorFrame: (error: unknown) => object,
): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  const write = (value: object) => {
    const text = framing.frame(JSON.stringify(value), isFirst);
    isFirst = false;
    return Buffer.from(text);
  };
  let end: SpeechEnd | undefined;
  try {
    let tail: Uint8Array =
      fields.mimeType === "audio/wav" ? wavHeader(SPEECH_SAMPLE_RATE, null) : Buffer.alloc(0);
    const pcm = audioOf(call, (event) => {
      end = event;
    });
    for await (const chunk of pcm) {
      const ready = Buffer.concat([tail, chunk]);
      const sendable = Math.max(0, ready.length - HELD_BACK_BYTES);
      for (let start = 0; start < sendable; start += FRAME_BYTES) {
        const piece = ready.subarray(start, Math.min(start + FRAME_BYTES, sendable));
        yield write(responseFrame(fields, piece));
      }
      tail = ready.subarray(sendable);
    }
    if (!end) return;
    yield Buffer.concat([write(responseFrame(fields, tail, end)), Buffer.from(framing.end)]);
  } catch (error) {
    yield write(errorFrame(error));
    throw error;
  }
}

function responseFrame(fields: SpeechReplyFields, audio: Uint8Array, end?: SpeechEnd): object {
  const data = Buffer.from(audio).toString("base64");
  return {
    candidates: [
      {
        content: { role: "model", parts: [{ inlineData: { mimeType: fields.mimeType, data } }] },
        ...(end ? { finishReason: end.finishReason } : {}),
        index: 0,
      },
    ],
    ...(end ? { usageMetadata: usageMetadata(end) } : {}),
    modelVersion: fields.modelVersion,
    responseId: fields.responseId,
  };
}
