import type { InjectedFailure } from "./injected-failure";
import { json, parts, type Reply, stream, usageNumber } from "./reply";
import { tokensOf, tonePcm, vectorOf, wavFile } from "./sounds";

type Body = Record<string, unknown>;

const OPENAI_VOICE_LIST = ["af_kore", "am_puck", "af_nova", "am_adam", "bf_emma", "zf_xiaobei"];

/** `https://platform.openai.com/docs/api-reference/errors`. */
export function openAiError(status: number, message: string, code: string | null = null): Reply {
  const type = status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error";
  return json(status, { error: { message, type, param: null, code } });
}

export function openAiSpeech(body: Body, failure: InjectedFailure | null): Reply {
  if (failure?.kind === "only-wav" && body.response_format !== "wav")
    return openAiError(400, "response_format must be one of [wav]");
  const text = String(body.input);
  const rate = failure?.kind === "rate" || failure?.kind === "wav" ? failure.n || 24_000 : 24_000;
  const spoken = tonePcm(text, String(body.voice), rate, typeof body.speed === "number" ? body.speed : 1);
  const pcm = failure?.kind === "short-audio" ? spoken.subarray(0, failure.n) : spoken;
  const tokens = tokensOf(text);
  const isSilent = failure?.kind === "silent-symbols" && !/\p{L}/u.test(text);
  if (failure?.kind === "no-audio" || isSilent) return stream("audio/pcm", [], tokens);
  if (failure?.kind === "mp3")
    return stream("audio/mpeg", [Buffer.from("ID3garbage of a packed file")], tokens);
  if (body.stream_format === "sse") return speechEvents(pcm, tokens, failure);
  if (body.response_format === "wav" || failure?.kind === "wav" || failure?.kind === "wav-endless") {
    const file = wavFile(pcm, rate, failure?.kind === "wav-endless");
    return stream("audio/wav", parts(file, 4_801), tokens);
  }
  const rawType = failure?.kind === "labelled-mpeg" ? "audio/mpeg" : "audio/pcm";
  const type = failure?.kind === "rate" ? `audio/pcm;rate=${rate}` : rawType;
  // An odd size, so that samples are split between chunks as on a network.
  return stream(type, parts(pcm, 4_801), tokens);
}

function speechEvents(pcm: Buffer, tokens: number, failure: InjectedFailure | null): Reply {
  const frame = (value: object) => Buffer.from(`event: x\ndata: ${JSON.stringify(value)}\n\n`);
  const deltas = parts(pcm, 4_801).map((bytes) =>
    frame({ type: "speech.audio.delta", audio: bytes.toString("base64") }),
  );
  const usage = {
    input_tokens: usageNumber(failure?.kind ?? "", tokens),
    output_tokens: usageNumber(failure?.kind ?? "", Math.ceil(pcm.length / 1_920)),
    total_tokens: 0,
  };
  const done = frame({ type: "speech.audio.done", usage });
  return stream("text/event-stream", [...deltas, done], tokens);
}

/** The refusal of a value that the caller did not choose, in the words of a compatible server. */
function refusedValue(body: Body, texts: number, failure: InjectedFailure | null): Reply | null {
  const { kind, n } = failure ?? { kind: "", n: 0 };
  if (kind === "max-texts" && texts > n)
    return json(422, {
      message: `batch size ${texts} > maximum allowed batch size ${n}`,
      type: "Validation",
    });
  if (kind === "only-floats" && body.encoding_format === "base64")
    return json(400, { object: "error", message: "base64 encoding is not currently supported", code: 400 });
  if (kind === "no-user" && body.user !== undefined) {
    const detail = [
      { type: "extra_forbidden", loc: ["body", "user"], msg: "Extra inputs are not permitted" },
    ];
    return json(422, { object: "error", message: { detail }, type: "invalid_request_error" });
  }
  return null;
}

/** `base` ends with the vector's size (`embed.768`). */
export function openAiEmbeddings(base: string, body: Body, failure: InjectedFailure | null): Reply {
  const input = Array.isArray(body.input) ? body.input.map(String) : [String(body.input)];
  const refusal = refusedValue(body, input.length, failure);
  if (refusal !== null) return refusal;
  const asked = typeof body.dimensions === "number" ? body.dimensions : undefined;
  const own = Number(base.split(".")[1] ?? 256);
  const size =
    failure?.kind === "wrong-size"
      ? failure.n
      : failure?.kind === "ignores-dimensions"
        ? own
        : (asked ?? own);
  const isBase64 = (body.encoding_format === "base64") !== (failure?.kind === "swapped");
  const data = input.map((text, index) => {
    const scale = failure?.kind === "scaled" ? failure.n : 1;
    const vector = vectorOf(text, size).map((number) => number * scale);
    if (failure?.kind === "nan") vector[1] = Number.NaN;
    const floats: unknown[] = [...vector];
    if (failure?.kind === "null-number") floats[1] = null;
    const asText = Buffer.from(vector.buffer).toString("base64");
    const isText = isBase64 && failure?.kind !== "null-number";
    return { object: "embedding", index, embedding: isText ? asText : floats };
  });
  if (failure?.kind === "wrong-count") data.pop();
  if (failure?.kind === "reversed") data.reverse();
  if (failure?.kind === "same-index") for (const one of data) one.index = 0;
  // Google's OpenAI-compatible endpoint omits the index 0.
  if (failure?.kind === "no-first-index") Reflect.deleteProperty(data[0] ?? {}, "index");
  const tokens = input.reduce((sum, text) => sum + tokensOf(text), 0);
  const reported = usageNumber(failure?.kind ?? "", tokens);
  return json(
    200,
    { object: "list", data, model: body.model, usage: { prompt_tokens: reported, total_tokens: reported } },
    tokens,
  );
}

/** Models as LiteLLM lists them, with modes. */
const LITELLM_MODELS = [
  { id: "search-v2", object: "model", owned_by: "openai", mode: "embedding", max_input_tokens: 2048 },
  { id: "narrator", object: "model", owned_by: "openai", mode: "audio_speech" },
  { id: "bge-reranker", object: "model", owned_by: "openai", mode: "rerank" },
  { id: "house-tts", object: "model", owned_by: "openai" },
];

export function openAiLists(path: string): Reply | null {
  if (path === "/litellm/v1/models") return json(200, { object: "list", data: LITELLM_MODELS });
  if (path.endsWith("/models")) {
    return json(200, {
      object: "list",
      data: ["kokoro", "nomic-embed-text", "llama3"].map((id) => ({
        id,
        object: "model",
        owned_by: "library",
      })),
    });
  }
  return path.endsWith("/audio/voices") ? json(200, { voices: OPENAI_VOICE_LIST }) : null;
}
