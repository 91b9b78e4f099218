import {
  EmbeddingsReply,
  EmbeddingsRequest,
  EngineEmbeddingsRequest,
} from "../../../contracts/gateway/openai/embeddings";
import { OpenAiSpeechRequest, SPEECH_CONTENT_TYPES } from "../../../contracts/gateway/openai/speech";
import { gatewayRoute } from "../../core/route";
import { createEmbeddings, createEngineEmbeddings } from "../../gateway/openai/embeddings";
import { createSpeech } from "../../gateway/openai/speech";

export const SPEECH_OPENAI_ROUTES = [
  gatewayRoute({
    surface: "openai",
    method: "POST",
    path: "/v1/audio/speech",
    operation: "speech",
    summary: "Speak a text as mp3, opus, aac, flac, wav or pcm",
    body: OpenAiSpeechRequest,
    replyTypes: [...Object.values(SPEECH_CONTENT_TYPES), "text/event-stream"],
    handle: (ctx, { body }) => createSpeech(ctx, body),
  }),
];

export const EMBEDDINGS_ROUTES = [
  gatewayRoute({
    surface: "openai",
    method: "POST",
    path: "/v1/embeddings",
    operation: "embeddings",
    summary: "Embed texts",
    body: EmbeddingsRequest,
    reply: EmbeddingsReply,
    handle: (ctx, { body }) => createEmbeddings(ctx, body),
  }),
  gatewayRoute({
    surface: "openai",
    method: "POST",
    path: "/v1/engines/{model}/embeddings",
    operation: "embeddings",
    summary: "Embed texts with the model of the path",
    body: EngineEmbeddingsRequest,
    reply: EmbeddingsReply,
    handle: (ctx, { body, params }) => createEngineEmbeddings(ctx, body, params.model ?? ""),
  }),
];
