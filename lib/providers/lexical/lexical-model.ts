import { AppError } from "../../errors";
import type { EmbeddingModel } from "../../ports/embedding-model";
import type { CallOptions } from "../../ports/speech-model";
import { addText, embedText } from "./embed-text";
import { DIMENSIONS, unitVector } from "./sketch";

/** The event loop gets its turn after this long. */
const SLICE_MS = 5;

/** Texts above so many UTF-16 code units are embedded in steps. */
const LONG_TEXT = 8_192;

interface Turns {
  /** Lets others run when the slice is over; throws `caller_left` when nobody waits any more. */
  maybe(): Promise<void> | undefined;
}

function createTurns(options: CallOptions): Turns {
  let began = performance.now();
  const pause = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    if (options.signal.aborted) throw new AppError("caller_left", "The caller left.");
    began = performance.now();
  };
  return { maybe: () => (performance.now() - began < SLICE_MS ? undefined : pause()) };
}

async function embedLongText(text: string, dimensions: number, turns: Turns): Promise<Float32Array> {
  // Sums of its own: other calls run between the steps.
  const sums = new Float64Array(DIMENSIONS);
  for (const _ of addText(text, sums)) await turns.maybe();
  return unitVector(sums, dimensions);
}

/**
 * The embedded embedding engine: deterministic, multilingual and lexical. It knows words, their spelling and their
 * neighbours, so it finds texts that say the same with the same or related words (inflected forms, accents, typing
 * errors). It knows no meanings: synonyms and translations are strangers to it, and negation hardly moves a vector.
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
      const turns = createTurns(options);
      const vectors: Float32Array[] = [];
      for (const text of request.texts) {
        vectors.push(
          text.length > LONG_TEXT
            ? await embedLongText(text, dimensions, turns)
            : embedText(text, dimensions, shared),
        );
        await turns.maybe();
      }
      return { vectors, inputTokens: null };
    },
  };
}
