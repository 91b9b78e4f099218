import { isAppError } from "../../errors";
import type {
  CallOptions,
  SpeechEvent,
  SpeechModel,
  SpeechRequest,
  SpeechUsage,
} from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { gatherBytes } from "../outbound/byte-blocks";
import { invalidAnswer, truncated } from "../outbound/failure";
import { asCount, asFields, asList, asText, type Fields } from "../outbound/json";
import { asBase64, decodedBase64, readJson } from "../outbound/long-json";
import { errorOfReply } from "../outbound/refusal";
import type { UpstreamReply } from "../outbound/request";
import { secretsOf } from "../outbound/send";
import { isDoneMark, serverSentEvents } from "../outbound/server-sent-events";
import { MAX_SPEECH_BYTES, type UpstreamSettings } from "../upstream/provider";
import { audioEvents } from "../upstream-audio/audio-events";
import { AudioReader, checkAudioType, rateOf } from "../upstream-audio/audio-reader";
import { NO_TABLE } from "../upstream-voices/voice-table";
import { blobOf, mediaTypeOf, usedCandidate, usedParts } from "./candidate";
import { type Base64Audio, base64Of } from "./forward-base64";
import { GEMINI_OPTIONS, geminiBase, keyHeaders, methodPath, speechForm } from "./options";
import { readGeminiRefusal } from "./refusal";
import { geminiSpeechBody } from "./speech-request";
import { geminiVoices } from "./voices";

/** The data of a reply besides its audio. */
interface ReplySummary extends SpeechUsage {
  finishReason: string | null;
  /** True when the request is the reason why the reply ended. */
  isCausedByRequest: boolean;
}

/**
 * Largest `maxSeconds` of speech that is requested as a stream; it is twice the usual duration. Google ends most
 * streams of over a minute with `OTHER`; for the same requests `:generateContent` returns all of the speech
 * (https://github.com/googleapis/python-genai/issues/922).
 */
const MAX_STREAMED_SECONDS = 130;
/** Google makes speech about twice as fast as it is spoken: 77 s for 136 s of speech with a `maxSeconds` of 300. */
const MS_PER_EXPECTED_SECOND = 500;

/**
 * `:streamGenerateContent?alt=sse`; or `:generateContent` for long speech that the caller needs whole, and where a
 * channel's options say so. Such a reply comes all at once, so its first byte may take longer.
 */
export function geminiSpeech(settings: UpstreamSettings, channel: ChannelRecord): SpeechModel {
  return {
    synthesize: (request, options) => speak(settings, channel, request, options),
    voices: async () => geminiVoices(GEMINI_OPTIONS.of(channel).voices ?? NO_TABLE),
    ownFamily: "gemini",
    supportedFields: () => ["languageCode", "systemInstruction", "tools", "candidateCount", "instructions"],
  };
}

async function* speak(
  { client, decryptKey, clock }: UpstreamSettings,
  channel: ChannelRecord,
  request: SpeechRequest,
  options: CallOptions,
): AsyncGenerator<SpeechEvent> {
  const settings = GEMINI_OPTIONS.of(channel);
  const key = decryptKey(channel);
  const baseUrl = geminiBase(channel);
  const { maxSeconds = 0, acceptsPart = false } = request;
  const isStreamed = settings.streaming ?? (acceptsPart || maxSeconds <= MAX_STREAMED_SECONDS);
  const firstByteBy = isStreamed ? undefined : options.extendFirstByte?.(maxSeconds * MS_PER_EXPECTED_SECOND);
  const send = () =>
    client.call({
      channel,
      baseUrl,
      method: "POST",
      path: methodPath(request.model, isStreamed ? "streamGenerateContent?alt=sse" : "generateContent"),
      headers: { accept: isStreamed ? "text/event-stream" : "application/json", ...keyHeaders(key) },
      body: geminiSpeechBody(request, {
        table: settings.voices ?? {},
        form: speechForm(settings, request.model),
      }),
      maxBytes: MAX_SPEECH_BYTES,
      readRefusal: readGeminiRefusal,
      key,
      ca: settings.ca,
      options: firstByteBy === undefined ? options : { ...options, firstByteBy },
    });
  // Repeated once if the model answered the text instead of reading it: the same request often succeeds.
  const reply = await send().catch((error: unknown) => {
    if (isAppError(error) && error.details.upstreamStatus === 400 && error.details.isCausedByRequest)
      return send();
    throw error;
  });
  const summary: ReplySummary = {
    inputTokens: null,
    outputTokens: null,
    finishReason: null,
    isCausedByRequest: false,
  };
  try {
    const nowMs = clock.now();
    const secrets = secretsOf({ key, channel }, new URL(baseUrl));
    if (reply.contentType === "text/event-stream")
      yield* audioEvents(requireAudio(pcmOf(eventMessages(reply, nowMs, secrets), summary), summary));
    else {
      const messages = await wholeMessages(reply, nowMs, secrets);
      const [only] = messages;
      const base64Audio =
        request.acceptsBase64 === true && messages.length === 1 && only !== undefined
          ? await base64Of(only)
          : null;
      if (base64Audio === null || only === undefined)
        yield* audioEvents(requireAudio(pcmOf(messages, summary), summary));
      else {
        readSummary(only, summary);
        yield* base64Events(base64Audio);
      }
    }
  } finally {
    reply.body.close();
  }
  const { finishReason, inputTokens, outputTokens } = summary;
  // Every complete stream gives the reason why it ended; one without it was cut.
  if (finishReason === null) throw truncated();
  yield { type: "end", usage: { inputTokens, outputTokens }, finishReason };
}

