import type { EmbeddingModel, EmbeddingRequest, EmbeddingResult } from "../../ports/embedding-model";
import type { CallOptions } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { invalidAnswer } from "../outbound/failure";
import { asCount, asFields, asList, type Fields } from "../outbound/json";
import { fitVectors, inBatches } from "../upstream/embeddings";
import { maxEmbeddingBytes, type UpstreamSettings } from "../upstream/provider";
import { readVectors } from "../upstream/read-vectors";
import { GEMINI_OPTIONS, geminiBase, keyHeaders, methodPath, resourceOf } from "./options";
import { readGeminiRefusal } from "./refusal";

/** Google's limit of requests in one batch. */
const MAX_TEXTS = 100;

/** `:embedContent` for one text, `:batchEmbedContents` for more. */
export function geminiEmbedding(settings: UpstreamSettings, channel: ChannelRecord): EmbeddingModel {
  return {
    async embed(request, options) {
      const { dimensions, max_batch } = GEMINI_OPTIONS.of(channel);
      const result = await inBatches(
        request.texts,
        max_batch ?? MAX_TEXTS,
        options,
        (texts, batchOptions) =>
          callBatch(settings, channel, { ...request, texts: [...texts] }, batchOptions),
        readReply,
      );
      const vectors = fitVectors(result.vectors, request.dimensions, dimensions === "shorten");
      return { ...result, vectors };
    },
  };
}

/** Sends one batch; returns the body of its reply. */
async function callBatch(
  { client, decryptKey }: UpstreamSettings,
  channel: ChannelRecord,
  request: EmbeddingRequest,
  options: CallOptions,
): Promise<Uint8Array> {
  const settings = GEMINI_OPTIONS.of(channel);
  const key = decryptKey(channel);
  const dimensions = settings.dimensions === "shorten" ? undefined : request.dimensions;
  const requests = request.texts.map((text) => ({
    model: resourceOf(request.model),
    content: { parts: [{ text }] },
    taskType: request.taskType,
    outputDimensionality: dimensions,
  }));
  const [only] = requests;
  const isSingle = requests.length === 1;
  return await client.callWhole({
    channel,
    baseUrl: geminiBase(channel),
    method: "POST",
    path: methodPath(request.model, isSingle ? "embedContent" : "batchEmbedContents"),
    headers: { accept: "application/json", ...keyHeaders(key) },
    body: isSingle ? only : { requests },
    maxBytes: maxEmbeddingBytes(requests.length, dimensions),
    readRefusal: readGeminiRefusal,
    key,
    ca: settings.ca,
    options,
  });
}

/** Reads a reply in steps. Throws `upstream_invalid`. */
function* readReply(bytes: Uint8Array, expected: number): Generator<void, EmbeddingResult, void> {
  const { answer, vectors } = yield* readVectors(bytes, '"values":', (parsed) => vectorsOf(parsed, expected));
  return { vectors, inputTokens: tokensOf(asFields(answer)) };
}

/** The reply to a call with one text has `embedding`, any other `embeddings`. */
function vectorsOf(answer: unknown, expected: number): unknown[] {
  const body = asFields(answer);
  const embeddings =
    expected === 1 && body?.embedding !== undefined ? [body.embedding] : asList(body?.embeddings);
  if (embeddings.length !== expected)
    throw invalidAnswer(`${embeddings.length} vectors for ${expected} texts`);
  return embeddings.map((embedding) => asFields(embedding)?.values);
}

function tokensOf(answer: Fields | null): number | null {
  const usage = asFields(answer?.usageMetadata);
  return asCount(usage?.promptTokenCount) ?? asCount(usage?.totalTokenCount);
}
