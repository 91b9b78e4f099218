import type { ChannelProbe, ListedModel } from "../../ports/channel-probe";
import type { ChannelRecord } from "../../ports/store";
import { collect } from "../outbound/body";
import { invalidAnswer } from "../outbound/failure";
import { asFields, asList, asText, parseJson } from "../outbound/json";
import { MAX_LIST_BYTES, type UpstreamProvider, type UpstreamSettings } from "../upstream/provider";
import { createVoiceLists } from "../upstream-voices/voice-list";
import { openAiEmbedding } from "./embeddings";
import { formOf, OPENAI_BASE, OPENAI_OPTIONS } from "./options";
import { readOpenAiRefusal } from "./refusal";
import { openAiSpeech } from "./speech";

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

/** A model's operation by its name, where its upstream does not say. */
function guessOperation(name: string): ListedModel["operation"] {
  if (EMBEDDINGS.test(name)) return "embeddings";
  return SPEECH.test(name) ? "speech" : null;
}

function openAiProbe({ outbound, keyOf }: UpstreamSettings, channel: ChannelRecord): ChannelProbe {
  return {
    async listModels(options) {
      const form = formOf(channel);
      if (!form.hasModelList) return null;
      const key = keyOf(channel);
      const reply = await outbound.call({
        channel,
        baseUrl: form.baseUrl,
        method: "GET",
        path: "/models",
        headers: { accept: "application/json", ...form.headers(key) },
        maxBytes: MAX_LIST_BYTES,
        readRefusal: readOpenAiRefusal,
        secrets: key === null ? [] : [key],
        ca: form.options.ca,
        options,
      });
      const answer = parseJson(await collect(reply.body));
      const fields = asFields(answer);
      const entries = Array.isArray(answer) ? asList(answer) : fields?.data;
      if (!Array.isArray(entries)) throw invalidAnswer("without a list of models");
      return entries.flatMap((entry): ListedModel[] => {
        const name = asText(asFields(entry)?.id);
        return name === null ? [] : [{ name, operation: guessOperation(name) }];
      });
    },
  };
}
