import { z } from "zod";
import { GeminiSpeechReply, GeminiSpeechRequest } from "../../../contracts/gateway/gemini/speech";
import { gatewayRoute } from "../../core/route";
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
