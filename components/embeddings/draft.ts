import type { EmbeddingsCall, EncodingFormat } from "@/lib/client/embeddings-call";
import { MAX_TEXTS } from "./texts";

/** A text with a stable ID, used as React key while other rows are added and removed. */
export interface DraftText {
  id: number;
  text: string;
}

/** The visitor's input. */
export interface EmbeddingsDraft {
  texts: readonly DraftText[];
  /** Empty selects the first model of the list. */
  model: string;
  /** Null uses the model's default length. */
  dimensions: number | null;
  format: EncodingFormat;
  query: string;
}

let lastId = 0;

export function draftTexts(texts: readonly string[]): DraftText[] {
  return texts.slice(0, MAX_TEXTS).map((text) => {
    lastId += 1;
    return { id: lastId, text };
  });
}

/** Example sets in the message catalogue, in display order. */
export const EXAMPLES = ["paraphrases", "nearMisses", "negations", "search", "support", "news"] as const;
export type Example = (typeof EXAMPLES)[number];

/** A draft with the fields of a link or of the tab's storage applied. */
export function mergeIntoDraft(
  draft: EmbeddingsDraft,
  { texts, ...fields }: Partial<EmbeddingsCall> & { query?: string },
): EmbeddingsDraft {
  return { ...draft, ...fields, ...(texts ? { texts: draftTexts(texts) } : {}) };
}

/** True when the two would send the same call. */
export function isSameCall(one: EmbeddingsCall, other: EmbeddingsCall): boolean {
  return (
    one.model === other.model &&
    one.dimensions === other.dimensions &&
    one.format === other.format &&
    one.texts.length === other.texts.length &&
    one.texts.every((text, at) => text === other.texts[at])
  );
}
