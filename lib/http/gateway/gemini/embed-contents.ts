import { BatchEmbedContentsRequest, EmbedContentRequest } from "../../../contracts/gateway/gemini/embeddings";
import { AppError } from "../../../errors";
import { resolveModel } from "../../../gateway/admission/resolve-model";
import type { GatewayContext } from "../../../gateway/context";
import { type EmbeddingsReply, embedTexts } from "../../../gateway/embeddings/embed-texts";
import type { CatalogEntry } from "../../../ports/catalog";
import { nextTurn } from "../../../ports/run-in-slices";
import { checkFields } from "../../core/check-fields";
import { JSON_TYPE, type Outbound } from "../../core/exchange";
import { vectorToJson } from "../float-text";
import { camelFields } from "./field-names";

/** The text of a content: its parts joined by newlines. */
export function textOf(content: { parts: readonly { text: string }[] }): string {
  return content.parts.map((part) => part.text).join("\n");
}

/** Settings of all texts of a call. */
interface Settings {
  dimensions: number | undefined;
  /** The path in the body of the requested dimensions, for messages. */
  dimensionsField: string;
  taskType: string | undefined;
}

/** A request, and where it is in the body: empty, or `requests.N.`. */
interface PlacedRequest {
  path: string;
  request: EmbedContentRequest;
}

type SettingName = "outputDimensionality" | "taskType";

/** A setting of a request; the older field takes precedence. */
function settingOf<Name extends SettingName>(request: EmbedContentRequest, name: Name) {
  return request[name] ?? request.embedContentConfig?.[name];
}

/** Where the body has a setting: the older field unless only the newer one was sent. */
function fieldOf({ path, request }: PlacedRequest, name: SettingName): string {
  const isNewer = request[name] === undefined && request.embedContentConfig?.[name] !== undefined;
  return `${path}${isNewer ? "embedContentConfig." : ""}${name}`;
}

/** The settings of a batch, which must be equal in all its requests: an upstream call has one of each. */
function commonSettings(requests: readonly PlacedRequest[]): Settings {
  const [first] = requests;
  if (first === undefined)
    return { dimensions: undefined, dimensionsField: "outputDimensionality", taskType: undefined };
  const dimensions = settingOf(first.request, "outputDimensionality");
  const taskType = settingOf(first.request, "taskType");
  for (const placed of requests) {
    const { request } = placed;
    if (settingOf(request, "outputDimensionality") !== dimensions)
      throw differentSetting(first, placed, "outputDimensionality");
    if (settingOf(request, "taskType") !== taskType) throw differentSetting(first, placed, "taskType");
  }
  return { dimensions, dimensionsField: fieldOf(first, "outputDimensionality"), taskType };
}

/**
 * The error of a setting that is not the same in `first` and `other`. It names the field in `other`, in the form that
 * `first` sent if `other` lacks it.
 */
function differentSetting(first: PlacedRequest, other: PlacedRequest, name: SettingName): AppError {
  const sender = settingOf(other.request, name) === undefined ? first : other;
  const field = fieldOf({ ...sender, path: other.path }, name);
  return new AppError("invalid", `'${field}' must be the same in all requests of a batch.`, {
    param: "requests",
  });
}

/** Throws `invalid` unless every `model` in the body names the model of the path, as `models/name` or bare. */
async function checkModels(
  ctx: GatewayContext,
  entry: CatalogEntry,
  inPath: string,
  requests: readonly PlacedRequest[],
): Promise<void> {
  const named = new Map<string, string>();
  for (const { path, request } of requests) {
    if (request.model !== undefined && !named.has(request.model)) named.set(request.model, `${path}model`);
  }
  for (const [name, field] of named) {
    const bare = name.startsWith("models/") ? name.slice("models/".length) : name;
    if (bare === inPath || (await ctx.services.catalog.find(bare))?.model.name === entry.model.name) continue;
    throw new AppError(
      "invalid",
      `'${field}' is '${name.slice(0, 200)}' but the path names '${inPath}'; both must be the same.`,
      { param: field },
    );
  }
}

/**
 * True when the task type had no effect: only Gemini channels support it. The channel of cached vectors is unknown, so
 * for these all channels of the model are checked.
 */
function ignoresTaskType({ channel }: EmbeddingsReply, { routes }: CatalogEntry): boolean {
  const channels = channel === null ? routes.map((route) => route.channel) : [channel];
  return channels.every(({ provider }) => provider !== "gemini");
}

async function embed(
  ctx: GatewayContext,
  model: string,
  requests: readonly PlacedRequest[],
): Promise<EmbeddingsReply> {
  const settings = commonSettings(requests);
  const inputs = requests.map(({ request }) => ({ text: textOf(request.content) }));
  const entry = await resolveModel(ctx, model, "embeddings");
  await checkModels(ctx, entry, model, requests);
  const embedded = await embedTexts(ctx, {
    entry,
    requestedModel: model,
    inputs,
    endUser: null,
    ...settings,
  });
  const hasTitle = requests.some(
    ({ request }) => (request.title ?? request.embedContentConfig?.title) !== undefined,
  );
  const ignored = [
    ...(settings.taskType !== undefined && ignoresTaskType(embedded, entry) ? ["taskType"] : []),
    ...(hasTitle ? ["title"] : []),
  ];
  if (ignored.length === 0) return embedded;
  return { ...embedded, headers: { ...embedded.headers, "x-patchbay-ignored": ignored.join(", ") } };
}

function usageOf({ inputTokens }: EmbeddingsReply): string {
  return `"usageMetadata":{"promptTokenCount":${inputTokens},"totalTokenCount":${inputTokens}}`;
}

/** `POST …/models/{model}:embedContent`: one vector for one content. */
export async function embedContent(ctx: GatewayContext, model: string, sent: unknown): Promise<Outbound> {
  const request = checkFields(EmbedContentRequest, camelFields(EmbedContentRequest, sent));
  const embedded = await embed(ctx, model, [{ path: "", request }]);
  const [vector = new Float32Array(0)] = embedded.vectors;
  return {
    status: 200,
    headers: { "content-type": JSON_TYPE, ...embedded.headers },
    body: Buffer.from(`{"embedding":{"values":${vectorToJson(vector)}},${usageOf(embedded)}}`),
  };
}

/** `POST …/models/{model}:batchEmbedContents`: a vector for each request, in order. */
export async function batchEmbedContents(
  ctx: GatewayContext,
  model: string,
  sent: unknown,
): Promise<Outbound> {
  const { requests } = checkFields(BatchEmbedContentsRequest, camelFields(BatchEmbedContentsRequest, sent));
  const placed = requests.map((request, index): PlacedRequest => ({ path: `requests.${index}.`, request }));
  const embedded = await embed(ctx, model, placed);
  return {
    status: 200,
    headers: { "content-type": JSON_TYPE, ...embedded.headers },
    body: embeddingsInPieces(embedded),
  };
}

/** Yields after every 32 vectors, so that writing thousands does not delay other calls. */
async function* embeddingsInPieces(embedded: EmbeddingsReply): AsyncGenerator<Uint8Array> {
  const PER_PIECE = 32;
  let text = '{"embeddings":[';
  for (const [index, vector] of embedded.vectors.entries()) {
    text += `${index === 0 ? "" : ","}{"values":${vectorToJson(vector)}}`;
    if (index % PER_PIECE !== PER_PIECE - 1) continue;
    yield Buffer.from(text);
    await nextTurn();
    text = "";
  }
  yield Buffer.from(`${text}],${usageOf(embedded)}}`);
}
