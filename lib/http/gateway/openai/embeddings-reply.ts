import type { EmbeddedTexts } from "../../../gateway/embeddings/embed-texts";
import type { Outbound } from "../../core/exchange";
import { JSON_TYPE } from "../../core/respond";
import { vectorJsonBytes, vectorToJson } from "../float-text";
import { vectorToBase64 } from "../vector-text";

/** Above this many numbers the reply is written in chunks, so that it does not delay other calls. */
const NUMBERS_PER_CHUNK = 32_768;
const BEFORE_VECTOR = Buffer.from('{"object":"list","data":[{"object":"embedding","index":0,"embedding":');
const BEFORE_TEXT = Buffer.concat([BEFORE_VECTOR, Buffer.from('"')]);

function piece(vector: Float32Array, index: number, format: "float" | "base64"): string {
  const embedding = format === "base64" ? `"${vectorToBase64(vector)}"` : vectorToJson(vector);
  return `${index === 0 ? "" : ","}{"object":"embedding","index":${index},"embedding":${embedding}}`;
}

async function* inChunks(
  vectors: readonly Float32Array[],
  format: "float" | "base64",
  tail: string,
): AsyncGenerator<Uint8Array> {
  let text = '{"object":"list","data":[';
  let numbers = 0;
  for (const [index, vector] of vectors.entries()) {
    text += piece(vector, index, format);
    numbers += vector.length;
    if (numbers < NUMBERS_PER_CHUNK) continue;
    yield Buffer.from(text);
    await new Promise((resolve) => setImmediate(resolve));
    text = "";
    numbers = 0;
  }
  yield Buffer.from(text + tail);
}

/** The whole reply with one vector whose base64 text exists already. */
function withText(base64: Uint8Array, tail: string): Uint8Array {
  return Buffer.concat([BEFORE_TEXT, base64, Buffer.from(`"}${tail}`)]);
}

/** The whole reply with one vector as numbers, which are written as bytes: a string would be copied three times. */
function withNumbers(vector: Float32Array, tail: string): Uint8Array {
  return Buffer.concat([BEFORE_VECTOR, vectorJsonBytes(vector), Buffer.from(`}${tail}`)]);
}

/** OpenAI's list of embeddings; `model`: the name as requested. */
export function renderEmbeddings(
  { vectors, base64, inputTokens, headers }: EmbeddedTexts,
  model: string,
  format: "float" | "base64",
): Outbound {
  const usage = `{"prompt_tokens":${inputTokens},"total_tokens":${inputTokens}}`;
  const tail = `],"model":${JSON.stringify(model)},"usage":${usage}}`;
  const numbers = vectors.length * (vectors[0]?.length ?? 0);
  const [only] = vectors;
  const whole = (): Uint8Array => {
    if (format === "base64" && base64 !== undefined) return withText(base64, tail);
    if (format === "float" && only !== undefined && vectors.length === 1) return withNumbers(only, tail);
    const pieces = vectors.map((vector, index) => piece(vector, index, format));
    return Buffer.from(`{"object":"list","data":[${pieces.join("")}${tail}`);
  };
  const body = numbers > NUMBERS_PER_CHUNK ? inChunks(vectors, format, tail) : whole();
  return { status: 200, headers: { "content-type": JSON_TYPE, ...headers }, body };
}
