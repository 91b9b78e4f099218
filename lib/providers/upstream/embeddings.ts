import { type EmbeddingResult, isFiniteVector } from "../../ports/embedding-model";
import { runInSlices } from "../../ports/run-in-slices";
import type { CallOptions } from "../../ports/speech-model";
import { StopSource, stopReason } from "../../ports/stop-signal";
import { invalidAnswer } from "../outbound/failure";
import { decodedBase64Length } from "../outbound/json";

/** Concurrent upstream calls of one request. */
const CONCURRENCY = 4;

/** The texts of one upstream call, and the body of its reply. */
interface BatchReply {
  texts: readonly string[];
  bytes: Uint8Array;
}

/**
 * Embeds texts in as many calls as the upstream's limit requires, a few at once; the first failure aborts the others.
 * `call` returns the body of a reply; once all replies are complete, `read` parses them in steps. Token counts add up;
 * one reply without a count makes the sum unknown.
 */
export async function inBatches(
  texts: readonly string[],
  maxTexts: number,
  options: CallOptions,
  call: (texts: readonly string[], options: CallOptions) => Promise<Uint8Array>,
  read: (bytes: Uint8Array, expected: number) => Generator<void, EmbeddingResult, void>,
): Promise<EmbeddingResult> {
  const replies =
    texts.length <= maxTexts
      ? [{ texts, bytes: await call(texts, options) }]
      : await callAll(texts, maxTexts, options, call);
  options.onReplied?.();
  return runInSlices(readAll(replies, read), new StopSource());
}

async function callAll(
  texts: readonly string[],
  maxTexts: number,
  options: CallOptions,
  call: (texts: readonly string[], options: CallOptions) => Promise<Uint8Array>,
): Promise<BatchReply[]> {
  const batches: (readonly string[])[] = [];
  for (let at = 0; at < texts.length; at += maxTexts) batches.push(texts.slice(at, at + maxTexts));
  if (options.signal.aborted) throw stopReason(options.signal);
  const signal = new StopSource();
  const stop = (): void => signal.abort(stopReason(options.signal));
  options.signal.addEventListener("abort", stop, { once: true });
  const replies = new Array<BatchReply>(batches.length);
  const queue = batches.entries();

  const work = async (): Promise<void> => {
    for (const [at, batch] of queue) {
      replies[at] = { texts: batch, bytes: await call(batch, { ...options, signal }) };
      for (const index of batch.keys()) options.progress?.repliedTexts.add(at * maxTexts + index);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, batches.length) }, work));
  } catch (error) {
    signal.abort(error);
    throw error;
  } finally {
    options.signal.removeEventListener("abort", stop);
  }
  return replies;
}

function* readAll(
  replies: readonly BatchReply[],
  read: (bytes: Uint8Array, expected: number) => Generator<void, EmbeddingResult, void>,
): Generator<void, EmbeddingResult, void> {
  const results: EmbeddingResult[] = [];
  for (const { texts, bytes } of replies) results.push(yield* read(bytes, texts.length));
  const [only] = results;
  if (only !== undefined && results.length === 1) return only;
  return {
    vectors: results.flatMap(({ vectors }) => vectors),
    inputTokens: results.reduce<number | null>(
      (sum, { inputTokens }) => (sum === null || inputTokens === null ? null : sum + inputTokens),
      0,
    ),
  };
}

/**
 * Reads a vector as upstreams send it, numbers or base64 of little-endian float32, independent of which was requested.
 * Throws `upstream_invalid`.
 */
export function readVector(value: unknown): Float32Array {
  if (typeof value === "string") return fromBase64(value);
  if (!Array.isArray(value)) throw invalidAnswer("without a vector");
  const vector = new Float32Array(value.length);
  for (let at = 0; at < value.length; at += 1) {
    const number: unknown = value[at];
    if (typeof number !== "number")
      throw invalidAnswer("with a vector that contains something other than numbers");
    vector[at] = number;
  }
  return checked(vector);
}

/**
 * Decodes into the vector's own memory. The decoder skips invalid characters, and then writes fewer bytes than the
 * length of the text implies.
 */
function fromBase64(text: string): Float32Array {
  const bytes = decodedBase64Length(text);
  if (bytes % 4 !== 0) throw invalidAnswer("with a vector whose last number is incomplete");
  const vector = new Float32Array(bytes / 4);
  if (Buffer.from(vector.buffer).write(text, "base64") !== bytes) throw invalidAnswer("with invalid base64");
  return checked(vector);
}

function checked(vector: Float32Array): Float32Array {
  if (vector.length === 0) throw invalidAnswer("with an empty vector");
  if (!isFiniteVector(vector)) throw invalidAnswer("with a vector that contains a number that is not finite");
  return vector;
}

/** How far from 1 a norm may be: float32 numbers are rounded. */
const NORM_TOLERANCE = 1e-3;

/** The vector divided by its Euclidean norm; one of norm 1 and a zero vector are returned unchanged. */
function normalised(vector: Float32Array): Float32Array {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] ?? 0) ** 2;
  const norm = Math.sqrt(sum);
  return norm === 0 || Math.abs(norm - 1) <= NORM_TOLERANCE ? vector : vector.map((number) => number / norm);
}

/**
 * The vectors of one reply at the requested length. Without `dimensions` they are forwarded unchanged, whatever their
 * norm; with it they are normalised, since Gemini and some servers shorten vectors without doing so. `shorten`: longer
 * vectors are cut here to their first numbers, as models trained for it allow (Matryoshka representation learning,
 * arXiv:2205.13147); otherwise a length other than `dimensions` is the upstream's error. Throws `upstream_invalid` with
 * both lengths.
 */
export function fitVectors(
  vectors: readonly Float32Array[],
  dimensions: number | undefined,
  shorten: boolean,
): Float32Array[] {
  const expected = dimensions ?? vectors[0]?.length ?? 0;
  return vectors.map((vector) => {
    if (vector.length === expected) return dimensions === undefined ? vector : normalised(vector);
    if (shorten && dimensions !== undefined && vector.length > expected)
      return normalised(vector.slice(0, expected));
    const where = dimensions === undefined ? `the first has ${expected}` : `${expected} were requested`;
    // An upstream that ignores `dimensions` still serves every request without it.
    const isCausedByRequest = dimensions !== undefined;
    throw invalidAnswer(`a vector of ${vector.length} numbers where ${where}`, undefined, {
      isCausedByRequest,
    });
  });
}

/**
 * Items sorted by their `index`; where it is absent, by their position: Google's OpenAI endpoint leaves out an index of
 * 0. Throws `upstream_invalid` for an index that is invalid or repeated.
 */
export function inOrder<T>(items: readonly { index: unknown; item: T }[]): T[] {
  const ordered = new Map<number, T>();
  for (const [position, { index, item }] of items.entries()) {
    const at = index ?? position;
    if (typeof at !== "number" || !Number.isInteger(at) || at < 0 || at >= items.length || ordered.has(at))
      throw invalidAnswer("with vectors whose 'index' is invalid or repeated");
    ordered.set(at, item);
  }
  return [...ordered.entries()].sort(([a], [b]) => a - b).map(([, item]) => item);
}
