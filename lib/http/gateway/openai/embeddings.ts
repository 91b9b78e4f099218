import { MODEL_NAME_RULE } from "../../../contracts/console/model-name";
import {
  DEFAULT_ENCODING_FORMAT,
  type EmbeddingsInput,
  EmbeddingsRequest,
  EngineEmbeddingsRequest,
  MAX_TOKENS_PER_REQUEST,
} from "../../../contracts/gateway/openai/embeddings";
import { AppError } from "../../../errors";
import { isModelName, resolveModel } from "../../../gateway/admission/resolve-model";
import type { GatewayContext } from "../../../gateway/context";
import { type EmbeddingInput, tooManyTokens } from "../../../gateway/embeddings/count-inputs";
import { type EmbeddingsReply, embedTexts } from "../../../gateway/embeddings/embed-texts";
import type { CatalogEntry } from "../../../ports/catalog";
import { nextTurn, runInSlices } from "../../../ports/run-in-slices";
import { decodeTokens, findUnknownToken } from "../../../text/tokenize";
import { checkFields } from "../../core/check-fields";
import { JSON_TYPE, type Outbound } from "../../core/exchange";
import { vectorJsonBytes, vectorToBase64, vectorToJson } from "../float-text";

/**
 * Checks the body of `POST /v1/embeddings`. Nearly all calls send one text and no options: they are recognised here,
 * because zod takes a tenth of such a call's CPU time. Every other body, valid or not, is left to zod, whose results
 * are the same (tests/unit/http/embeddings-request.test.ts compares them).
 */
function readEmbeddingsRequest(body: unknown): EmbeddingsRequest {
  return readPlainRequest(body) ?? checkFields(EmbeddingsRequest, body);
}

interface PlainFields {
  model?: unknown;
  input?: unknown;
  encoding_format?: unknown;
  dimensions?: unknown;
  user?: unknown;
  stream?: unknown;
}

/** A model, one text and at most an encoding; null for any other body. */
export function readPlainRequest(body: unknown): EmbeddingsRequest | null {
  if (typeof body !== "object" || body === null) return null;
  const { model, input, encoding_format, dimensions, user, stream }: PlainFields = body;
  if (typeof model !== "string" || model === "" || model.length > 128) return null;
  if (typeof input !== "string" || input === "") return null;
  if (dimensions !== undefined || user !== undefined || stream !== undefined) return null;
  if (encoding_format === undefined) return { model, input };
  return encoding_format === "float" || encoding_format === "base64"
    ? { model, input, encoding_format }
    : null;
}

function modelError(message: string): AppError {
  return new AppError("invalid", message, { param: "model" });
}

function decode(tokens: readonly number[], index: number | null): EmbeddingInput {
  const text = decodeTokens(tokens);
  if (text === null) {
    const at = findUnknownToken(tokens);
    const path = index === null ? `input.${at}` : `input.${index}.${at}`;
    throw new AppError("invalid", `'${path}' must be a token id of cl100k_base; got ${tokens[at]}.`, {
      param: "input",
    });
  }
  return { text, tokens: tokens.length };
}

/** Checked before decoding, since millions of IDs would take long. */
function checkTokenTotal(input: Exclude<EmbeddingsInput, string>): void {
  let total = 0;
  for (const one of input) total += typeof one === "number" ? 1 : typeof one === "string" ? 0 : one.length;
  if (total > MAX_TOKENS_PER_REQUEST) throw tooManyTokens();
}

/** The texts of a list of inputs. A list of numbers is one input, sent as token IDs. */
function* textsOf(input: Exclude<EmbeddingsInput, string>): Generator<void, EmbeddingInput[], void> {
  checkTokenTotal(input);
  const inputs: EmbeddingInput[] = [];
  const single: number[] = [];
  for (const [index, one] of input.entries()) {
    if (typeof one === "string") inputs.push({ text: one });
    else if (typeof one === "number") single.push(one);
    else {
      inputs.push(decode(one, index));
      yield;
    }
  }
  return single.length > 0 ? [decode(single, null)] : inputs;
}

interface ResolvedModel {
  entry: CatalogEntry;
  requestedModel: string;
}

/** The model of the engines path. The body must name the same model, by any of its names. */
async function modelOfPath(
  ctx: GatewayContext,
  inPath: string,
  inBody: string | undefined,
): Promise<ResolvedModel> {
  if (inBody === undefined && !ctx.services.instance.legacyEngines) {
    throw modelError("'model' is required, and must name the model of the path.");
  }
  const named = inBody ?? inPath;
  if (!isModelName(named)) throw modelError(`'model' must be a model name: ${MODEL_NAME_RULE}`);
  const entry = await resolveModel(ctx, inPath, "embeddings");
  if (named !== inPath) {
    const other = await ctx.services.catalog.find(named);
    if (other?.model.name !== entry.model.name) {
      throw modelError(
        `'model' is '${named}' but the path names '${inPath}'; both must name the same model.`,
      );
    }
  }
  return { entry, requestedModel: named };
}

