import { z } from "zod";
import type { ChannelRecord } from "../../ports/store";
import { COMMON_OPTIONS, optionsReader } from "../upstream/channel-options";

const SHAPE = {
  ...COMMON_OPTIONS,
  /** Azure's form: `api-key` header, a URL a deployment (the model's upstream name), this `api-version`. */
  azure_api_version: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(?:-preview)?$/, "must be a version such as 2024-10-21")
    .optional(),
  /** What speech is asked for as; `wav` for servers whose raw samples have a rate they do not tell. */
  speech_format: z.enum(["pcm", "wav"]).optional(),
  /** Hertz of raw samples, where the upstream does not say. */
  sample_rate: z.literal([8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]).optional(),
  /** `sse`: events with the token counts at the end, for models that have them. */
  stream_format: z.enum(["audio", "sse"]).optional(),
  /** Ask `/audio/voices` for the voices. Default: everywhere but at OpenAI and Azure, which have no such list. */
  list_voices: z.boolean().optional(),
  /** How vectors are asked for; either is understood. */
  encoding_format: z.enum(["base64", "float"]).optional(),
  /** `shorten`: ask for whole vectors and shorten them here. `send`: the upstream must do it. */
  dimensions: z.enum(["send", "shorten"]).optional(),
  /** Where the key goes. Default: `bearer`; `api-key` at Azure. */
  authentication: z.enum(["bearer", "api-key"]).optional(),
};

export const OPENAI_OPTIONS = optionsReader(z.strictObject(SHAPE), z.object(SHAPE));
export type OpenAiOptions = ReturnType<typeof OPENAI_OPTIONS.of>;

export const OPENAI_BASE = "https://api.openai.com/v1";
const AZURE_HOST =
  /\.(?:openai\.azure\.(?:com|us|cn)|cognitiveservices\.azure\.(?:com|us)|services\.ai\.azure\.com)$/;
/** The newest version that is no preview. */
const AZURE_VERSION = "2024-10-21";

/** How one channel is spoken to. */
export interface OpenAiForm {
  baseUrl: string;
  options: OpenAiOptions;
  /** The path of an operation for a model. */
  path(operation: "/audio/speech" | "/embeddings", model: string): string;
  headers(key: string | null): Record<string, string>;
  /** Whether `/models` tells what can be called; Azure lists what could be deployed. */
  hasModelList: boolean;
  hasVoiceList: boolean;
  /** OpenAI itself or Azure: the 13 voices, no others. */
  isOpenAi: boolean;
}

export function formOf(channel: ChannelRecord): OpenAiForm {
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
  if (isAzureForm) {
    const query = `?api-version=${options.azure_api_version ?? AZURE_VERSION}`;
    return {
      baseUrl: `${base.origin}${base.pathname === "/" ? "/openai" : base.pathname}`,
      options,
      path: (operation, model) => `/deployments/${encodeURIComponent(model)}${operation}${query}`,
      headers,
      hasModelList: false,
      hasVoiceList: options.list_voices ?? false,
      isOpenAi,
    };
  }
  return {
    baseUrl: base.pathname === "/" ? `${base.origin}/v1` : base.href,
    options,
    path: (operation) => operation,
    headers,
    hasModelList: true,
    hasVoiceList,
    isOpenAi,
  };
}
