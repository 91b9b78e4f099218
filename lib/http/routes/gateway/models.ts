import { z } from "zod";
import {
  GeminiModel,
  GeminiModelList,
  GeminiPageQuery,
  OpenAiModel,
  OpenAiModelList,
  VoiceList,
} from "../../../contracts/gateway/models";
import { getUsableModel, listUsableModels } from "../../../gateway/admission/resolve-model";
import { listVoices } from "../../../gateway/speech/choose-voices";
import { jsonReply } from "../../core/exchange";
import { gatewayRoute } from "../../core/route";
import { geminiModel, geminiModelPage, isGoogleCaller, openAiModel } from "../../gateway/models-reply";

export const MODELS_ROUTES = [
  gatewayRoute({
    surface: "openai",
    method: "GET",
    path: "/v1/models",
    operation: null,
    summary: "List the models this key may use, in OpenAI's form, or in Gemini's to a Google client",
    reply: z.union([OpenAiModelList, GeminiModelList]),
    query: GeminiPageQuery,
    takesGoogleKey: true,
    async handle(ctx, { request }) {
      const models = await listUsableModels(ctx);
      if (isGoogleCaller(request)) return jsonReply(200, geminiModelPage(models, request.query));
      return jsonReply(200, {
        object: "list",
        data: models.map((entry) => openAiModel(ctx.services, entry)),
      });
    },
  }),
  gatewayRoute({
    surface: "openai",
    method: "GET",
    path: "/v1/models/{model}",
    operation: null,
    summary: "Describe a model, in OpenAI's form, or in Gemini's to a Google client",
    reply: z.union([OpenAiModel, GeminiModel]),
    takesGoogleKey: true,
    async handle(ctx, { params, request }) {
      const name = params.model ?? "";
      const entry = await getUsableModel(ctx, name);
      const reply = isGoogleCaller(request)
        ? geminiModel(entry.model, name)
        : openAiModel(ctx.services, entry, name);
      return jsonReply(200, reply);
    },
  }),
  gatewayRoute({
    surface: "gemini",
    method: "GET",
    path: "/v1beta/models",
    operation: null,
    summary: "List the models this key may use",
    query: GeminiPageQuery,
    reply: GeminiModelList,
    takesGoogleKey: true,
    handle: async (ctx, { request }) =>
      jsonReply(200, geminiModelPage(await listUsableModels(ctx), request.query)),
  }),
  gatewayRoute({
    surface: "gemini",
    method: "GET",
    path: "/v1beta/models/{model}",
    operation: null,
    summary: "Describe a model",
    reply: GeminiModel,
    takesGoogleKey: true,
    async handle(ctx, { params }) {
      const name = params.model ?? "";
      return jsonReply(200, geminiModel((await getUsableModel(ctx, name)).model, name));
    },
  }),
];

export const VOICES_ROUTES = [
  gatewayRoute({
    surface: "openai",
    method: "GET",
    path: "/v1/audio/voices",
    operation: "speech",
    summary: "List the voices of the models this key may use",
    reply: VoiceList,
    handle: async (ctx) =>
      jsonReply(200, { object: "list", voices: await listVoices(ctx) } satisfies VoiceList),
  }),
];
