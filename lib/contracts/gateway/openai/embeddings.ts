import { z } from "zod";
import { MODEL_NAME } from "../../console/model-name";
import { EndUser } from "./end-user";

/** Most inputs per request. */
const MAX_INPUTS = 2_048;

/** Most tokens per request, over all inputs; a model accepts fewer per input. */
const MAX_TOKENS = 300_000;

/** One or several texts, as strings or as cl100k_base token IDs. */
export type EmbeddingsInput = string | string[] | number[] | number[][];

function isTokenIds(value: readonly unknown[]): boolean {
  return value.every((id) => typeof id === "number" && Number.isSafeInteger(id) && id >= 0);
}

/** The validation error of an `input`; null when it is valid. Checks each element once, in linear time. */
function inputError(input: unknown): string | null {
  if (input === undefined) return "is required";
  if (typeof input === "string") return input === "" ? "must not be empty" : null;
  if (!Array.isArray(input)) return "must be a string, an array of strings, or token ids";
  if (input.length === 0) return "must not be empty";
  const [first] = input;
  if (typeof first === "number") {
    return isTokenIds(input) ? null : "must have only token ids (whole numbers from 0) or only strings";
  }
  if (input.length > MAX_INPUTS) return `has ${input.length} elements; at most ${MAX_INPUTS} are accepted`;
  if (typeof first === "string") {
    if (!input.every((text) => typeof text === "string")) return "must have only strings";
    return input.includes("") ? "must not have an empty string" : null;
  }
  if (Array.isArray(first)) {
    if (!input.every((list) => Array.isArray(list) && isTokenIds(list))) {
      return "must have only lists of token ids (whole numbers from 0)";
    }
    return input.some((list) => list.length === 0) ? "must not have an empty list" : null;
  }
  return "must have strings or token ids";
}

/** Unassigned IDs below the last special token. */
const UNASSIGNED_TOKEN_IDS = [100_256, ...Array.from({ length: 15 }, (_, index) => 100_261 + index)];
const tokenId = { type: "integer", minimum: 0, maximum: 100_276, not: { enum: UNASSIGNED_TOKEN_IDS } };
const tokenIds = { type: "array", minItems: 1, maxItems: MAX_TOKENS, items: tokenId };

const Input = z
  .unknown()
  .superRefine((input, ctx) => {
    const message = inputError(input);
    if (message !== null) ctx.addIssue({ code: "custom", message });
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

/** Body of `POST /v1/embeddings`; unknown fields are dropped. */
export const EmbeddingsRequest = z.object({
  model: Model,
  input: Input,
  encoding_format: z.enum(["float", "base64"], { error: "must be 'float' or 'base64'" }).nullish(),
  dimensions: z.int({ error: "must be a whole number" }).min(1, "must be 1 or more").nullish(),
  user: EndUser.nullish(),
  stream: z.literal(false, { error: "is not supported: embeddings are not streamed" }).nullish(),
});
export type EmbeddingsRequest = z.output<typeof EmbeddingsRequest>;

/**
 * Body of `POST /v1/engines/{model}/embeddings`. `model` is published as required: only with `PATCHBAY_LEGACY_ENGINES`
 * may it be given in the path alone.
 */
export const EngineEmbeddingsRequest = EmbeddingsRequest.extend({ model: Model.optional() }).meta({
  required: ["model", "input"],
});

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
export type EmbeddingsReply = z.output<typeof EmbeddingsReply>;
