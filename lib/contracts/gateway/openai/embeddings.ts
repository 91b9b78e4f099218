import { z } from "zod";
import { MODEL_NAME } from "../../console/model-name";
import { EndUser } from "./end-user";

const MAX_INPUTS = 2_048;

/** Most tokens per request, over all inputs; a model accepts fewer per input. */
export const MAX_TOKENS_PER_REQUEST = 300_000;

/** One or several texts, as strings or as cl100k_base token IDs. */
export type EmbeddingsInput = string | string[] | number[] | number[][];

const isTokenId = (id: unknown): boolean => typeof id === "number" && Number.isSafeInteger(id) && id >= 0;

/** A validation error; `path`: the indices of the invalid element, empty when the whole input is invalid. */
interface InputError {
  path: number[];
  message: string;
}

const ofWhole = (message: string): InputError => ({ path: [], message });

/** The error of the first element that is not a token ID; null when all are. */
function tokenIdError(ids: readonly unknown[], path: number[]): InputError | null {
  const at = ids.findIndex((id) => !isTokenId(id));
  return at === -1 ? null : { path: [...path, at], message: "must be a token id (a whole number from 0)" };
}

/** The first error of a list of texts; null without one. */
function textsError(texts: readonly unknown[]): InputError | null {
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at];
    if (typeof text !== "string") return { path: [at], message: "must be a string, as the first element is" };
    if (text === "") return { path: [at], message: "must not be an empty string" };
  }
  return null;
}

/** The first error of a list of lists of token IDs; null without one. */
function tokenListsError(lists: readonly unknown[]): InputError | null {
  for (let at = 0; at < lists.length; at++) {
    const list = lists[at];
    if (!Array.isArray(list))
      return { path: [at], message: "must be a list of token ids, as the first element is" };
    if (list.length === 0) return { path: [at], message: "must not be an empty list" };
    const error = tokenIdError(list, [at]);
    if (error !== null) return error;
  }
  return null;
}

/** The validation error of an `input`; null when it is valid. Checks each element once, in linear time. */
function inputError(input: unknown): InputError | null {
  if (input === undefined) return ofWhole("is required");
  if (typeof input === "string") return input === "" ? ofWhole("must not be empty") : null;
  if (!Array.isArray(input)) return ofWhole("must be a string, an array of strings, or token ids");
  if (input.length === 0) return ofWhole("must not be empty");
  const [first] = input;
  if (typeof first === "number") return tokenIdError(input, []);
  if (input.length > MAX_INPUTS)
    return ofWhole(`has ${input.length} elements; at most ${MAX_INPUTS} are accepted`);
  if (typeof first === "string") return textsError(input);
  if (Array.isArray(first)) return tokenListsError(input);
  return ofWhole("must have strings or token ids");
}

/** IDs below cl100k_base's last special token that belong to no token. */
const UNASSIGNED_TOKEN_IDS = [100_256, ...Array.from({ length: 15 }, (_, index) => 100_261 + index)];
const tokenId = { type: "integer", minimum: 0, maximum: 100_276, not: { enum: UNASSIGNED_TOKEN_IDS } };
const tokenIds = { type: "array", minItems: 1, maxItems: MAX_TOKENS_PER_REQUEST, items: tokenId };

const Input = z
  .unknown()
  .superRefine((input, ctx) => {
    const error = inputError(input);
    if (error !== null) ctx.addIssue({ code: "custom", ...error });
  })
  // inputError accepts only these four forms.
  .transform((input) => input as EmbeddingsInput)
  .meta({
    description: "The text or texts to embed, or their cl100k_base token ids.",
    oneOf: [
      { type: "string", minLength: 1 },
      { type: "array", minItems: 1, maxItems: MAX_INPUTS, items: { type: "string", minLength: 1 } },
      tokenIds,
      { type: "array", minItems: 1, maxItems: MAX_INPUTS, items: tokenIds },
    ],
  });

const Model = z
  .string({ error: (issue) => (issue.input === undefined ? "is required" : "must be a string") })
  .min(1, "must name a model")
  .max(128, "must have at most 128 characters")
  .meta({ pattern: MODEL_NAME.source, examples: ["patchbay-embed-en"] });

export const DEFAULT_ENCODING_FORMAT = "float";

/** No embeddings model returns longer vectors. Bounded, since the size limit of an upstream's reply grows with it. */
export const MAX_DIMENSIONS = 16_384;

/** Body of `POST /v1/embeddings`; unknown fields are dropped. */
export const EmbeddingsRequest = z.object({
  model: Model,
  input: Input,
  encoding_format: z
    .enum(["float", "base64"], { error: "must be 'float' or 'base64'" })
    .nullish()
    .meta({ default: DEFAULT_ENCODING_FORMAT }),
  dimensions: z
    .int({ error: "must be a whole number" })
    .min(1, "must be 1 or more")
    .max(MAX_DIMENSIONS, `must be at most ${MAX_DIMENSIONS}`)
    .nullish()
    .meta({ description: "Absent: all dimensions of the model." }),
  user: EndUser.nullish(),
  stream: z
    .literal(false, { error: "is not supported: embeddings are not streamed" })
    .nullish()
    .meta({ default: false }),
});
export type EmbeddingsRequest = z.output<typeof EmbeddingsRequest>;

/**
 * Body of `POST /v1/engines/{model}/embeddings`. `model` is published as required: only with `PATCHBAY_LEGACY_ENGINES`
 * may it be given in the path alone.
 */
export const EngineEmbeddingsRequest = EmbeddingsRequest.extend({ model: Model.optional() }).meta({
  required: ["model", "input"],
});
export type EngineEmbeddingsRequest = z.output<typeof EngineEmbeddingsRequest>;

export const EmbeddingsReply = z.object({
  object: z.literal("list"),
  data: z.array(
    z.object({
      object: z.literal("embedding"),
      index: z.int(),
      embedding: z
        .union([z.array(z.number()), z.string()])
        .meta({ description: "Numbers, or base64 of little-endian 32-bit floats." }),
    }),
  ),
  model: z.string(),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
});
