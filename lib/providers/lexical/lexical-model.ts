import { AppError } from "../../errors";
import type { EmbeddingModel } from "../../ports/embedding-model";
import { runInSlices } from "../../ports/run-in-slices";
import { addText, embedText } from "./embed-text";
import { DIMENSIONS, unitVector } from "./sketch";

/** Texts above this many UTF-16 code units are embedded in steps. */
const MAX_SINGLE_STEP_LENGTH = 8_192;

/** Embeds texts in steps. `shared` holds the sums of a short text, which is embedded in a single step. */
function* embedInSteps(
  texts: readonly string[],
  dimensions: number,
  shared: Float64Array,
): Generator<void, Float32Array[], void> {
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    if (text.length > MAX_SINGLE_STEP_LENGTH) {
      // Separate sums, because other calls run between the steps.
      const sums = new Float64Array(DIMENSIONS);
      yield* addText(text, sums);
      vectors.push(unitVector(sums, dimensions));
    } else vectors.push(embedText(text, dimensions, shared));
    yield;
  }
  return vectors;
}

/**
 * The built-in embedding engine: deterministic, multilingual and lexical. It uses words, their spelling and their
 * neighbours, so it finds texts that say the same with the same or related words (inflected forms, accents, typing
 * errors). It knows no meanings: synonyms and translations are not similar, and negation hardly changes a vector.
 * Vectors have 1,024 numbers and length 1; a shorter one is the prefix of the whole, normalised again.
 */
export function createLexicalModel(): EmbeddingModel {
  const shared = new Float64Array(DIMENSIONS);
  return {
    async embed(request, options) {
      const dimensions = request.dimensions ?? DIMENSIONS;
      if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > DIMENSIONS) {
        throw new AppError("invalid", `'dimensions' must be a whole number from 1 to ${DIMENSIONS}.`, {
          param: "dimensions",
        });
      }
      const steps = embedInSteps(request.texts, dimensions, shared);
      return { vectors: await runInSlices(steps, options.signal), inputTokens: null };
    },
  };
}
