import { forgetPlaygroundKey, withPlaygroundKey } from "../../../lib/client/playground-key";
import { bytesFromBase64, wavOf } from "../../../lib/client/speech-pcm";

export interface TryRequest {
  method: string;
  /** Path and query. */
  path: string;
  /** The JSON text to send; null for no body. */
  body: string | null;
  /** `playground`: a key valid for 15 minutes; `session`: the session cookie; otherwise the user's own key. */
  auth: "playground" | "session" | { key: string };
}

export interface TryReply {
  status: number;
  statusText: string;
  tookMs: number;
  headers: [string, string][];
  /** The body as shown: JSON indented, long base64 shortened; null if it is not text. */
  text: string | null;
  bytes: number;
  audio: Blob | null;
}

/** The words for what a shortened body leaves out, in the page's language. */
interface LengthTexts {
  characters(count: number): string;
  numbers(count: number): string;
}

const MAX_TEXT_LENGTH = 200_000;
const MAX_STRING_LENGTH = 240;

/** Shortens long strings, such as base64, and vectors, which would hide the rest of the body. */
function shorten(value: unknown, lengths: LengthTexts): unknown {
  if (typeof value === "string" && value.length > MAX_STRING_LENGTH)
    return `${value.slice(0, 120)}… ${lengths.characters(value.length)}`;
  if (Array.isArray(value) && value.length > 24 && value.every((one) => typeof one === "number"))
    return [...value.slice(0, 8), `… ${lengths.numbers(value.length)}`];
  return value;
}

function displayText(text: string, type: string, lengths: LengthTexts): string {
  const cut = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}\n…` : text;
  if (!type.includes("json")) return cut.replace(/[A-Za-z0-9+/=]{400,}/g, (run) => `${run.slice(0, 120)}…`);
  try {
    return JSON.stringify(JSON.parse(text), (_name, value) => shorten(value, lengths), 2);
  } catch {
    return cut;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Every audio `inlineData` of a Gemini response, at any depth. */
function inlineAudio(value: unknown): { mimeType: string; data: string }[] {
  if (!isRecord(value)) return [];
  const { mimeType, data } = value;
  if (typeof mimeType === "string" && mimeType.startsWith("audio/") && typeof data === "string")
    return [{ mimeType, data }];
  return Object.values(value).flatMap(inlineAudio);
}

function audioFromJson(text: string, type: string): Blob | null {
  if (!type.includes("json")) return null;
  try {
    const [first, ...rest] = inlineAudio(JSON.parse(text));
    if (first === undefined) return null;
    const bytes = [first, ...rest].map((one) => bytesFromBase64(one.data));
    if (!first.mimeType.startsWith("audio/L16")) return new Blob(bytes, { type: first.mimeType });
    const whole = new Uint8Array(bytes.reduce((sum, one) => sum + one.length, 0));
    let at = 0;
    for (const one of bytes) {
      whole.set(one, at);
      at += one.length;
    }
    return new Blob([wavOf(new Int16Array(whole.buffer, 0, whole.length >> 1))], { type: "audio/wav" });
  } catch {
    return null;
  }
}

async function send(request: TryRequest, lengths: LengthTexts, key: string | null): Promise<TryReply> {
  const startedAt = performance.now();
  const response = await fetch(request.path, {
    method: request.method,
    cache: "no-store",
    // The key goes to this server only, whatever the path or a redirect says.
    mode: "same-origin",
    redirect: "error",
    credentials: key === null ? "same-origin" : "omit",
    headers: {
      ...(request.body === null ? {} : { "content-type": "application/json" }),
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    ...(request.body === null ? {} : { body: request.body }),
  });
  const blob = await response.blob();
  const tookMs = Math.round(performance.now() - startedAt);
  const type = response.headers.get("content-type") ?? "";
  const isAudio = type.startsWith("audio/") && !type.startsWith("audio/pcm");
  const isText = /json|text|xml/.test(type) || blob.size === 0;
  const text = isText ? await blob.text() : null;
  return {
    status: response.status,
    statusText: response.statusText,
    tookMs,
    headers: [...response.headers].sort(([a], [b]) => (a < b ? -1 : 1)),
    text: text === null ? null : displayText(text, type, lengths),
    bytes: blob.size,
    audio: isAudio ? blob : text === null ? null : audioFromJson(text, type),
  };
}

/** Sends the request; resolves to any response. Throws without a response, or if no playground key could be created. */
export async function tryCall(request: TryRequest, lengths: LengthTexts): Promise<TryReply> {
  if (request.auth === "session") return send(request, lengths, null);
  if (request.auth !== "playground") return send(request, lengths, request.auth.key);
  const reply = await withPlaygroundKey((key) => send(request, lengths, key));
  if (reply.status !== 401) return reply;
  // The cached playground key is no longer valid: it ended with its session.
  forgetPlaygroundKey();
  return withPlaygroundKey((key) => send(request, lengths, key));
}
