import type { EmbeddingModel, EmbeddingRequest, EmbeddingResult } from "../../ports/embedding-model";
import type { CallOptions } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { invalidAnswer } from "../outbound/failure";
import { asCount, asFields, asList } from "../outbound/json";
import { fitVectors, inBatches, inOrder } from "../upstream/embeddings";
import { maxEmbeddingBytes, type UpstreamSettings } from "../upstream/provider";
import { readVectors } from "../upstream/read-vectors";
import { withAccepted } from "./chosen-values";
import { type ChosenValues, formOf } from "./options";
import { readOpenAiRefusal } from "./refusal";

/**
 * `POST /embeddings`. Base64 is requested, because parsing it takes a tenth of the time of numbers; both forms are
 * understood. A value that Patchbay chose and the upstream refuses is replaced.
 */
export function openAiEmbedding(settings: UpstreamSettings, channel: ChannelRecord): EmbeddingModel {
  return {
    async embed(request, options) {
      const form = formOf(channel);
      const isShortenedHere = form.options.dimensions === "shorten";
      const result = await withAccepted(form, request, (chosen) =>
        inBatches(
          request.texts,
          chosen.maxTexts,
          options,
          (texts, batchOptions) => callBatch(settings, channel, { ...request, texts }, chosen, batchOptions),
          readReply,
        ),
      );
      const vectors = fitVectors(result.vectors, request.dimensions, isShortenedHere);
      const { inputTokens, base64 } = result;
      const isUnchanged = base64 !== undefined && vectors[0] === result.vectors[0];
      return isUnchanged ? { vectors, inputTokens, base64 } : { vectors, inputTokens };
    },
  };
}

/** Sends one batch; returns the body of its reply. */
async function callBatch(
  { client, decryptKey }: UpstreamSettings,
  channel: ChannelRecord,
  { model, texts, dimensions, user }: Omit<EmbeddingRequest, "texts"> & { texts: readonly string[] },
  chosen: ChosenValues,
  options: CallOptions,
): Promise<Uint8Array> {
  const form = formOf(channel);
  const key = decryptKey(channel);
  const isShortenedHere = form.options.dimensions === "shorten";
  return await client.callWhole({
    channel,
    baseUrl: form.baseUrl,
    method: "POST",
    path: form.path("/embeddings", model),
    headers: { accept: "application/json", ...form.headers(key) },
    // JSON.stringify leaves out undefined: no null is sent, which some servers reject.
    body: {
      model,
      input: texts,
      encoding_format: chosen.encoding,
      dimensions: isShortenedHere ? undefined : dimensions,
      user: chosen.hasUser ? user : undefined,
    },
    maxBytes: maxEmbeddingBytes(texts.length, isShortenedHere ? undefined : dimensions),
    readRefusal: readOpenAiRefusal,
    key,
    ca: form.options.ca,
    options,
  });
}

/** Reads a reply in steps. Throws `upstream_invalid`. */
export function* readReply(bytes: Uint8Array, expected: number): Generator<void, EmbeddingResult, void> {
  const { answer, vectors, base64 } = yield* readVectors(bytes, '"embedding":', (parsed) =>
    vectorsOf(parsed, expected),
  );
  const usage = asFields(asFields(answer)?.usage);
  const inputTokens = asCount(usage?.prompt_tokens) ?? asCount(usage?.total_tokens);
  return base64 === undefined ? { vectors, inputTokens } : { vectors, inputTokens, base64 };
}

function vectorsOf(answer: unknown, expected: number): unknown[] {
  const items = asList(asFields(answer)?.data).map((item) => {
    const fields = asFields(item);
    return { index: fields?.index, item: fields?.embedding };
  });
  if (items.length !== expected) {
    throw invalidAnswer(`${items.length} vectors for ${expected} ${expected === 1 ? "text" : "texts"}`);
  }
  return inOrder(items);
}
