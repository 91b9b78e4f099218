import {
  channelNameOf,
  failureOfBody,
  GatewayError,
  postJson,
  truncatedStreamFailure,
} from "../../lib/client/gateway-error";
import { dialectOf, geminiBody, modelPath, openaiBody, type SpeechCall } from "../../lib/client/speech-call";
import { bytesFromBase64, SampleDecoder } from "../../lib/client/speech-pcm";

/** One server-sent event: its `event:` name, if any, and its joined `data:` lines. */
interface ServerEvent {
  event: string | null;
  data: string;
}

function parseBlock(block: string): ServerEvent | null {
  let event: string | null = null;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line.startsWith("event:")) event = line.slice(6).trim();
  }
  return data.length === 0 ? null : { event, data: data.join("\n") };
}

/**
 * Splits a body into server-sent events as they arrive. Chunks may end anywhere, also within a character. An
 * incomplete block at the end of the stream is dropped (WHATWG HTML, "Server-sent events", parsing an event stream).
 */
async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let isAtEnd = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        isAtEnd = true;
        return;
      }
      rest += decoder.decode(value, { stream: true });
      // A trailing carriage return may be half of a CRLF: leave it for the next chunk.
      const endsInReturn = rest.endsWith("\r");
      const text = (endsInReturn ? rest.slice(0, -1) : rest).replace(/\r\n?/g, "\n");
      const blocks = text.split("\n\n");
      rest = (blocks.pop() ?? "") + (endsInReturn ? "\r" : "");
      for (const block of blocks) {
        const parsed = parseBlock(block);
        if (parsed) yield parsed;
      }
    }
  } finally {
    // Leaving the loop early (stop, error) closes the connection, which also aborts the upstream request.
    if (!isAtEnd) await reader.cancel().catch(() => undefined);
  }
}

/** Events of a call in order: `open` once, `audio` any number of times, `end` once unless the stream breaks. */
export type SpeechStreamEvent =
  | {
      type: "open";
      channel: string | null;
      requestId: string | null;
      ignored: string | null;
      /** The audio comes from the gateway's cache. */
      isCached: boolean;
    }
  | { type: "audio"; samples: Int16Array<ArrayBuffer> }
  | { type: "end"; inputTokens: number | null; outputTokens: number | null };

interface StreamOptions {
  key: string;
  signal: AbortSignal;
  /** The ID of the request; without it the server makes one. */
  requestId?: string;
  /** Bypasses the gateway's cache, so that the audio is always generated. */
  isUncached?: boolean;
  fetch?: typeof fetch;
}

interface Frame {
  audio: string[];
  inputTokens: number | null;
  outputTokens: number | null;
  finishReason: string | null;
}

function field(value: unknown, ...path: (string | number)[]): unknown {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = Reflect.get(at, step);
  }
  return at;
}

const count = (value: unknown): number | null => (typeof value === "number" ? value : null);
const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

function geminiFrame(json: unknown): Frame {
  const parts = field(json, "candidates", 0, "content", "parts");
  const audio = (Array.isArray(parts) ? parts : []).flatMap(
    (part) => text(field(part, "inlineData", "data")) ?? [],
  );
  return {
    audio,
    inputTokens: count(field(json, "usageMetadata", "promptTokenCount")),
    outputTokens: count(field(json, "usageMetadata", "candidatesTokenCount")),
    finishReason: text(field(json, "candidates", 0, "finishReason")),
  };
}

function openaiFrame(json: unknown): Frame {
  const isDone = field(json, "type") === "speech.audio.done";
  const audio = text(field(json, "audio"));
  return {
    audio: audio === null ? [] : [audio],
    inputTokens: count(field(json, "usage", "input_tokens")),
    outputTokens: count(field(json, "usage", "output_tokens")),
    finishReason: isDone ? "STOP" : null,
  };
}

function parse(event: ServerEvent, requestId: string | null): unknown {
  let json: unknown;
  try {
    json = JSON.parse(event.data);
  } catch (error) {
    throw new GatewayError(truncatedStreamFailure(requestId), error);
  }
  const failure = failureOfBody(json, 502);
  if (failure) throw new GatewayError({ ...failure, requestId });
  return json;
}

/**
 * Calls the public speech endpoint and yields 24 kHz mono samples as they arrive. Throws GatewayError (rejected
 * request, in-band error, stream cut before its end, speech that the model ended early) and AbortError when `signal`
 * is aborted. Leaving the loop closes the connection.
 */
export async function* streamSpeech(
  call: SpeechCall,
  options: StreamOptions,
): AsyncGenerator<SpeechStreamEvent> {
  const isGemini = dialectOf(call) === "gemini";
  const response = await postJson(
    isGemini ? `/v1beta/models/${modelPath(call.model)}:streamGenerateContent?alt=sse` : "/v1/audio/speech",
    isGemini ? geminiBody(call) : { ...openaiBody(call, "pcm"), stream_format: "sse" },
    options,
  );
  const requestId = response.headers.get("x-request-id");
  yield {
    type: "open",
    channel: channelNameOf(response),
    requestId,
    ignored: response.headers.get("x-patchbay-ignored"),
    isCached: response.headers.get("x-patchbay-cache") === "hit",
  };
  if (!response.body) throw new GatewayError(truncatedStreamFailure(requestId));
  const sampleDecoder = new SampleDecoder();
  let finishReason: string | null = null;
  let usage = { inputTokens: null as number | null, outputTokens: null as number | null };
  try {
    for await (const event of serverEvents(response.body)) {
      const json = parse(event, requestId);
      const frame = isGemini ? geminiFrame(json) : openaiFrame(json);
      for (const base64 of frame.audio) {
        const samples = sampleDecoder.push(bytesFromBase64(base64));
        if (samples.length > 0) yield { type: "audio", samples };
      }
      usage = {
        inputTokens: frame.inputTokens ?? usage.inputTokens,
        outputTokens: frame.outputTokens ?? usage.outputTokens,
      };
      if (frame.finishReason !== null) {
        // Reads the body to its end: closing the connection now would be logged as a disconnected caller.
        finishReason = frame.finishReason;
        yield { type: "end", ...usage };
      }
    }
  } catch (error) {
    if (finishReason === null) {
      if (error instanceof GatewayError || options.signal.aborted) throw error;
      throw new GatewayError(truncatedStreamFailure(requestId), error);
    }
  }
  if (finishReason === "STOP") return;
  throw new GatewayError({ ...truncatedStreamFailure(requestId), code: finishReason });
}
