import type { GatewayContext } from "../../../gateway/context";
import { synthesizeSpeech } from "../../../gateway/speech/synthesize-speech";
import type { Outbound } from "../../core/exchange";
import { errorBody } from "../../core/render-error";
import { JSON_TYPE } from "../../core/respond";
import { speechBody } from "../speech-body";
import { streamFailure } from "../stream-failure";
import { readGeminiSpeech } from "./read-speech";
import { replyFacts } from "./speech-reply";
import { JSON_ARRAY, SSE, streamedSpeech } from "./streamed-speech";
import { wholeSpeech } from "./whole-speech";

/**
 * `:generateContent` for speech. The status goes out when an upstream's audio is complete, or with a built-in engine's
 * first audio.
 */
export async function generateSpeech(ctx: GatewayContext, model: string, body: unknown): Promise<Outbound> {
  const { input, container } = readGeminiSpeech(model, body);
  const call = await synthesizeSpeech(ctx, { ...input, isReplyWhole: true });
  return {
    status: 200,
    headers: { "content-type": JSON_TYPE, ...call.headers() },
    body: speechBody(call, wholeSpeech(call, replyFacts(ctx, model, container))),
  };
}

/** `:streamGenerateContent` for speech; `query` tells by `alt=sse` which framing is wanted. */
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
  return {
    status: 200,
    headers: {
      "content-type": framing.contentType,
      "cache-control": "no-store",
      // Proxies that collect small writes would hold the sound back.
      "x-accel-buffering": "no",
      ...call.headers(),
    },
    body: speechBody(call, streamedSpeech(call, replyFacts(ctx, model, container), framing, errorFrame)),
  };
}
