import { z } from "zod";
import { MODEL_NAME } from "../../console/model-name";
import { codePoints } from "../../text";

/** Inputs of one request at most. */
export const MAX_INPUTS = 2_048;

/** Tokens of one request at most, over all inputs; a model takes fewer in one. */
const MAX_TOKENS = 300_000;

/** Text, texts, token ids of one text, or of several (cl100k_base). */
export type EmbeddingsInput = string | string[] | number[] | number[][];

function isTokenIds(value: readonly unknown[]): boolean {
  return value.every((id) => typeof id === "number" && Number.isSafeInteger(id) && id >= 0);
}

/** What is wrong with an `input`; null when nothing is. Looks at each element once, so a bad list of many costs little. */
function faultOf(input: unknown): string | null {
  if (input === undefined) return "is required";
  if (typeof input === "string") return input === "" ? "must not be empty" : null;
  if (!Array.isArray(input)) return "must be a string, an array of strings, or token ids";
  if (input.length === 0) return "must not be empty";
  const [first] = input;
  if (typeof first === "number") {
    return isTokenIds(input) ? null : "must hold token ids (whole numbers from 0) alone, or strings alone";
  }
  if (input.length > MAX_INPUTS) return `has ${input.length} elements; at most ${MAX_INPUTS} are taken`;
  if (typeof first === "string") {
    if (!input.every((text) => typeof text === "string")) return "must hold strings alone";
    return input.includes("") ? "must not hold an empty string" : null;
  }
  if (Array.isArray(first)) {
    if (!input.every((list) => Array.isArray(list) && isTokenIds(list))) {
      return "must hold lists of token ids (whole numbers from 0) alone";
    }
    return input.some((list) => list.length === 0) ? "must not hold an empty list" : null;
  }
  return "must hold strings or token ids";
}

/** Ids below that of the last special token which stand for nothing. */
const GAPS = [100_256, ...Array.from({ length: 15 }, (_, index) => 100_261 + index)];
const tokenId = { type: "integer", minimum: 0, maximum: 100_276, not: { enum: GAPS } };
const tokenIds = { type: "array", minItems: 1, maxItems: MAX_TOKENS, items: tokenId };

const Input = z
  .unknown()
  .superRefine((input, ctx) => {
    const message = faultOf(input);
    if (message !== null) ctx.addIssue({ code: "custom", message });
  })
  // Nothing but these four forms has passed.
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
  .max(128, "is no model's name")
  .meta({ pattern: MODEL_NAME.source, examples: ["patchbay-embed"] });

/** Body of `POST /v1/embeddings`; unknown fields are dropped. */
export const EmbeddingsRequest = z.object({
  model: Model,
  input: Input,
  encoding_format: z.enum(["float", "base64"], { error: "must be 'float' or 'base64'" }).nullish(),
  dimensions: z.int({ error: "must be a whole number" }).min(1, "must be 1 or more").nullish(),
  user: z
    .string({ error: "must be a string" })
    .refine((user) => codePoints(user) <= 1_024, "may have at most 1,024 characters")
    .refine((user) => !user.includes("\0"), "must not hold a NUL")
    .meta({ maxLength: 1_024 })
    .nullish(),
  stream: z.literal(false, { error: "is not possible: embeddings are not streamed" }).nullish(),
});
export type EmbeddingsRequest = z.output<typeof EmbeddingsRequest>;

/**
 * Body of `POST /v1/engines/{model}/embeddings`. Published as required: only with `PATCHBAY_LEGACY_ENGINES` may the path
 * name the model alone.
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
