import type { GeminiModel, GeminiModelList, OpenAiModel } from "../../contracts/gateway/models";
import { AppError } from "../../errors";
import type { GatewayServices } from "../../gateway/context";
import { TOKENS_PER_SECOND } from "../../gateway/speech/speech-cost";
import { speechTraits } from "../../gateway/speech/speech-traits";
import type { CatalogEntry } from "../../ports/catalog";
import type { ModelRecord } from "../../ports/store";
import type { Inbound } from "../core/exchange";

const DEFAULT_PAGE = 50;
const MAX_PAGE_SIZE = 1_000;

const METHODS = {
  speech: ["generateContent", "streamGenerateContent", "countTokens"],
  embeddings: ["embedContent", "batchEmbedContents", "countTokens"],
} as const;

/** Limits that Gemini states for its own models, used where the operator set none. */
const DEFAULT_INPUT_TOKEN_LIMIT = 8_192;
const DEFAULT_SPEECH_TOKEN_LIMIT = 16_384;

function outputTokenLimit({ operation, maxAudioSeconds }: ModelRecord): number {
  // A vector counts as one token in Gemini's lists.
  if (operation === "embeddings") return 1;
  return maxAudioSeconds === null
    ? DEFAULT_SPEECH_TOKEN_LIMIT
    : Math.ceil(maxAudioSeconds * TOKENS_PER_SECOND);
}

/** `name`: the requested name, which may be an alias. */
export function openAiModel(
  services: Pick<GatewayServices, "providers">,
  entry: CatalogEntry,
  name = entry.model.name,
): OpenAiModel {
  const { model } = entry;
  return {
    id: name,
    object: "model",
    created: Math.floor(model.createdAt / 1_000),
    owned_by: "patchbay",
    description: model.description,
    ...(model.operation === "speech"
      ? { takes_instructions: speechTraits(services, entry).takesInstructions }
      : {}),
  };
}

export function geminiModel(model: ModelRecord, name = model.name): GeminiModel {
  return {
    name: `models/${name}`,
    baseModelId: model.name,
    version: String(model.version),
    displayName: model.name,
    description: model.description,
    inputTokenLimit: model.maxInputTokens ?? model.maxCharacters ?? DEFAULT_INPUT_TOKEN_LIMIT,
    outputTokenLimit: outputTokenLimit(model),
    supportedGenerationMethods: [...METHODS[model.operation]],
  };
}

/** True when the key was sent the way only Google's clients send it. */
export function isGoogleCaller(request: Inbound): boolean {
  if (request.headers.has("authorization")) return false;
  return request.headers.has("x-goog-api-key") || new URLSearchParams(request.query).has("key");
}

function pageSizeOf(text: string | null): number {
  if (text === null || text === "" || text === "0") return DEFAULT_PAGE;
  if (!/^\d{1,9}$/.test(text)) {
    throw new AppError("invalid", "'pageSize' must be a whole number from 1 to 1000.", { param: "pageSize" });
  }
  return Math.min(MAX_PAGE_SIZE, Number(text));
}

/** The last name of the previous page; page tokens are opaque to callers. */
function readPageToken(token: string | null): string {
  if (token === null || token === "") return "";
  const name = /^[A-Za-z0-9_-]{1,256}$/.test(token) ? Buffer.from(token, "base64url").toString("utf8") : "";
  if (!name.startsWith("after:")) {
    throw new AppError("invalid", "'pageToken' must be the nextPageToken of the previous page.", {
      param: "pageToken",
    });
  }
  return name.slice("after:".length);
}

/** One page of Gemini's list; `entries` are sorted by name. */
export function geminiModelPage(entries: readonly CatalogEntry[], query: string): GeminiModelList {
  const parameters = new URLSearchParams(query);
  const size = pageSizeOf(parameters.get("pageSize") ?? parameters.get("page_size"));
  const after = readPageToken(parameters.get("pageToken") ?? parameters.get("page_token"));
  const left = entries.map(({ model }) => model).filter((model) => model.name > after);
  const page = left.slice(0, size);
  const last = page.at(-1);
  const hasMore = left.length > page.length && last !== undefined;
  return {
    models: page.map((model) => geminiModel(model)),
    ...(hasMore ? { nextPageToken: Buffer.from(`after:${last.name}`).toString("base64url") } : {}),
  };
}
