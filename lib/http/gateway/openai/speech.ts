import {
  OpenAiSpeechRequest,
  SPEECH_CONTENT_TYPES,
  SPEECH_DEFAULTS,
} from "../../../contracts/gateway/openai/speech";
import type { GatewayContext } from "../../../gateway/context";
import { type SpeechCall, synthesizeSpeech } from "../../../gateway/speech/synthesize-speech";
import type { AudioFormat } from "../../../ports/audio-encoder";
import { checkFields } from "../../core/check-fields";
import type { Outbound } from "../../core/exchange";
import { errorBody } from "../../core/render-error";
import {
  audioOf,
  awaitFirstChunk,
  endCallOnThrow,
  logStreamFailure,
  type SpeechEnd,
  speechBody,
} from "../speech-body";

/**
 * `POST /v1/audio/speech`: the audio, encoded while it is synthesised, or server-sent events with it. The status is sent
 * once the first encoded bytes exist.
 */
export async function createSpeech(ctx: GatewayContext, sent: unknown): Promise<Outbound> {
  const body = checkFields(OpenAiSpeechRequest, sent);
  const call = await synthesizeSpeech(ctx, {
    model: body.model,
    parts: [{ text: body.input }],
    voices: { kind: "single", voice: typeof body.voice === "string" ? body.voice : body.voice.id },
    speed: body.speed ?? SPEECH_DEFAULTS.speed,
    ...(body.instructions ? { instructions: body.instructions } : {}),
    guidance: () => ({ instructions: body.instructions ?? "" }),
    endUser: body.user ?? null,
    source: { dialect: "openai", body },
    dialectFields: body.instructions ? ["instructions"] : [],
  });
  const format = body.response_format ?? SPEECH_DEFAULTS.response_format;
  const isEvents = (body.stream_format ?? SPEECH_DEFAULTS.stream_format) === "sse";
  return endCallOnThrow(call, async () => {
    const chunks = isEvents
      ? speechEvents(ctx, call, format)
      : ctx.services.encoder.encode(format, audioOf(call));
    return {
      status: 200,
      headers: {
        "x-accel-buffering": "no",
        "content-type": isEvents ? "text/event-stream" : SPEECH_CONTENT_TYPES[format],
        ...(isEvents ? { "cache-control": "no-store" } : {}),
        ...call.headers(),
      },
      body: await awaitFirstChunk(speechBody(ctx, call, chunks)),
    };
  });
}

/** `speech.audio.delta` per chunk, then `speech.audio.done` with the usage once the call is settled. */
async function* speechEvents(
  ctx: GatewayContext,
  call: SpeechCall,
  format: AudioFormat,
): AsyncGenerator<Uint8Array> {
  let end: SpeechEnd | undefined;
  const pcm = audioOf(call, (event) => {
    end = event;
  });
  let hasBegun = false;
  try {
    for await (const bytes of ctx.services.encoder.encode(format, pcm)) {
      yield dataFrame({ type: "speech.audio.delta", audio: Buffer.from(bytes).toString("base64") });
      hasBegun = true;
    }
  } catch (error) {
    // Before the first event the error still sets the status.
    if (hasBegun) {
      yield Buffer.from(
        `event: error\ndata: ${JSON.stringify(errorBody("openai", logStreamFailure(ctx, call, error)))}\n\n`,
      );
    }
    throw error;
  }
  if (!end) return;
  yield dataFrame({
    type: "speech.audio.done",
    usage: {
      input_tokens: end.inputTokens,
      output_tokens: end.outputTokens,
      total_tokens: end.inputTokens + end.outputTokens,
    },
  });
}

function dataFrame(value: object): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
}
