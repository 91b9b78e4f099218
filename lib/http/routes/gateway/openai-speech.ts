import { OpenAiSpeechRequest, SPEECH_CONTENT_TYPES } from "../../../contracts/gateway/openai/speech";
import { gatewayRoute } from "../../core/route";
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
