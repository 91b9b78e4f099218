import type { ChannelProbe, ListedModel } from "../../ports/channel-probe";
import type { ChannelRecord } from "../../ports/store";
import { invalidAnswer } from "../outbound/failure";
import { asFields, asText } from "../outbound/json";
import type { UpstreamProvider, UpstreamSettings } from "../upstream/provider";
import { readList } from "../upstream/read-list";
import { createVoiceLists } from "../upstream-voices/voice-list";
import { openAiEmbedding } from "./embeddings";
import { formOf, OPENAI_BASE, OPENAI_OPTIONS } from "./options";
import { openAiSpeech } from "./speech";
import { listSourceOf } from "./voices";

/** OpenAI, Azure OpenAI, and every server with their protocol. */
export function createOpenAi(settings: UpstreamSettings): UpstreamProvider {
  const lists = createVoiceLists(settings.clock);
  return {
    operations: ["speech", "embeddings"],
    defaultBaseUrl: OPENAI_BASE,
    checkOptions: (options) => OPENAI_OPTIONS.check(options),
    speech: (channel) => openAiSpeech(settings, lists, channel),
    embedding: (channel) => openAiEmbedding(settings, channel),
    probe: (channel) => openAiProbe(settings, channel),
  };
}

const SPEECH =
  /(?:^|[^a-z])(?:tts|speech|kokoro|piper|orpheus|parler|chatterbox|xtts|bark|voice)(?:[^a-z]|$)|-tts/i;
const EMBEDDINGS =
  /embed|(?:^|[^a-z])(?:bge|gte|e5|minilm|mpnet|jina|nomic|arctic|voyage|stella)(?:[^a-z]|$)/i;

/** LiteLLM's `mode` of a model in its list. */
const MODES: ReadonlyMap<unknown, ListedModel["operation"]> = new Map([
  ["embedding", "embeddings"],
  ["audio_speech", "speech"],
]);

/** A model's operation: by its mode, else by its name. */
function operationOf(name: string, mode: unknown): ListedModel["operation"] {
  if (typeof mode === "string") return MODES.get(mode) ?? null;
  if (EMBEDDINGS.test(name)) return "embeddings";
  return SPEECH.test(name) ? "speech" : null;
}

function openAiProbe(settings: UpstreamSettings, channel: ChannelRecord): ChannelProbe {
  return {
    async listModels(options) {
      const form = formOf(channel);
      if (!form.hasModelList) return null;
      const answer = await readList(settings, channel, listSourceOf(form), "/models", options);
      const entries = Array.isArray(answer) ? answer : asFields(answer)?.data;
      if (!Array.isArray(entries)) throw invalidAnswer("without a list of models");
      return entries.flatMap((entry): ListedModel[] => {
        const fields = asFields(entry);
        const name = asText(fields?.id);
        return name === null ? [] : [{ name, operation: operationOf(name, fields?.mode) }];
      });
    },
  };
}