/** Passes audio on. Throws `upstream_invalid` with the upstream's finish reason if there is none. */
async function* requireAudio(
  pcm: AsyncIterable<Uint8Array>,
  summary: ReplySummary,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pcm) {
    bytes += piece.length;
    yield piece;
  }
  if (bytes > 0) return;
  const { finishReason, isCausedByRequest } = summary;
  const reason = finishReason === null ? "" : ` (finish reason ${finishReason})`;
  throw invalidAnswer(`without audio${reason}`, undefined, { isCausedByRequest });
}

/** The response objects of a reply in events. */
async function* eventMessages(
  reply: UpstreamReply,
  nowMs: number,
  secrets: readonly string[],
): AsyncGenerator<Fields> {
  for await (const { data } of serverSentEvents(reply.body)) {
    if (isDoneMark(data)) continue;
    const message = asFields(await readJson(data));
    // A truncated stream ends with half an event.
    if (message === null) throw truncated();
    yield checkedMessage(message, nowMs, secrets);
  }
}

/** The response objects of a reply in JSON: one, or a list. */
async function wholeMessages(
  reply: UpstreamReply,
  nowMs: number,
  secrets: readonly string[],
): Promise<Fields[]> {
  const answer = await readJson(await gatherBytes(reply.body));
  if (answer === undefined) throw invalidAnswer("with data that is not JSON");
  return (Array.isArray(answer) ? asList(answer) : [answer]).map((one) => {
    const message = asFields(one);
    if (message === null) throw invalidAnswer("without a response object");
    return checkedMessage(message, nowMs, secrets);
  });
}

function* base64Events({ texts, bytes }: Base64Audio): Generator<SpeechEvent> {
  let characters = 0;
  let decoded = 0;
  for (const text of texts) {
    characters += text.length;
    const before = decoded;
    // The padding at the end decodes to nothing.
    decoded = Math.min(bytes, Math.floor((characters * 3) / 4));
    yield { type: "base64", text, bytes: decoded - before };
  }
}

/** Google sends an error in the middle of a stream as a separate message. */
function checkedMessage(message: Fields, nowMs: number, secrets: readonly string[]): Fields {
  const error = asFields(message.error);
  if (error === null) return message;
  const text = JSON.stringify({ error });
  throw errorOfReply({
    status: 200,
    header: () => null,
    text,
    nowMs,
    secrets,
    read: readGeminiRefusal,
  });
}

async function* pcmOf(
  messages: AsyncIterable<Fields> | Iterable<Fields>,
  summary: ReplySummary,
): AsyncGenerator<Uint8Array> {
  let reader: AudioReader | null = null;
  let mediaType: string | null = null;
  for await (const message of messages) {
    readSummary(message, summary);
    for (const part of usedParts(message)) {
      const blob = blobOf(part);
      const data = asBase64(blob?.data);
      if (blob === null || data === null) continue;
      const type = mediaTypeOf(blob);
      let isFirstPiece = true;
      for await (const bytes of decodedBase64(data)) {
        const isNewFile = isFirstPiece && Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "RIFF";
        isFirstPiece = false;
        if (reader === null || type !== mediaType || isNewFile) {
          if (reader !== null) yield reader.end();
          checkAudioType(type);
          reader = new AudioReader(rateOf(type));
          mediaType = type;
        }
        yield reader.push(bytes);
      }
    }
  }
  if (reader !== null) yield reader.end();
}

/** The form of the names of Google's enums, including names added later. */
const ENUM_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/**
 * A reason why a reply ended; null for none and for the default of its enum, which an event before the end may have. It
 * is shown to callers, so text of another form, which may be of any length and contain addresses, is `OTHER`.
 */
function asReason(value: unknown): string | null {
  const reason = asText(value);
  if (reason === null) return null;
  // Compatible servers may send small letters.
  const name = reason.toUpperCase();
  if (name.endsWith("_UNSPECIFIED")) return null;
  return ENUM_NAME.test(reason) || name === "STOP" || REASONS_OF_REQUEST.has(name) ? name : "OTHER";
}

/**
 * Finish reasons of text that Gemini refuses, or of a caller's own `maxOutputTokens` or `tools`:
 * https://ai.google.dev/api/generate-content#FinishReason.
 */
const REASONS_OF_REQUEST: ReadonlySet<string> = new Set([
  "MAX_TOKENS",
  "SAFETY",
  "RECITATION",
  "LANGUAGE",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
]);

function readSummary(message: Fields, summary: ReplySummary): void {
  const finishReason = asReason(usedCandidate(message)?.finishReason);
  const blockReason = asReason(asFields(message.promptFeedback)?.blockReason);
  summary.finishReason = finishReason ?? blockReason ?? summary.finishReason;
  if (blockReason !== null || (finishReason !== null && REASONS_OF_REQUEST.has(finishReason)))
    summary.isCausedByRequest = true;
  const usage = asFields(message.usageMetadata);
  if (usage === null) return;
  summary.inputTokens = asCount(usage.promptTokenCount);
  summary.outputTokens = asCount(usage.candidatesTokenCount);
}
