import { GatewayError, postJson } from "./gateway-error";
import { bytesFromBase64 } from "./speech-pcm";

export type EncodingFormat = "float" | "base64";

export interface EmbeddingsCall {
  model: string;
  texts: readonly string[];
  /** Null: the model's native number of dimensions. */
  dimensions: number | null;
  format: EncodingFormat;
}

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

function readVectors(body: unknown, count: number): { vectors: Float32Array<ArrayBuffer>[]; tokens: number } {
  // Every field is checked below before it is used.
  const { data, usage } = body as { data?: { embedding?: unknown }[]; usage?: { prompt_tokens?: unknown } };
  const vectors = (Array.isArray(data) ? data : []).map(({ embedding }) =>
    typeof embedding === "string"
      ? floatsFromBase64(embedding)
      : Float32Array.from(Array.isArray(embedding) ? embedding : []),
  );
  const length = vectors[0]?.length ?? 0;
  const isComplete = vectors.length === count && length > 0 && vectors.every((one) => one.length === length);
  if (!isComplete) throw new TypeError("The reply holds no vector for some text.");
  return { vectors, tokens: typeof usage?.prompt_tokens === "number" ? usage.prompt_tokens : 0 };
}

/** Calls the public embeddings endpoint. Throws GatewayError, or AbortError when `signal` is aborted. */
export async function embedTexts(
  call: EmbeddingsCall,
  options: { key: string; signal?: AbortSignal; fetch?: typeof fetch; now?: () => number },
): Promise<EmbeddingsReply> {
  const now = options.now ?? (() => performance.now());
  const startedAt = now();
  const response = await postJson("/v1/embeddings", embeddingsBody(call), options);
  const requestId = response.headers.get("x-request-id");
  const text = await response.text();
  const elapsedMs = now() - startedAt;
  try {
    const { vectors, tokens } = readVectors(JSON.parse(text), call.texts.length);
    return {
      vectors,
      inputTokens: tokens,
      channel: response.headers.get("x-patchbay-channel"),
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
