import { AppError } from "../../errors";
import type { EmbeddingModel } from "../../ports/embedding-model";
import { embedText } from "./embed-text";
import { DIMENSIONS } from "./sketch";

/** The event loop gets its turn after this long. */
const SLICE_MS = 5;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The embedded embedding engine: deterministic, multilingual and lexical. It knows words, their spelling and their
 * neighbours, so it finds texts that say the same with the same or related words (inflected forms, accents, typing
 * errors). It knows no meanings: synonyms and translations are strangers to it, and negation hardly moves a vector.
 * Vectors have 1,024 numbers and length 1; a shorter one is the prefix of the whole, normalised again.
 */
export function createLexicalModel(): EmbeddingModel {
  const sums = new Float64Array(DIMENSIONS);
  return {
    async embed(request, options) {
      const dimensions = request.dimensions ?? DIMENSIONS;
      if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > DIMENSIONS) {
        throw new AppError("invalid", `'dimensions' must be a whole number from 1 to ${DIMENSIONS}.`, {
          param: "dimensions",
        });
      }
      const vectors: Float32Array[] = [];
      let sliceBegan = performance.now();
      for (const text of request.texts) {
        vectors.push(embedText(text, dimensions, sums));
        if (performance.now() - sliceBegan < SLICE_MS) continue;
        await nextTurn();
        if (options.signal.aborted) throw new AppError("caller_left", "The caller left.");
        sliceBegan = performance.now();
      }
      return { vectors, inputTokens: null };
    },
  };
}
