import type { ChannelProbe, ListedModel } from "../../ports/channel-probe";
import type { ChannelRecord } from "../../ports/store";
import { invalidAnswer } from "../outbound/failure";
import { asFields, asList, asText } from "../outbound/json";
import type { UpstreamProvider, UpstreamSettings } from "../upstream/provider";
import { readList } from "../upstream/read-list";
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

function geminiProbe(settings: UpstreamSettings, channel: ChannelRecord): ChannelProbe {
  return {
    async listModels(options) {
      const { ca } = GEMINI_OPTIONS.of(channel);
      const source = {
        baseUrl: geminiBase(channel),
        headers: keyHeaders,
        readRefusal: readGeminiRefusal,
        ca,
      };
      const models: ListedModel[] = [];
      let token: string | null = null;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const next: string = token === null ? "" : `&pageToken=${encodeURIComponent(token)}`;
        const path = `/models?pageSize=1000${next}`;
        const answer = asFields(await readList(settings, channel, source, path, options));
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
