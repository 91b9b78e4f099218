import type { Fault } from "./fault";
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

/** `google.rpc.Status`, as https://ai.google.dev/api writes it. */
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

export function geminiSpeech(sent: unknown, isStream: boolean, fault: Fault | null): Reply {
  // The tests' own requests.
  const body = sent as SpeechBody;
  const text = body.contents.flatMap((content) => content.parts.map((part) => part.text ?? "")).join("\n");
  const voice = body.generationConfig?.speechConfig?.voiceConfig;
  const rate = fault?.kind === "rate" ? fault.n : 24_000;
  const spoken = tonePcm(text, voice?.voice ?? voice?.prebuiltVoiceConfig?.voiceName ?? "", rate);
  const pcm = fault?.kind === "short-audio" ? spoken.subarray(0, fault.n) : spoken;
  const tokens = tokensOf(text);
  const usageMetadata = {
    promptTokenCount: usageNumber(fault?.kind ?? "", tokens),
    candidatesTokenCount: usageNumber(fault?.kind ?? "", Math.ceil(pcm.length / 1_920)),
  };
  const finish = { finishReason: "STOP", index: 0 };
  const mimeType = fault?.kind === "wav" ? "audio/wav" : `audio/L16;codec=pcm;rate=${rate}`;
  const blob = (bytes: Buffer) => ({
    content: { role: "model", parts: [{ inlineData: { mimeType, data: bytes.toString("base64") } }] },
  });
  const last = { usageMetadata, modelVersion: "loopback" };
  const none = { candidates: [{ finishReason: "OTHER", index: 0 }], ...last };
  if (!isStream) {
    if (fault?.kind === "no-candidates") return json(200, last, tokens);
    if (fault?.kind === "no-audio") return json(200, none, tokens);
    return json(
      200,
      {
        candidates: [{ ...blob(fault?.kind === "wav" ? wavFile(pcm, rate, false) : pcm), ...finish }],
        ...last,
      },
      tokens,
    );
  }
  const frame = (value: unknown) => Buffer.from(`data: ${JSON.stringify(value)}\r\n\r\n`);
  if (fault?.kind === "no-candidates") return stream("text/event-stream", [frame(last)], tokens);
  if (fault?.kind === "no-audio") return stream("text/event-stream", [frame(none)], tokens);
  const frameBytes = fault?.kind === "one-event" ? pcm.length : 4_800;
  const frames = parts(pcm, frameBytes).map((bytes) => frame({ candidates: [{ ...blob(bytes), index: 0 }] }));
  if (fault?.kind === "error-at-chunk") {
    frames.length = Math.min(frames.length, fault.n);
    frames.push(frame({ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }));
  } else {
    frames.push(frame({ candidates: [{ content: { parts: [{ text: "" }] }, ...finish }], ...last }));
  }
  return stream("text/event-stream", frames, tokens);
}

interface EmbedRequest {
  content: { parts: { text: string }[] };
  outputDimensionality?: number;
}

/** Shortened vectors are prefixes of the whole, not of length 1, as gemini-embedding-001 answers them. */
export function geminiEmbeddings(base: string, sent: unknown, isBatch: boolean, fault: Fault | null): Reply {
  // The tests' own requests.
  const requests = isBatch ? (sent as { requests: EmbedRequest[] }).requests : [sent as EmbedRequest];
  const own = Number(base.split(".")[1] ?? 256);
  const embeddings = requests.map(({ content, outputDimensionality }) => {
    const text = content.parts.map((part) => part.text).join("");
    const size =
      fault?.kind === "wrong-size"
        ? fault.n
        : fault?.kind === "ignores-dimensions"
          ? own
          : (outputDimensionality ?? own);
    const scale = fault?.kind === "scaled" ? fault.n : 1;
    const values: unknown[] = [...vectorOf(text, Math.max(own, size)).subarray(0, size)].map(
      (number) => number * scale,
    );
    if (fault?.kind === "null-number") values[1] = null;
    return { values };
  });
  if (fault?.kind === "wrong-count") embeddings.pop();
  const tokens = requests.reduce((sum, one) => sum + tokensOf(one.content.parts[0]?.text ?? ""), 0);
  const usage = { usageMetadata: { promptTokenCount: usageNumber(fault?.kind ?? "", tokens) } };
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
