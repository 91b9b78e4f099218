import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { AppError, isOutOfFiles, outOfFiles } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { EmbeddingModel, TokenCounter } from "../../ports/embedding-model";
import { runInTurns } from "../../ports/run-in-turns";
import { SemanticPool, type SemanticPoolStats } from "./pool";
import { DIMENSIONS, LONGEST_SEGMENT, type Segment } from "./protocol";
import { PieceTokenizer, type Vocabulary } from "./tokenizer";

export interface SemanticModelOptions {
  /** The bundled semantic.worker.ts. */
  workerFile: URL;
  /** Folder of model.json, its weights and vocab.json. */
  modelFolder: string;
  clock: Pick<Clock, "monotonic">;
  /** Default: one less than the cores, 1 or 2. */
  maxWorkers?: number;
  /** Default: 45 s. */
  idleMs?: number;
  /** Default: 512. */
  mostOpen?: number;
}

export interface SemanticModel extends EmbeddingModel {
  tokens: TokenCounter;
  /** Stops the workers; running calls fail. */
  close(): Promise<void>;
  stats(): SemanticPoolStats;
}

/** Most tokens of a text, as for the built-in lexical model. */
export const SEMANTIC_INPUT_TOKENS = 8_192;
const BATCH_TIMEOUT_MS = 30_000;
/** UTF-16 code units in which the language of a text is detected. */
const OPENING = 400;
/** Texts that are named in a notice. */
const MOST_NAMED = 8;
/** A segment ends before the start of a word that is at most this many tokens back. */
const LONGEST_STEP_BACK = 16;

/** The segments of a text: one, or as few as possible of about the same length, divided between words. */
export function segmentsOf(
  ids: readonly number[],
  opening: string,
  startsWord: (id: number) => boolean,
): Segment[] {
  const segments: Segment[] = [];
  for (let from = 0; from < ids.length; ) {
    const left = ids.length - from;
    const size = Math.ceil(left / Math.ceil(left / LONGEST_SEGMENT));
    let end = from + size;
    if (size < left) {
      const earliest = Math.max(from + 1, end - LONGEST_STEP_BACK);
      let start = end;
      while (start > earliest && !startsWord(ids[start] ?? 0)) start--;
      if (startsWord(ids[start] ?? 0)) end = start;
    }
    segments.push({ ids: ids.slice(from, end), opening: from === 0 ? opening : null });
    from = end;
  }
  return segments;
}

/** The average of a text's vectors, weighted by their tokens, cut to `dimensions` and of length 1. */
function combine(
  parts: readonly { vector: Float32Array; tokens: number }[],
  dimensions: number,
): Float32Array {
  const sums = new Float64Array(dimensions);
  for (const { vector, tokens } of parts) {
    for (let at = 0; at < dimensions; at++) sums[at] = (sums[at] ?? 0) + (vector[at] ?? 0) * tokens;
  }
  const length = Math.sqrt(sums.reduce((sum, number) => sum + number * number, 0));
  return Float32Array.from(sums, (number) => (length === 0 ? 0 : number / length));
}

function tooLong(index: number, many: boolean): AppError {
  const which = many ? ` (input ${index})` : "";
  return new AppError(
    "invalid",
    `This model's maximum context length is ${SEMANTIC_INPUT_TOKENS} tokens${which}. Please shorten the input.`,
    { param: "input", apiCode: "context_length_exceeded" },
  );
}

/** ASCII, because it is sent as a header. */
function noticeOf(texts: readonly number[], many: boolean): string {
  const named = texts.slice(0, MOST_NAMED).join(", ");
  const others = texts.length > MOST_NAMED ? ` and ${texts.length - MOST_NAMED} more` : "";
  const which = many
    ? `Inputs that do not look like English: ${named}${others}.`
    : "The input does not look like English.";
  return `${which} This model knows English only; patchbay-embed takes any language.`;
}

/**
 * The built-in semantic embedding engine, for English: Universal Sentence Encoder Lite in worker threads, loaded on first
 * use. Vectors have 512 numbers and length 1; a shorter one is the prefix of the whole, normalised again. The model reads
 * 128 tokens, about 90 words; of a longer text it reads one part after the other, and the vector is their average.
 *
 * Limits: 512 calls at once, and calls that cannot be done by their deadline are refused at once (pool.ts).
 */
export function createSemanticModel(options: SemanticModelOptions): SemanticModel {
  const { modelFolder } = options;
  const pool = new SemanticPool({
    workerFile: options.workerFile,
    modelFolder,
    maxWorkers: options.maxWorkers ?? Math.max(1, Math.min(2, availableParallelism() - 1)),
    idleMs: options.idleMs ?? 45_000,
    batchTimeoutMs: BATCH_TIMEOUT_MS,
    mostOpen: options.mostOpen ?? 512,
    now: () => options.clock.monotonic(),
  });

  let loaded: PieceTokenizer | null = null;
  /** Read at first use: 220 KB, some 20 ms. */
  function tokenizer(): PieceTokenizer {
    if (loaded !== null) return loaded;
    try {
      // The package's own file, so its type is known.
      const text = readFileSync(path.join(modelFolder, "vocab.json"), "utf8");
      loaded = new PieceTokenizer(JSON.parse(text) as Vocabulary);
      return loaded;
    } catch (error) {
      if (isOutOfFiles(error)) throw outOfFiles(error);
      throw new AppError("upstream_error", "The built-in embedding engine failed.", {}, error);
    }
  }

  function* countInSteps(text: string, limit?: number): Generator<void, number, void> {
    return (yield* tokenizer().encode(text, limit)).ids.length;
  }

  /** The segments of all texts, and the text of each. */
  function* divide(
    texts: readonly string[],
  ): Generator<void, { segments: Segment[]; owners: number[] }, void> {
    const pieces = tokenizer();
    const segments: Segment[] = [];
    const owners: number[] = [];
    for (const [index, text] of texts.entries()) {
      const { ids } = yield* pieces.encode(text, SEMANTIC_INPUT_TOKENS);
      if (ids.length > SEMANTIC_INPUT_TOKENS) throw tooLong(index, texts.length > 1);
      for (const segment of segmentsOf(ids, text.slice(0, OPENING), (id) => pieces.startsWord(id))) {
        segments.push(segment);
        owners.push(index);
      }
      yield;
    }
    return { segments, owners };
  }

  return {
    tokens: { countInSteps },
    async embed({ texts, dimensions = DIMENSIONS }, call) {
      if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > DIMENSIONS) {
        throw new AppError("invalid", `'dimensions' must be a whole number from 1 to ${DIMENSIONS}.`, {
          param: "dimensions",
        });
      }
      const { segments, owners } = await runInTurns(divide(texts), call.signal);
      const { vectors, notEnglish } = await pool.embed(segments, call);
      const parts: { vector: Float32Array; tokens: number }[][] = texts.map(() => []);
      for (const [at, owner] of owners.entries()) {
        const [vector, segment] = [vectors[at], segments[at]];
        if (vector && segment) parts[owner]?.push({ vector, tokens: segment.ids.length });
      }
      const foreign = notEnglish.map((at) => owners[at] ?? 0).sort((a, b) => a - b);
      return {
        vectors: parts.map((own) => combine(own, dimensions)),
        inputTokens: null,
        ...(foreign.length > 0 ? { notice: noticeOf(foreign, texts.length > 1) } : {}),
      };
    },
    stats: () => pool.stats(),
    close: () => pool.close(),
  };
}
