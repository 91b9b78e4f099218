import type { GatewayContext } from "../../../gateway/context";
import { synthesizeSpeech } from "../../../gateway/speech/synthesize-speech";
import type { Outbound } from "../../core/exchange";
import { errorBody } from "../../core/render-error";
import { JSON_TYPE } from "../../core/respond";
import { renderCall, speechBody } from "../speech-body";
import { streamFailure } from "../stream-failure";
import { readGeminiSpeech } from "./read-speech";
import { replyFacts } from "./speech-reply";
import { JSON_ARRAY, SSE, streamedSpeech } from "./streamed-speech";
import { wholeSpeech } from "./whole-speech";

/**
 * `:generateContent` for speech. The status is sent when an upstream's audio is complete, or with the first audio of a
 * built-in engine.
 */
export async function generateSpeech(ctx: GatewayContext, model: string, body: unknown): Promise<Outbound> {
  const { input, container } = readGeminiSpeech(model, body);
  const call = await synthesizeSpeech(ctx, {
    ...input,
    isReplyBuffered: true,
    needsBase64: container === "pcm",
  });
  return renderCall(call, () => ({
    status: 200,
    headers: { "content-type": JSON_TYPE, ...call.headers() },
    body: speechBody(call, wholeSpeech(call, replyFacts(ctx, model, container))),
  }));
}

/** `:streamGenerateContent` for speech; `alt=sse` in `query` selects server-sent events. */
export async function streamSpeech(
  ctx: GatewayContext,
  model: string,
  body: unknown,
  query: string,
): Promise<Outbound> {
  const { input, container } = readGeminiSpeech(model, body);
  const call = await synthesizeSpeech(ctx, input);
  const framing = new URLSearchParams(query).get("alt") === "sse" ? SSE : JSON_ARRAY;
  const errorFrame = (error: unknown) => errorBody("gemini", streamFailure(ctx, error));
  return renderCall(call, () => ({
    status: 200,
    headers: {
      "content-type": framing.contentType,
      "cache-control": "no-store",
      // Proxies that buffer small writes would delay the audio.
      "x-accel-buffering": "no",
      ...call.headers(),
    },
    body: speechBody(call, streamedSpeech(call, replyFacts(ctx, model, container), framing, errorFrame)),
  }));
}
