import { z } from "zod";
import { MODEL_NAME } from "../../console/model-name";
import { boundedText } from "../../text";
import { MAX_DIMENSIONS } from "../openai/embeddings";

/** Most requests in one batch. */
const MAX_BATCH = 2_048;

const Part = z.looseObject({ text: z.string({ error: "must be text: only text can be embedded" }) });

/** Gemini's `Content`, with text parts only. */
const TextContent = z.looseObject({
  role: z.string().optional(),
  parts: z.array(Part).min(1, "must have at least one part").max(10_000),
});

const settings = {
  taskType: boundedText(1, 64).optional(),
  title: z.string().optional(),
  outputDimensionality: z
    .int({ error: "must be a whole number" })
    .min(1, "must be 1 or more")
    .max(MAX_DIMENSIONS, `must be at most ${MAX_DIMENSIONS}`)
    .optional()
    .meta({ description: "Absent: all dimensions of the model." }),
};

/** Body of `:embedContent`; the Gemini adapter also accepts snake_case field names. */
export const EmbedContentRequest = z.object({
  /** Optional; must name the path's model. */
  model: z
    .string()
    .meta({ pattern: `^(?:models/)?${MODEL_NAME.source.slice(1)}`, examples: ["models/patchbay-embed-en"] })
    .optional(),
  content: TextContent.refine(({ parts }) => parts.some(({ text }) => text !== ""), "must not be empty").meta(
    {
      allOf: [
        {
          properties: {
            parts: {
              contains: { type: "object", required: ["text"], properties: { text: { minLength: 1 } } },
            },
          },
        },
      ],
    },
  ),
  ...settings,
  /** Newer clients send the settings here instead of beside `content`. */
  embedContentConfig: z.object({ ...settings, autoTruncate: z.boolean().optional() }).optional(),
});
export type EmbedContentRequest = z.output<typeof EmbedContentRequest>;

/** Body of `:batchEmbedContents`. */
export const BatchEmbedContentsRequest = z.object({
  requests: z
    .array(EmbedContentRequest)
    .min(1, "must have at least one request")
    .max(MAX_BATCH, `must have at most ${MAX_BATCH} requests`)
    .meta({ description: "All with the same taskType and outputDimensionality." }),
});

const Embedding = z.object({ values: z.array(z.number()) });
const UsageMetadata = z.object({ promptTokenCount: z.int(), totalTokenCount: z.int() });

export const EmbedContentReply = z.object({ embedding: Embedding, usageMetadata: UsageMetadata });
export const BatchEmbedContentsReply = z.object({
  embeddings: z.array(Embedding),
  usageMetadata: UsageMetadata,
});

/** Most characters in a `:countTokens`: far above any model's input limit. Counting more would delay other calls. */
export const MAX_COUNTED_CHARACTERS = 1_000_000;

const CountedContents = z
  .array(TextContent)
  .min(1, "must have at least one content")
  .max(10_000)
  .meta({ description: `At most ${MAX_COUNTED_CHARACTERS} characters of text in all.` });

/** Body of `:countTokens`: contents, or a whole request that includes them. */
export const CountTokensRequest = z
  .object({
    contents: CountedContents.optional(),
    generateContentRequest: z
      .looseObject({
        contents: CountedContents,
        systemInstruction: TextContent.optional(),
      })
      .optional(),
  })
  .meta({ exactlyOne: ["contents", "generateContentRequest"] })
  .superRefine(({ contents, generateContentRequest }, ctx) => {
    if (contents === undefined && generateContentRequest === undefined) {
      ctx.addIssue({ code: "custom", path: ["contents"], message: "is required" });
    } else if (contents !== undefined && generateContentRequest !== undefined) {
      ctx.addIssue({
        code: "custom",
        path: ["generateContentRequest"],
        message: "cannot be combined with contents: send one of them",
      });
    }
  });

export const CountTokensReply = z.object({
  totalTokens: z.int(),
  promptTokensDetails: z.array(z.object({ modality: z.literal("TEXT"), tokenCount: z.int() })),
});
