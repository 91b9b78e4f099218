import type { EmbeddingModel, EmbeddingRequest, EmbeddingResult } from "../../ports/embedding-model";
import type { CallOptions } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { collect } from "../outbound/body";
import { invalidAnswer } from "../outbound/failure";
import { asCount, asFields, asList, parseJson } from "../outbound/json";
import { inBatches } from "../upstream/in-batches";
import { mostEmbeddingBytes, type UpstreamSettings } from "../upstream/settings";
import { fitVectors, inOrder, readVector } from "../upstream/vectors";
import { formOf } from "./options";
import { readOpenAiRefusal } from "./refusal";

/** OpenAI's limit of inputs in one call. */
const MOST_TEXTS = 2_048;

/** `POST /embeddings`. Base64 is requested, because parsing it costs a tenth; both forms are understood. */
export function openAiEmbedding(settings: UpstreamSettings, channel: ChannelRecord): EmbeddingModel {
  return {
    async embed(request, options) {
      const form = formOf(channel);
      const isShortenedHere = form.options.dimensions === "shorten";
      const result = await inBatches(
        request.texts,
        form.options.max_batch ?? MOST_TEXTS,
        options,
        (texts, batchOptions) =>
          embedBatch(settings, channel, { ...request, texts: [...texts] }, batchOptions),
      );
      return { ...result, vectors: fitVectors(result.vectors, request.dimensions, isShortenedHere) };
    },
  };
}

async function embedBatch(
  { outbound, keyOf }: UpstreamSettings,
  channel: ChannelRecord,
  { model, texts, dimensions, user }: EmbeddingRequest,
  options: CallOptions,
): Promise<EmbeddingResult> {
  const form = formOf(channel);
  const key = keyOf(channel);
  const isShortenedHere = form.options.dimensions === "shorten";
  const reply = await outbound.call({
    channel,
    baseUrl: form.baseUrl,
    method: "POST",
    path: form.path("/embeddings", model),
    headers: { accept: "application/json", ...form.headers(key) },
    // JSON.stringify leaves out undefined: no null is sent, which some servers reject.
    body: {
      model,
      input: texts,
      encoding_format: form.options.encoding_format ?? "base64",
      dimensions: isShortenedHere ? undefined : dimensions,
      user,
    },
    maxBytes: mostEmbeddingBytes(texts.length, isShortenedHere ? undefined : dimensions),
    readRefusal: readOpenAiRefusal,
    secrets: key === null ? [] : [key],
    ca: form.options.ca,
    options,
  });
  return readEmbeddings(parseJson(await collect(reply.body)), texts.length);
}

function readEmbeddings(answer: unknown, expected: number): EmbeddingResult {
  const body = asFields(answer);
  const items = asList(body?.data).map((item) => {
    const fields = asFields(item);
    return { index: fields?.index, item: fields?.embedding };
  });
  if (items.length !== expected) {
    throw invalidAnswer(`${items.length} vectors for ${expected} ${expected === 1 ? "text" : "texts"}`);
  }
  const usage = asFields(body?.usage);
  return {
    vectors: inOrder(items).map(readVector),
    inputTokens: asCount(usage?.prompt_tokens) ?? asCount(usage?.total_tokens),
  };
}
