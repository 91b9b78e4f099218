import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { AppError, isOutOfFiles, outOfFiles } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { EmbeddingModel, TokenCounter } from "../../ports/embedding-model";
import { runInSlices } from "../../ports/run-in-slices";
import { SemanticPool } from "./pool";
import { DIMENSIONS, MAX_SEGMENT_TOKENS, type Segment } from "./protocol";
import { PieceTokenizer, type Vocabulary } from "./tokenizer";

export interface SemanticModelOptions {
  /** The bundled semantic.worker.ts. */
  workerFile: URL;
  /** Folder of model.json, its weights and vocab.json. */
  modelFolder: string;
  clock: Pick<Clock, "monotonic">;
  /** Default: one less than the number of cores, but at least 1 and at most 2. */
  maxWorkers?: number;
  /** Default: 45 s. */
  idleMs?: number;
  /** Default: 684. */
  maxOpen?: number;
}

export interface SemanticModel extends EmbeddingModel {
  tokens: TokenCounter;
  /** Stops the workers; running calls fail. */
  close(): Promise<void>;
}

const BATCH_TIMEOUT_MS = 30_000;
/** Length of the start of a text from which its language is detected, in UTF-16 code units. */
const OPENING = 400;
/** Most inputs that a notice lists by number. */
const MAX_NAMED = 8;
/** A segment ends between words if a word starts among its last tokens, at most this many back. */
const MAX_STEP_BACK_TOKENS = 16;

/** The segments of a text: one, or as few as possible of about the same length, divided between words. */
export function splitIntoSegments(
  ids: readonly number[],
  opening: string,
  startsWord: (id: number) => boolean,
): Segment[] {
  const segments: Segment[] = [];
  for (let from = 0; from < ids.length; ) {
    const left = ids.length - from;
    const size = Math.ceil(left / Math.ceil(left / MAX_SEGMENT_TOKENS));
    let end = from + size;
    if (size < left) {
      const earliest = Math.max(from + 1, end - MAX_STEP_BACK_TOKENS);
      let start = end;
      while (start > earliest && !startsWord(ids[start] ?? 0)) start--;
      if (startsWord(ids[start] ?? 0)) end = start;
    }
    segments.push({ ids: ids.slice(from, end), opening: from === 0 ? opening : null });
    from = end;
  }
  return segments;
}

/** The segments of all texts, and for each segment the position of its text. */
interface Divided {
  segments: Segment[];
  textIndexes: number[];
}

function* divide(texts: readonly string[], pieces: PieceTokenizer): Generator<void, Divided, void> {
  const divided: Divided = { segments: [], textIndexes: [] };
  for (const [index, text] of texts.entries()) {
    const ids = yield* pieces.encode(text);
    for (const segment of splitIntoSegments(ids, text.slice(0, OPENING), (id) => pieces.startsWord(id))) {
      divided.segments.push(segment);
      divided.textIndexes.push(index);
    }
    yield;
  }
  return divided;
}

/**
 * The vector of each text: the average of its segments' vectors weighted by their tokens, cut to `dimensions` and
 * normalised to length 1.
 */
function combine(
  texts: number,
  { segments, textIndexes }: Divided,
  vectors: readonly Float32Array[],
  dimensions: number,
): Float32Array[] {
  const sums = Array.from({ length: texts }, () => new Float64Array(dimensions));
  for (const [at, { ids }] of segments.entries()) {
    const [sum, vector] = [sums[textIndexes[at] ?? 0], vectors[at]];
    if (sum === undefined || vector === undefined) continue;
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] ?? 0) + (vector[i] ?? 0) * ids.length;
  }
  return sums.map(normalise);
}

/** The vector scaled to length 1; a zero vector is unchanged. */
function normalise(vector: Float64Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  return Float32Array.from(vector, (number) => (length === 0 ? 0 : number / length));
}

function readTokenizer(modelFolder: string): PieceTokenizer {
  try {
    // The package's own file, so its type is known.
    const text = readFileSync(path.join(modelFolder, "vocab.json"), "utf8");
    return new PieceTokenizer(JSON.parse(text) as Vocabulary);
  } catch (error) {
    if (isOutOfFiles(error)) throw outOfFiles(error);
    throw new AppError("upstream_error", "The built-in embedding engine failed.", {}, error);
  }
}

/** ASCII, because it is sent as a header. */
function noticeOf(inputs: readonly number[], of: number): string {
  const named = inputs.slice(0, MAX_NAMED).join(", ");
  const others = inputs.length > MAX_NAMED ? ` and ${inputs.length - MAX_NAMED} more` : "";
  const which =
    of > 1
      ? `Inputs that do not look like English: ${named}${others}.`
      : "The input does not look like English.";
  return `${which} This model supports English only; patchbay-embed supports any language.`;
}

/**
 * The built-in semantic embedding engine, for English: Universal Sentence Encoder Lite in worker threads, loaded on
 * first use. Vectors have 512 numbers and length 1; a shorter one is the prefix of the whole, normalised again. The
 * model reads 128 tokens, about 90 words; a longer text is divided into segments, and its vector is the average of
 * theirs.
 *
 * Limits: 684 calls at once, 513 of one user, and calls that cannot finish by their deadline are refused at once
 * (pool.ts).
 */
export function createSemanticModel(options: SemanticModelOptions): SemanticModel {
  const { modelFolder } = options;
  const pool = new SemanticPool({
    workerFile: options.workerFile,
    modelFolder,
    maxWorkers: options.maxWorkers ?? Math.max(1, Math.min(2, availableParallelism() - 1)),
    idleMs: options.idleMs ?? 45_000,
    batchTimeoutMs: BATCH_TIMEOUT_MS,
    maxOpen: options.maxOpen ?? 684,
    now: () => options.clock.monotonic(),
  });

  let loaded: PieceTokenizer | null = null;
  /** The tokenizer, read at first use: 220 KB, some 20 ms. */
  const tokenizer = (): PieceTokenizer => {
    loaded ??= readTokenizer(modelFolder);
    return loaded;
  };

  return {
    tokens: {
      *countInSteps(text, limit) {
        return (yield* tokenizer().encode(text, limit)).length;
      },
    },
    async embed({ texts, dimensions = DIMENSIONS }, call) {
      if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > DIMENSIONS) {
        throw new AppError("invalid", `'dimensions' must be a whole number from 1 to ${DIMENSIONS}.`, {
          param: "dimensions",
        });
      }
      const divided = await runInSlices(divide(texts, tokenizer()), call.signal);
      const { vectors, notEnglish } = await pool.embed(divided.segments, call);
      const foreign = notEnglish.map((at) => divided.textIndexes[at] ?? 0).sort((a, b) => a - b);
      return {
        vectors: combine(texts.length, divided, vectors, dimensions),
        inputTokens: null,
        ...(foreign.length > 0 ? { notice: { texts: foreign, text: noticeOf } } : {}),
      };
    },
    close: () => pool.close(),
  };
}
