import type { EmbeddingsCall, EncodingFormat } from "@/lib/client/embeddings-call";
import type { GatewayModel } from "@/lib/client/gateway-models";
import type { EmbeddingsLink } from "./link";
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

/** The initial draft of a page that has neither a link nor a stored draft. */
export const EMPTY_DRAFT: EmbeddingsDraft = {
  texts: [],
  model: "",
  dimensions: null,
  format: "float",
  query: "",
};

/**
 * Applies a link to the draft. A link with only a model changes just the model. Any other link describes a whole call:
 * settings that it leaves out get their defaults, while absent texts and an absent model are those of the draft.
 */
export function withLink(draft: EmbeddingsDraft, link: EmbeddingsLink): EmbeddingsDraft {
  const { texts, ...fields } = link;
  const isCall = Object.keys(link).some((field) => field !== "model");
  const before = isCall ? { ...EMPTY_DRAFT, texts: draft.texts, model: draft.model } : draft;
  return { ...before, ...fields, ...(texts ? { texts: draftTexts(texts) } : {}) };
}

/** Whether the vectors of a model cannot be shortened. */
export const hasFixedLength = (model: Pick<GatewayModel, "canShorten"> | undefined): boolean =>
  model !== undefined && !model.canShorten;

/** True when both calls would send the same request. */
export function isSameCall(one: EmbeddingsCall, other: EmbeddingsCall): boolean {
  return (
    one.model === other.model &&
    one.dimensions === other.dimensions &&
    one.format === other.format &&
    one.texts.length === other.texts.length &&
    one.texts.every((text, at) => text === other.texts[at])
  );
}
