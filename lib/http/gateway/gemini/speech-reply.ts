import type { GatewayContext } from "../../../gateway/context";
import type { SpeechEnd } from "../speech-body";

/** Fields that streamed and whole Gemini speech replies share. */
export interface SpeechReplyFields {
  modelVersion: string;
  responseId: string;
  mimeType: string;
}

const MIME_TYPES = { pcm: "audio/L16;codec=pcm;rate=24000", wav: "audio/wav" } as const;

/** The fields of a new reply; `model`: the name as requested. */
export function newReplyFields(
  ctx: GatewayContext,
  model: string,
  container: "pcm" | "wav",
): SpeechReplyFields {
  return {
    modelVersion: model,
    responseId: Buffer.from(ctx.services.random.bytes(15)).toString("base64url"),
    mimeType: MIME_TYPES[container],
  };
}

/** `usageMetadata` of speech: text tokens in, audio tokens out. */
export function usageMetadata({ inputTokens, outputTokens }: SpeechEnd) {
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: inputTokens + outputTokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: inputTokens }],
    candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: outputTokens }],
  };
}
