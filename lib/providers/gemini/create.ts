import type { ChannelProbe, ListedModel } from "../../ports/channel-probe";
import type { ChannelRecord } from "../../ports/store";
import { collect } from "../outbound/body";
import { invalidAnswer } from "../outbound/failure";
import { asFields, asList, asText, parseJson } from "../outbound/json";
import { MAX_LIST_BYTES, type UpstreamProvider, type UpstreamSettings } from "../upstream/provider";
import { geminiEmbedding } from "./embeddings";
import { GEMINI_BASE, GEMINI_OPTIONS, geminiBase, keyHeaders } from "./options";
import { readGeminiRefusal } from "./refusal";
import { geminiSpeech } from "./speech";

/** Most pages of the list; one page holds all that Google serves today. */
const MAX_PAGES = 5;

/** The Gemini API, and servers with the same protocol. */
export function createGemini(settings: UpstreamSettings): UpstreamProvider {
  return {
    operations: ["speech", "embeddings"],
    defaultBaseUrl: GEMINI_BASE,
    checkOptions: (options) => GEMINI_OPTIONS.check(options),
    speech: (channel) => geminiSpeech(settings, channel),
    embedding: (channel) => geminiEmbedding(settings, channel),
    probe: (channel) => geminiProbe(settings, channel),
  };
}

function geminiProbe({ outbound, keyOf }: UpstreamSettings, channel: ChannelRecord): ChannelProbe {
  return {
    async listModels(options) {
      const key = keyOf(channel);
      const models: ListedModel[] = [];
      let token: string | null = null;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const next: string = token === null ? "" : `&pageToken=${encodeURIComponent(token)}`;
        const reply = await outbound.call({
          channel,
          baseUrl: geminiBase(channel),
          method: "GET",
          path: `/models?pageSize=1000${next}`,
          headers: { accept: "application/json", ...keyHeaders(key) },
          maxBytes: MAX_LIST_BYTES,
          readRefusal: readGeminiRefusal,
          secrets: key === null ? [] : [key],
          ca: GEMINI_OPTIONS.of(channel).ca,
          options,
        });
        const answer = asFields(parseJson(await collect(reply.body)));
        if (!Array.isArray(answer?.models)) throw invalidAnswer("without a list of models");
        models.push(...answer.models.flatMap(readModel));
        token = asText(answer.nextPageToken);
        if (token === null) break;
      }
      return models;
    },
  };
}

function readModel(entry: unknown): ListedModel[] {
  const fields = asFields(entry);
  const name = asText(fields?.name)?.replace(/^models\//, "");
  if (name === undefined) return [];
  const methods = asList(fields?.supportedGenerationMethods);
  if (methods.includes("embedContent")) return [{ name, operation: "embeddings" }];
  const isSpeech = methods.includes("generateContent") && /-tts\b/.test(name);
  return [{ name, operation: isSpeech ? "speech" : null }];
}
