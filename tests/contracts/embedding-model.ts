import { describe, expect, test } from "vitest";
import type { EmbeddingModel } from "../../lib/ports/embedding-model";
import type { CallOptions } from "../../lib/ports/speech-model";

interface EmbeddingFixture {
  model: EmbeddingModel;
  /** The upstream's name of the model, and the length of its vectors. */
  name: string;
  dimensions: number;
}

const TEXTS = ["a cat sat", "ein Hund lief", "三只小猪", "a cat sat", " "];

function options(signal = new AbortController().signal): CallOptions {
  return { signal, requestId: "req-1", firstByteBy: performance.now() + 20_000 };
}

function lengthOf(vector: Float32Array | undefined): number {
  return Math.hypot(...(vector ?? []));
}

/** The contract of EmbeddingModel, for engines and upstreams. */
export function embeddingModelContract(name: string, open: () => Promise<EmbeddingFixture>): void {
  describe(`${name} as an embedding model`, () => {
    test("returns one unit vector per text, in order", async () => {
      const fixture = await open();
      const { vectors } = await fixture.model.embed({ model: fixture.name, texts: TEXTS }, options());
      expect(vectors.map((vector) => vector.length)).toEqual(TEXTS.map(() => fixture.dimensions));
      expect(vectors[3]).toEqual(vectors[0]);
      expect(vectors[1]).not.toEqual(vectors[0]);
      for (const vector of vectors.slice(0, 4)) expect(lengthOf(vector)).toBeCloseTo(1, 3);
    });

    test("returns the same vector for a text alone and in a batch", async () => {
      const fixture = await open();
      const batch = await fixture.model.embed({ model: fixture.name, texts: TEXTS }, options());
      for (const [i, text] of TEXTS.entries()) {
        const alone = await fixture.model.embed({ model: fixture.name, texts: [text] }, options());
        for (const [at, number] of (alone.vectors[0] ?? []).entries()) {
          expect(Math.abs(number - (batch.vectors[i]?.[at] ?? Number.NaN))).toBeLessThan(1e-6);
        }
      }
    });

    test("shortens to the requested length and normalises again", async () => {
      const fixture = await open();
      const { vectors } = await fixture.model.embed(
        { model: fixture.name, texts: TEXTS.slice(0, 2), dimensions: 64 },
        options(),
      );
      expect(vectors.map((vector) => vector.length)).toEqual([64, 64]);
      for (const vector of vectors) expect(lengthOf(vector)).toBeCloseTo(1, 3);
    });

    test("rejects the call of a caller who has left with caller_left", async () => {
      const fixture = await open();
      const texts = Array.from({ length: 3_000 }, (_, i) => `text number ${i} and some more words`);
      const work = fixture.model.embed({ model: fixture.name, texts }, options(AbortSignal.abort()));
      await expect(work).rejects.toMatchObject({ code: "caller_left" });
    });
  });
}
