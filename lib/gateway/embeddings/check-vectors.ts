import { AppError } from "../../errors";
import { type EmbeddingResult, isFiniteVector } from "../../ports/embedding-model";

function invalid(what: string): AppError {
  return new AppError("upstream_invalid", `The channel returned ${what}.`);
}

/**
 * Throws `upstream_invalid` unless there is one vector of the right length and finite numbers for each text. `asked`:
 * the requested length; `ofModel`: the model's length, null where it has several. Without both, all vectors must have
 * the same length.
 */
export function checkVectors(
  { vectors }: EmbeddingResult,
  texts: number,
  asked: number | undefined,
  ofModel: number | null,
): void {
  if (vectors.length !== texts) throw invalid(`${vectors.length} vectors for ${texts} texts`);
  const expected = asked ?? ofModel ?? vectors[0]?.length;
  for (const vector of vectors) {
    if (vector.length !== expected) {
      const subject = ofModel === null ? "the first" : "this model";
      const where = asked === undefined ? `${subject} has ${expected}` : `${asked} were requested`;
      throw invalid(`a vector of ${vector.length} numbers where ${where}`);
    }
    if (!isFiniteVector(vector)) throw invalid("a vector with a number that is not finite");
  }
}
