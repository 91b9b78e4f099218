import { z } from "zod";
import { OPENAI_SHAPE } from "../../contracts/console/channel-options";
import type { ChannelRecord } from "../../ports/store";
import { optionsReader } from "../upstream/channel-options";

export const OPENAI_OPTIONS = optionsReader(z.object(OPENAI_SHAPE));
type OpenAiOptions = ReturnType<typeof OPENAI_OPTIONS.of>;

export const OPENAI_BASE = "https://api.openai.com/v1";
const AZURE_HOST =
  /\.(?:openai\.azure\.(?:com|us|cn)|cognitiveservices\.azure\.(?:com|us)|services\.ai\.azure\.com)$/;
/** The newest API versions with these operations; only previews have speech. */
const AZURE_VERSIONS = { "/audio/speech": "2025-04-01-preview", "/embeddings": "2024-10-21" } as const;

/** OpenAI's limit of inputs in one call. */
const MAX_TEXTS = 2_048;

/** Values of a request that we choose, and that an upstream may refuse. */
export interface ChosenValues {
  /** Most texts of one call. */
  maxTexts: number;
  encoding: "base64" | "float";
  /** Whether the caller's `user` is passed on. */
  hasUser: boolean;
  audioFormat: "pcm" | "wav";
}

/** How requests to one channel are made. */
export interface OpenAiForm {
  chosen: ChosenValues;
  /** For models whose upstream has refused one of `chosen`: the values that it accepts. */
  accepted: Map<string, ChosenValues>;
  baseUrl: string;
  options: OpenAiOptions;
  path(operation: "/audio/speech" | "/embeddings", model: string): string;
  headers(key: string | null): Record<string, string>;
  /** Whether `/models` lists what can be called; Azure lists what could be deployed. */
  hasModelList: boolean;
  hasVoiceList: boolean;
  /** True for OpenAI and Azure, which have exactly OpenAI's 13 voices. */
  isOpenAi: boolean;
}

const forms = new WeakMap<ChannelRecord, OpenAiForm>();

export function formOf(channel: ChannelRecord): OpenAiForm {
  const known = forms.get(channel) ?? readForm(channel);
  forms.set(channel, known);
  return known;
}

function readForm(channel: ChannelRecord): OpenAiForm {
  const options = OPENAI_OPTIONS.of(channel);
  const base = new URL(channel.baseUrl ?? OPENAI_BASE);
  const isAzureHost = AZURE_HOST.test(base.hostname);
  const isAzureForm = options.azure_api_version !== undefined || (isAzureHost && base.pathname === "/");
  const isOpenAi = isAzureHost || isAzureForm || base.hostname === "api.openai.com";
  const hasVoiceList = options.list_voices ?? !isOpenAi;
  const authentication = options.authentication ?? (isAzureHost || isAzureForm ? "api-key" : "bearer");
  const headers = (key: string | null): Record<string, string> => {
    if (key === null) return {};
    return authentication === "api-key" ? { "api-key": key } : { authorization: `Bearer ${key}` };
  };
  const chosen: ChosenValues = {
    maxTexts: options.max_batch ?? MAX_TEXTS,
    // For models without base64 OpenRouter answers with no vectors: https://github.com/plastic-labs/honcho/issues/932.
    encoding: options.encoding_format ?? (base.hostname === "openrouter.ai" ? "float" : "base64"),
    hasUser: true,
    audioFormat: options.speech_format ?? "pcm",
  };
  const common = {
    chosen,
    accepted: new Map<string, ChosenValues>(),
    options,
    headers,
    hasVoiceList,
    isOpenAi,
  };
  if (isAzureForm) {
    const version = (operation: keyof typeof AZURE_VERSIONS) =>
      options.azure_api_version ?? AZURE_VERSIONS[operation];
    return {
      ...common,
      baseUrl: `${base.origin}${base.pathname === "/" ? "/openai" : base.pathname}`,
      path: (operation, model) =>
        `/deployments/${encodeURIComponent(model)}${operation}?api-version=${version(operation)}`,
      hasModelList: false,
    };
  }
  return {
    ...common,
    baseUrl: base.pathname === "/" ? `${base.origin}/v1` : base.href,
    path: (operation) => operation,
    hasModelList: true,
  };
}