/** Above this many numbers the reply is written in chunks, so that it does not delay other calls. */
const NUMBERS_PER_CHUNK = 16_384;
const REPLY_PREFIX = Buffer.from('{"object":"list","data":[{"object":"embedding","index":0,"embedding":');
const BASE64_REPLY_PREFIX = Buffer.concat([REPLY_PREFIX, Buffer.from('"')]);

function embeddingJson(vector: Float32Array, index: number, format: "float" | "base64"): string {
  const embedding = format === "base64" ? `"${vectorToBase64(vector)}"` : vectorToJson(vector);
  return `${index === 0 ? "" : ","}{"object":"embedding","index":${index},"embedding":${embedding}}`;
}

async function* replyChunks(
  vectors: readonly Float32Array[],
  format: "float" | "base64",
  tail: string,
): AsyncGenerator<Uint8Array> {
  let text = '{"object":"list","data":[';
  let numbers = 0;
  for (const [index, vector] of vectors.entries()) {
    text += embeddingJson(vector, index, format);
    numbers += vector.length;
    if (numbers < NUMBERS_PER_CHUNK) continue;
    yield Buffer.from(text);
    await nextTurn();
    text = "";
    numbers = 0;
  }
  yield Buffer.from(text + tail);
}

/** The whole reply with one vector whose base64 text exists already. */
function base64Reply(base64: Uint8Array, tail: string): Uint8Array {
  return Buffer.concat([BASE64_REPLY_PREFIX, base64, Buffer.from(`"}${tail}`)]);
}

/** The whole reply with one vector as numbers, which are written as bytes: a string would be copied three times. */
function floatReply(vector: Float32Array, tail: string): Uint8Array {
  return Buffer.concat([REPLY_PREFIX, vectorJsonBytes(vector), Buffer.from(`}${tail}`)]);
}

/** OpenAI's list of embeddings; `model`: the name as requested. */
function renderEmbeddings(
  { vectors, base64, inputTokens, headers }: EmbeddingsReply,
  model: string,
  format: "float" | "base64",
): Outbound {
  const usage = `{"prompt_tokens":${inputTokens},"total_tokens":${inputTokens}}`;
  const tail = `],"model":${JSON.stringify(model)},"usage":${usage}}`;
  const numbers = vectors.length * (vectors[0]?.length ?? 0);
  const [only] = vectors;
  const whole = (): Uint8Array => {
    if (format === "base64" && base64 !== undefined) return base64Reply(base64, tail);
    if (format === "float" && only !== undefined && vectors.length === 1) return floatReply(only, tail);
    const pieces = vectors.map((vector, index) => embeddingJson(vector, index, format));
    return Buffer.from(`{"object":"list","data":[${pieces.join("")}${tail}`);
  };
  const body = numbers > NUMBERS_PER_CHUNK ? replyChunks(vectors, format, tail) : whole();
  return { status: 200, headers: { "content-type": JSON_TYPE, ...headers }, body };
}

/** The texts of a request, checked. Throws `invalid`. */
async function readInputs({ input }: EngineEmbeddingsRequest, { signal }: GatewayContext) {
  return typeof input === "string" ? [{ text: input }] : runInSlices(textsOf(input), signal);
}

async function embedInputs(
  ctx: GatewayContext,
  request: EngineEmbeddingsRequest,
  inputs: readonly EmbeddingInput[],
  { entry, requestedModel }: ResolvedModel,
): Promise<Outbound> {
  const embedded = await embedTexts(ctx, {
    entry,
    requestedModel,
    inputs,
    dimensions: request.dimensions ?? undefined,
    dimensionsField: "dimensions",
    endUser: request.user ?? null,
  });
  return renderEmbeddings(embedded, requestedModel, request.encoding_format ?? DEFAULT_ENCODING_FORMAT);
}

/**
 * `POST /v1/embeddings`. The reply is written after the call is settled. Limits: 2,048 inputs, 8,192 tokens each (by
 * model), 300,000 tokens in all.
 */
export async function createEmbeddings(ctx: GatewayContext, body: unknown): Promise<Outbound> {
  const request = readEmbeddingsRequest(body);
  const inputs = await readInputs(request, ctx);
  const entry = await resolveModel(ctx, request.model, "embeddings");
  return embedInputs(ctx, request, inputs, { entry, requestedModel: request.model });
}

/** `POST /v1/engines/{model}/embeddings`; otherwise as `createEmbeddings`. */
export async function createEngineEmbeddings(
  ctx: GatewayContext,
  body: unknown,
  modelInPath: string,
): Promise<Outbound> {
  const request = checkFields(EngineEmbeddingsRequest, body);
  const inputs = await readInputs(request, ctx);
  return embedInputs(ctx, request, inputs, await modelOfPath(ctx, modelInPath, request.model));
}
