import type { InjectedFailure } from "./injected-failure";
import { json, parts, type Reply, stream, usageNumber } from "./reply";
import { tokensOf, tonePcm, vectorOf, wavFile } from "./sounds";

interface SpeechBody {
  contents: { parts: { text?: string }[] }[];
  generationConfig?: {
    speechConfig?: { voiceConfig?: { voice?: string; prebuiltVoiceConfig?: { voiceName?: string } } };
  };
}

const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

/** `google.rpc.Status`, as documented at https://ai.google.dev/api. */
export function geminiError(status: number, message: string, details: unknown[] = []): Reply {
  return json(status, { error: { code: status, message, status: STATUS[status] ?? "UNKNOWN", details } });
}

export const BAD_KEY_DETAILS = [
  {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "API_KEY_INVALID",
    domain: "googleapis.com",
  },
];

export function geminiSpeech(sent: unknown, isStream: boolean, failure: InjectedFailure | null): Reply {
  // The tests know the shape of the requests that they cause.
  const body = sent as SpeechBody;
  const text = body.contents.flatMap((content) => content.parts.map((part) => part.text ?? "")).join("\n");
  const voice = body.generationConfig?.speechConfig?.voiceConfig;
  const rate = failure?.kind === "rate" ? failure.n : 24_000;
  const spoken = tonePcm(text, voice?.voice ?? voice?.prebuiltVoiceConfig?.voiceName ?? "", rate);
  const isCut = isStream && failure?.kind === "other-when-streamed";
  const pcm =
    failure?.kind === "short-audio"
      ? spoken.subarray(0, failure.n)
      : spoken.subarray(0, isCut ? 4_800 * 2 : undefined);
  const tokens = tokensOf(text);
  const usageMetadata = {
    promptTokenCount: usageNumber(failure?.kind ?? "", tokens),
    candidatesTokenCount: usageNumber(failure?.kind ?? "", Math.ceil(pcm.length / 1_920)),
  };
  const finish = { finishReason: isCut ? "OTHER" : finishReasonOf(failure?.kind), index: 0 };
  const mimeType = failure?.kind === "wav" ? "audio/wav" : `audio/L16;codec=pcm;rate=${rate}`;
  const blob = (bytes: Buffer) => ({
    content: { role: "model", parts: [{ inlineData: { mimeType, data: bytes.toString("base64") } }] },
  });
  const last = { usageMetadata, modelVersion: "loopback" };
  const none = withoutAudio(failure?.kind, last);
  const second = { ...blob(Buffer.alloc(pcm.length, 1)), finishReason: "SAFETY", index: 1 };
  const before = failure?.kind === "second-candidate" ? [second] : [];
  if (!isStream) {
    if (none !== null) return json(200, none, tokens);
    return json(
      200,
      {
        candidates: [
          ...before,
          { ...blob(failure?.kind === "wav" ? wavFile(pcm, rate, false) : pcm), ...finish },
        ],
        ...last,
      },
      tokens,
    );
  }
  const frame = (value: unknown) => Buffer.from(`data: ${JSON.stringify(value)}\r\n\r\n`);
  if (none !== null) return stream("text/event-stream", [frame(none)], tokens);
  const frameBytes = failure?.kind === "one-event" ? pcm.length : 4_800;
  const isUnspecified = failure?.kind === "unspecified-finish" || failure?.kind === "unspecified-cut";
  const unfinished = { index: 0, ...(isUnspecified ? { finishReason: "FINISH_REASON_UNSPECIFIED" } : {}) };
  const frames = parts(pcm, frameBytes).map((bytes) =>
    frame({ candidates: [{ ...blob(bytes), ...unfinished }] }),
  );
  if (failure?.kind === "error-at-chunk") {
    frames.length = Math.min(frames.length, failure.n);
    // Google appends an error as plain JSON.
    const error = { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" };
    frames.push(Buffer.from(`${JSON.stringify({ error }, null, 2)}\n`));
  } else if (failure?.kind !== "unspecified-cut") {
    frames.push(frame({ candidates: [{ content: { parts: [{ text: "" }] }, ...finish }], ...last }));
  }
  // Each message of a stream belongs to one candidate.
  frames.splice(1, 0, ...before.map((candidate) => frame({ candidates: [candidate] })));
  if (before.length > 0) frames.push(frame({ candidates: [{ finishReason: "SAFETY", index: 1 }], ...last }));
  return stream("text/event-stream", frames, tokens);
}

/** A finish reason that is not in Google's enum, with a key and an address that must not reach callers. */
const ODD_REASON = "STOP (sk-upstream-0123456789abcdef at http://10.0.0.7/v1)";

function finishReasonOf(kind: string | undefined): string {
  if (kind === "odd-reason") return ODD_REASON;
  if (kind === "lower-case-reason") return "stop";
  if (kind === "unknown-reason") return "length";
  return kind === "early-finish" ? "MAX_TOKENS" : "STOP";
}

/** The reply of these failures; null for one with audio. `last`: the fields of the last message. */
function withoutAudio(kind: string | undefined, last: object): object | null {
  switch (kind) {
    case "no-candidates":
      return last;
    case "no-audio":
      return { candidates: [{ finishReason: "OTHER", index: 0 }], ...last };
    case "odd-reason-no-audio":
      return { candidates: [{ finishReason: ODD_REASON, index: 0 }], ...last };
    case "max-tokens":
      return { candidates: [{ finishReason: "MAX_TOKENS", index: 0 }], ...last };
    case "refused-text":
      return { candidates: [{ finishReason: "PROHIBITED_CONTENT", index: 0 }], ...last };
    case "blocked-prompt":
      return { promptFeedback: { blockReason: "SAFETY" }, ...last };
    default:
      return null;
  }
}

interface EmbedRequest {
  content: { parts: { text: string }[] };
  outputDimensionality?: number;
}

/** Shortened vectors are prefixes of the whole, not of length 1, like those of gemini-embedding-001. */
export function geminiEmbeddings(
  base: string,
  sent: unknown,
  isBatch: boolean,
  failure: InjectedFailure | null,
): Reply {
  // The tests know the shape of the requests that they cause.
  const requests = isBatch ? (sent as { requests: EmbedRequest[] }).requests : [sent as EmbedRequest];
  const own = Number(base.split(".")[1] ?? 256);
  const embeddings = requests.map(({ content, outputDimensionality }) => {
    const text = content.parts.map((part) => part.text).join("");
    const size =
      failure?.kind === "wrong-size"
        ? failure.n
        : failure?.kind === "ignores-dimensions"
          ? own
          : (outputDimensionality ?? own);
    const scale = failure?.kind === "scaled" ? failure.n : 1;
    const values: unknown[] = [...vectorOf(text, Math.max(own, size)).subarray(0, size)].map(
      (number) => number * scale,
    );
    if (failure?.kind === "null-number") values[1] = null;
    return { values };
  });
  if (failure?.kind === "wrong-count") embeddings.pop();
  const tokens = requests.reduce((sum, one) => sum + tokensOf(one.content.parts[0]?.text ?? ""), 0);
  const usage = { usageMetadata: { promptTokenCount: usageNumber(failure?.kind ?? "", tokens) } };
  return json(200, isBatch ? { embeddings, ...usage } : { embedding: embeddings[0], ...usage }, tokens);
}

export function geminiModels(token: string | null): Reply {
  const model = (name: string, ...methods: string[]) => ({
    name: `models/${name}`,
    supportedGenerationMethods: methods,
  });
  if (token === "second") {
    return json(200, { models: [model("gemini-embedding-001", "embedContent", "countTextTokens")] });
  }
  return json(200, {
    models: [
      model("gemini-2.5-flash-preview-tts", "generateContent", "countTokens"),
      model("gemini-3-pro", "generateContent"),
    ],
    nextPageToken: "second",
  });
}
