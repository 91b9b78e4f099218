import { channelNameOf, GatewayError, postJson } from "./gateway-error";
import { modelPath } from "./speech-call";
import { bytesFromBase64 } from "./speech-pcm";

export type EncodingFormat = "float" | "base64";

export interface EmbeddingsCall {
  model: string;
  texts: readonly string[];
  /** Null: the model's native number of dimensions. */
  dimensions: number | null;
  format: EncodingFormat;
}

/** The role of a text in a retrieval, for models that embed queries and documents differently (Gemini's taskType). */
export type RetrievalTask = "RETRIEVAL_QUERY" | "RETRIEVAL_DOCUMENT";

export interface EmbeddingsReply {
  /** One vector per text, in order, all of the same length. */
  vectors: Float32Array<ArrayBuffer>[];
  inputTokens: number;
  channel: string | null;
  cache: string | null;
  requestId: string | null;
  elapsedMs: number;
  /** Size of the reply's body in bytes. */
  bytes: number;
}

/** Body of `POST /v1/embeddings`; a single text is sent as a string, several as an array. */
export function embeddingsBody(call: EmbeddingsCall): Record<string, unknown> {
  const [only] = call.texts;
  return {
    model: call.model,
    input: call.texts.length === 1 ? only : call.texts,
    encoding_format: call.format,
    ...(call.dimensions === null ? {} : { dimensions: call.dimensions }),
  };
}

/** Body of `POST /v1beta/models/{model}:batchEmbedContents`, the endpoint that takes a task type. */
function taskBody(call: EmbeddingsCall, taskType: RetrievalTask): Record<string, unknown> {
  const dimensions = call.dimensions === null ? {} : { outputDimensionality: call.dimensions };
  return {
    requests: call.texts.map((text) => ({ content: { parts: [{ text }] }, taskType, ...dimensions })),
  };
}

/** Decodes little-endian float32 from base64, on machines of either byte order. */
export function floatsFromBase64(base64: string): Float32Array<ArrayBuffer> {
  const bytes = bytesFromBase64(base64);
  const view = new DataView(bytes.buffer);
  const floats = new Float32Array(bytes.length >> 2);
  for (let at = 0; at < floats.length; at += 1) floats[at] = view.getFloat32(at * 4, true);
  return floats;
}

/** Encodes a vector as the API does for `encoding_format: "base64"`. */
export function base64FromFloats(vector: Float32Array): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [at, value] of vector.entries()) view.setFloat32(at * 4, value, true);
  return btoa(Array.from(new Uint8Array(view.buffer), (byte) => String.fromCharCode(byte)).join(""));
}

/** The bodies of both endpoints; every field is checked before it is used. */
interface ReplyBody {
  data?: { embedding?: unknown }[];
  usage?: { prompt_tokens?: unknown };
  embeddings?: { values?: unknown }[];
  usageMetadata?: { promptTokenCount?: unknown };
}

function readVectors(body: unknown, count: number): { vectors: Float32Array<ArrayBuffer>[]; tokens: number } {
  const { data, usage, embeddings, usageMetadata } = body as ReplyBody;
  const found = Array.isArray(data)
    ? data.map((one) => one.embedding)
    : Array.isArray(embeddings)
      ? embeddings.map((one) => one.values)
      : [];
  const vectors = found.map((embedding) =>
    typeof embedding === "string"
      ? floatsFromBase64(embedding)
      : Float32Array.from(Array.isArray(embedding) ? embedding : []),
  );
  const length = vectors[0]?.length ?? 0;
  const isComplete = vectors.length === count && length > 0 && vectors.every((one) => one.length === length);
  if (!isComplete) throw new TypeError("The reply holds no vector for some text.");
  const tokens = usage?.prompt_tokens ?? usageMetadata?.promptTokenCount;
  return { vectors, tokens: typeof tokens === "number" ? tokens : 0 };
}

/**
 * Calls `/v1/embeddings`; with a task, Gemini's `:batchEmbedContents`. Throws GatewayError, or AbortError when `signal`
 * is aborted.
 */
export async function embedTexts(
  call: EmbeddingsCall,
  options: {
    key: string;
    task?: RetrievalTask;
    signal?: AbortSignal;
    fetch?: typeof fetch;
    now?: () => number;
  },
): Promise<EmbeddingsReply> {
  const now = options.now ?? (() => performance.now());
  const startedAt = now();
  const { task } = options;
  const response = task
    ? await postJson(
        `/v1beta/models/${modelPath(call.model)}:batchEmbedContents`,
        taskBody(call, task),
        options,
      )
    : await postJson("/v1/embeddings", embeddingsBody(call), options);
  const requestId = response.headers.get("x-request-id");
  const text = await response.text();
  const elapsedMs = now() - startedAt;
  try {
    const { vectors, tokens } = readVectors(JSON.parse(text), call.texts.length);
    return {
      vectors,
      inputTokens: tokens,
      channel: channelNameOf(response),
      cache: response.headers.get("x-patchbay-cache"),
      requestId,
      elapsedMs,
      bytes: Number(response.headers.get("content-length")) || new Blob([text]).size,
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    throw new GatewayError(
      { message, status: 200, code: null, requestId, retryAfterMs: null, advice: "upstream" },
      error,
    );
  }
}
