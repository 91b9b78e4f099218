import { z } from "zod";
import {
  BatchEmbedContentsReply,
  BatchEmbedContentsRequest,
  CountTokensReply,
  CountTokensRequest,
  EmbedContentReply,
  EmbedContentRequest,
} from "../../../contracts/gateway/gemini/embeddings";
import { GeminiSpeechReply, GeminiSpeechRequest } from "../../../contracts/gateway/gemini/speech";
import { gatewayRoute } from "../../core/route";
import { countContentTokens } from "../../gateway/gemini/count-tokens";
import { batchEmbedContents, embedContent } from "../../gateway/gemini/embed-contents";
import { generateSpeech, streamSpeech } from "../../gateway/gemini/speech";

const Alt = z
  .string()
  .meta({ description: "`sse`: server-sent events; any other value, or none: a JSON array" });

/** Both API versions: the newest official SDK calls `v1`, the others `v1beta`. */
export const SPEECH_GEMINI_ROUTES = ["/v1beta", "/v1"].flatMap((version) => [
  gatewayRoute({
    surface: "gemini",
    method: "POST",
    path: `${version}/models/{model}:generateContent`,
    operation: "speech",
    summary: "Speak a text, by one voice or as a conversation",
    body: GeminiSpeechRequest,
    reply: GeminiSpeechReply,
    takesGoogleKey: true,
    handle: (ctx, { body, params }) => generateSpeech(ctx, params.model ?? "", body),
  }),
  gatewayRoute({
    surface: "gemini",
    method: "POST",
    path: `${version}/models/{model}:streamGenerateContent`,
    operation: "speech",
    summary: "Speak a text and send the audio while it is synthesised (alt=sse, or a JSON array)",
    body: GeminiSpeechRequest,
    query: z.object({ alt: Alt.optional() }),
    reply: z.array(GeminiSpeechReply),
    replyTypes: ["text/event-stream"],
    takesGoogleKey: true,
    handle: (ctx, { body, params, request }) => streamSpeech(ctx, params.model ?? "", body, request.query),
  }),
]);

/** The newest official client calls `/v1`, all others `/v1beta`. */
export const GEMINI_EMBEDDINGS_ROUTES = ["/v1beta", "/v1"].flatMap((base) => [
  gatewayRoute({
    surface: "gemini",
    method: "POST",
    path: `${base}/models/{model}:embedContent`,
    operation: "embeddings",
    summary: "Embed one content",
    body: EmbedContentRequest,
    reply: EmbedContentReply,
    takesGoogleKey: true,
    handle: (ctx, { body, params }) => embedContent(ctx, params.model ?? "", body),
  }),
  gatewayRoute({
    surface: "gemini",
    method: "POST",
    path: `${base}/models/{model}:batchEmbedContents`,
    operation: "embeddings",
    summary: "Embed several contents",
    body: BatchEmbedContentsRequest,
    reply: BatchEmbedContentsReply,
    takesGoogleKey: true,
    handle: (ctx, { body, params }) => batchEmbedContents(ctx, params.model ?? "", body),
  }),
]);

export const COUNT_TOKENS_ROUTES = ["/v1beta", "/v1"].map((base) =>
  gatewayRoute({
    surface: "gemini",
    method: "POST",
    path: `${base}/models/{model}:countTokens`,
    operation: null,
    summary: "Count the tokens of contents",
    body: CountTokensRequest,
    reply: CountTokensReply,
    takesGoogleKey: true,
    handle: (ctx, { body, params }) => countContentTokens(ctx, params.model ?? "", body),
  }),
);
