import { linesOf, MOST_TEXTS } from "@/components/embeddings/texts";
import type { EmbeddingsCall, EncodingFormat } from "@/lib/client/embeddings-call";

/** A text with a name of its own, so that rows keep theirs while others come and go. */
export interface DraftText {
  id: number;
  text: string;
}

/** What the visitor has set. */
export interface EmbeddingsDraft {
  texts: readonly DraftText[];
  /** Empty: the first model of the list. */
  model: string;
  /** As typed; null: the model's own length. */
  dimensions: number | null;
  format: EncodingFormat;
  query: string;
}

export const EMPTY_DRAFT: EmbeddingsDraft = {
  texts: [],
  model: "",
  dimensions: null,
  format: "float",
  query: "",
};

let lastId = 0;

export function draftTexts(texts: readonly string[]): DraftText[] {
  return texts.slice(0, MOST_TEXTS).map((text) => {
    lastId += 1;
    return { id: lastId, text };
  });
}

/** The example sets of the catalogue, in the order they are offered. */
export const EXAMPLES = ["support", "news", "spelling", "limits"] as const;
export type Example = (typeof EXAMPLES)[number];

export const textsOfExample = (lines: string): string[] => linesOf(lines);

/** What a link or this tab's storage says, laid over a draft. */
export function withState(
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
