import { isAscii } from "node:buffer";
import type { EmbeddingModel, EmbeddingRequest, EmbeddingResult } from "../../ports/embedding-model";
import type { CallOptions } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { invalidAnswer } from "../outbound/failure";
import { asCount, asFields, asList, parseJson } from "../outbound/json";
import { fitVectors, inBatches, inOrder, readVector } from "../upstream/embeddings";
import { maxEmbeddingBytes, type UpstreamSettings } from "../upstream/provider";
import { formOf } from "./options";
import { readOpenAiRefusal } from "./refusal";

/**
 * Parses a reply with one base64 vector without its longest part. The vector's text is most of such a reply: as a string
 * it would be copied, parsed, decoded and encoded again; as bytes it is decoded once and forwarded unchanged.
 * `parseJson` of the whole reply is the oracle of its test.
 */
interface CutReply {
  /** The parsed reply; `CUT` is where the text was. */
  answer: unknown;
  base64: Uint8Array;
}

const CUT = "\u0000 vector";
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BEFORE_VECTOR = Buffer.from('"embedding":');
const IN_PLACE = JSON.stringify(CUT);

/** Null when the reply has no such text, or is not plain JSON around it. */
function cutVector(bytes: Uint8Array): CutReply | null {
  const reply = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const key = reply.indexOf(BEFORE_VECTOR);
  if (key === -1) return null;
  let start = key + BEFORE_VECTOR.length;
  while (reply[start] === 0x20) start += 1;
  if (reply[start] !== QUOTE) return null;
  const end = reply.indexOf(QUOTE, start + 1);
  if (end === -1) return null;
  const base64 = reply.subarray(start + 1, end);
  // Some servers escape slashes; an escaped quote would end the text too early.
  if (base64.includes(BACKSLASH)) return null;
  const head = reply.subarray(0, start);
  const tail = reply.subarray(end + 1);
  if (!isAscii(head) || !isAscii(tail)) return null;
  try {
    const answer: unknown = JSON.parse(head.toString("latin1") + IN_PLACE + tail.toString("latin1"));
    return { answer, base64 };
  } catch {
    return null;
  }
}

/** OpenAI's limit of inputs in one call. */
const MAX_TEXTS = 2_048;

/** `POST /embeddings`. Base64 is requested, because parsing it costs a tenth; both forms are understood. */
export function openAiEmbedding(settings: UpstreamSettings, channel: ChannelRecord): EmbeddingModel {
  return {
    async embed(request, options) {
      const form = formOf(channel);
      const isShortenedHere = form.options.dimensions === "shorten";
      const result = await inBatches(
        request.texts,
        form.options.max_batch ?? MAX_TEXTS,
        options,
        (texts, batchOptions) => embedBatch(settings, channel, request, texts, batchOptions),
      );
      const vectors = fitVectors(result.vectors, request.dimensions, isShortenedHere);
      const { inputTokens, base64 } = result;
      const isUnchanged = base64 !== undefined && vectors[0] === result.vectors[0];
      return isUnchanged ? { vectors, inputTokens, base64 } : { vectors, inputTokens };
    },
  };
}

async function embedBatch(
  { outbound, keyOf }: UpstreamSettings,
  channel: ChannelRecord,
  { model, dimensions, user }: EmbeddingRequest,
  texts: readonly string[],
  options: CallOptions,
): Promise<EmbeddingResult> {
  const form = formOf(channel);
  const key = keyOf(channel);
  const isShortenedHere = form.options.dimensions === "shorten";
  const reply = await outbound.callWhole({
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
    maxBytes: maxEmbeddingBytes(texts.length, isShortenedHere ? undefined : dimensions),
    readRefusal: readOpenAiRefusal,
    secrets: key === null ? [] : [key],
    ca: form.options.ca,
    options,
  });
  return (texts.length === 1 ? readOne(reply.bytes) : null) ?? readAll(parseJson(reply.bytes), texts.length);
}

/** A reply with one base64 vector; null for any other, also an invalid one. */
export function readOne(bytes: Uint8Array): EmbeddingResult | null {
  const cut = cutVector(bytes);
  if (cut === null) return null;
  const { items, inputTokens } = itemsOf(cut.answer);
  if (items.length !== 1 || items[0]?.item !== CUT) return null;
  const text = Buffer.from(cut.base64.buffer, cut.base64.byteOffset, cut.base64.byteLength);
  const [vector] = inOrder(items).map(() => readVector(text.toString("latin1")));
  if (vector === undefined) return null;
  return { vectors: [vector], inputTokens, ...(isStandard(text, vector) ? { base64: text } : {}) };
}

/** Whether this is the only base64 text of the vector: no padding, and not the alphabet of URLs. */
function isStandard(text: Buffer, { byteLength }: Float32Array): boolean {
  return (
    byteLength % 3 === 0 && text.length === (byteLength / 3) * 4 && !text.includes("-") && !text.includes("_")
  );
}

interface Items {
  items: { index: unknown; item: unknown }[];
  inputTokens: number | null;
}

function itemsOf(answer: unknown): Items {
  const body = asFields(answer);
  const usage = asFields(body?.usage);
  const items = asList(body?.data).map((item) => {
    const fields = asFields(item);
    return { index: fields?.index, item: fields?.embedding };
  });
  return { items, inputTokens: asCount(usage?.prompt_tokens) ?? asCount(usage?.total_tokens) };
}

export function readAll(answer: unknown, expected: number): EmbeddingResult {
  const { items, inputTokens } = itemsOf(answer);
  if (items.length !== expected) {
    throw invalidAnswer(`${items.length} vectors for ${expected} ${expected === 1 ? "text" : "texts"}`);
  }
  return { vectors: inOrder(items).map(readVector), inputTokens };
}
