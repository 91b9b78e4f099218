import { AppError, isAppError } from "../../errors";
import type {
  CallOptions,
  SpeechEvent,
  SpeechModel,
  SpeechRequest,
  SpeechUsage,
} from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { invalidAnswer, truncated } from "../outbound/failure";
import { asCount, asFields, asText, type Fields } from "../outbound/json";
import { asBase64, decodedBase64, readJson } from "../outbound/long-json";
import { cleanUpstreamText } from "../outbound/refusal";
import type { UpstreamReply } from "../outbound/request";
import { secretsOf } from "../outbound/send";
import { isDoneMark, serverSentEvents } from "../outbound/server-sent-events";
import { MAX_SPEECH_BYTES, optionsOfSegment, type UpstreamSettings } from "../upstream/provider";
import { audioEvents } from "../upstream-audio/audio-events";
import { AudioReader, readAudio } from "../upstream-audio/audio-reader";
import type { VoiceLists } from "../upstream-voices/voice-list";
import { withAccepted } from "./chosen-values";
import { formOf } from "./options";
import { readOpenAiRefusal } from "./refusal";
import { OPENAI_VOICE_ID, openAiVoiceFor, openAiVoices, otherOpenAiVoice } from "./voices";

/**
 * OpenAI's models on which `instructions`, which carry a part's style too, have no effect (API reference, create
 * speech).
 */
const WITHOUT_INSTRUCTIONS = /^tts-1(-hd)?(-\d+)?$/;

/**
 * `POST /audio/speech`, once for each segment of a conversation, in order. Raw samples are requested; the reply is read
 * by its content: WAV by its header, raw samples at the stated rate, events where events arrive.
 */
export function openAiSpeech(
  settings: UpstreamSettings,
  lists: VoiceLists,
  channel: ChannelRecord,
): SpeechModel {
  return {
    synthesize: (request, options) => speak(settings, lists, channel, request, options),
    voices: () => openAiVoices(settings, lists, channel),
    ...(formOf(channel).isOpenAi ? { voiceId: OPENAI_VOICE_ID, ownFamily: "openai" } : {}),
    supportedFields: (model) => (WITHOUT_INSTRUCTIONS.test(model) ? [] : ["instructions", "style"]),
  };
}

async function* speak(
  settings: UpstreamSettings,
  lists: VoiceLists,
  channel: ChannelRecord,
  request: SpeechRequest,
  options: CallOptions,
): AsyncGenerator<SpeechEvent> {
  const used: SpeechUsage = { inputTokens: 0, outputTokens: 0 };
  for (const [index, segment] of request.segments.entries()) {
    const callOptions = optionsOfSegment(settings, index, options);
    const reported: SpeechUsage = { inputTokens: null, outputTokens: null };
    const reply = await postSegment(settings, lists, channel, request, segment, callOptions);
    try {
      yield* audioEvents(pcmOf(settings, channel, reply, reported), segment.text);
    } finally {
      reply.body.close();
    }
    used.inputTokens = sum(used.inputTokens, reported.inputTokens);
    used.outputTokens = sum(used.outputTokens, reported.outputTokens);
  }
  yield { type: "end", usage: used, finishReason: "STOP" };
}

/**
 * Sends one segment. Repeats it with another audio format if the upstream refused the one that Patchbay chose, and with
 * another voice if the upstream refused the name and its voice list, requested again, leads to another one.
 */
async function postSegment(
  settings: UpstreamSettings,
  lists: VoiceLists,
  channel: ChannelRecord,
  request: SpeechRequest,
  segment: SpeechRequest["segments"][number],
  options: CallOptions,
): Promise<UpstreamReply> {
  const send = (voice: string) =>
    withAccepted(formOf(channel), { model: request.model, texts: [segment.text] }, ({ audioFormat }) => {
      const body = speechBody(channel, request, segment, { voice, audioFormat });
      return post(settings, channel, request.model, body, options);
    });
  const voice = openAiVoiceFor(lists, channel, segment.voice);
  try {
    return await send(voice);
  } catch (error) {
    if (!isAppError(error) || error.code !== "invalid") throw error;
    const other = await otherOpenAiVoice(settings, lists, channel, { name: segment.voice, refused: voice });
    if (other === null) throw error;
    return send(other);
  }
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function speechBody(
  channel: ChannelRecord,
  { model, speed, instructions }: SpeechRequest,
  segment: SpeechRequest["segments"][number],
  { voice, audioFormat }: { voice: string; audioFormat: string },
): Record<string, unknown> {
  const { isOpenAi, options } = formOf(channel);
  const { stream_format } = options;
  const manner = [instructions, segment.style].filter((words) => words !== undefined && words !== "");
  return {
    model,
    input: segment.text,
    voice: isOpenAi && OPENAI_VOICE_ID.test(voice) ? { id: voice } : voice,
    response_format: audioFormat,
    ...(speed === 1 ? {} : { speed }),
    ...(manner.length === 0 ? {} : { instructions: manner.join("\n") }),
    ...(stream_format === "sse" ? { stream_format } : {}),
  };
}

function post(
  { client, decryptKey }: UpstreamSettings,
  channel: ChannelRecord,
  model: string,
  body: Record<string, unknown>,
  options: CallOptions,
): Promise<UpstreamReply> {
  const form = formOf(channel);
  const key = decryptKey(channel);
  return client.call({
    channel,
    baseUrl: form.baseUrl,
    method: "POST",
    path: form.path("/audio/speech", model),
    headers: { accept: "audio/*, text/event-stream", ...form.headers(key) },
    body,
    maxBytes: MAX_SPEECH_BYTES,
    isAudio: true,
    readRefusal: readOpenAiRefusal,
    key,
    ca: form.options.ca,
    options,
  });
}

/** The samples of one reply; `reported` gets the token counts that an event stream has at its end. */
function pcmOf(
  { decryptKey }: UpstreamSettings,
  channel: ChannelRecord,
  reply: UpstreamReply,
  reported: SpeechUsage,
): AsyncGenerator<Uint8Array> {
  const { options, baseUrl } = formOf(channel);
  const rate = options.sample_rate ?? null;
  if (reply.contentType !== "text/event-stream") return readAudio(reply, rate);
  const secrets = secretsOf({ key: decryptKey(channel), channel }, new URL(baseUrl));
  return speechEventPcm(reply.body, rate, reported, secrets);
}

/** The error of an event that reports one, with the upstream's message for administrators. */
function eventError(fields: Fields, secrets: readonly string[]): AppError {
  const words = asText(asFields(fields.error)?.message) ?? asText(fields.error) ?? asText(fields.message);
  const upstreamMessage = cleanUpstreamText(words ?? "", secrets);
  return new AppError(
    "upstream_error",
    "The channel's upstream failed in the middle of its answer.",
    upstreamMessage === "" ? {} : { upstreamMessage },
  );
}

/**
 * The samples of `speech.audio.delta` events. A stream without `speech.audio.done` (or `[DONE]`) was cut, whatever its
 * last bytes are.
 */
export async function* speechEventPcm(
  body: AsyncIterable<Uint8Array>,
  rawRate: number | null,
  counts: SpeechUsage,
  secrets: readonly string[],
): AsyncGenerator<Uint8Array> {
  const reader = new AudioReader(rawRate);
  let isWhole = false;
  for await (const { event, data } of serverSentEvents(body)) {
    if (isDoneMark(data)) {
      isWhole = true;
      continue;
    }
    const fields = asFields(await readJson(data));
    // A truncated stream ends with half an event.
    if (fields === null) throw truncated();
    // Some servers send every field of their schema, with null for an absent error.
    if (event === "error" || (fields.error ?? null) !== null) throw eventError(fields, secrets);
    const type = asText(fields.type) ?? event;
    if (type === "speech.audio.done") {
      const usage = asFields(fields.usage);
      counts.inputTokens = asCount(usage?.input_tokens);
      counts.outputTokens = asCount(usage?.output_tokens);
      isWhole = true;
      continue;
    }
    const audio = asBase64(fields.audio) ?? asBase64(fields.delta);
    // An empty piece is legal, and has nothing to decode.
    const isEmpty = fields.audio === "" || fields.delta === "";
    if (type === "speech.audio.delta" && audio === null && !isEmpty)
      throw invalidAnswer("with an audio event without audio");
    if (audio === null) continue;
    for await (const bytes of decodedBase64(audio)) yield reader.push(bytes);
  }
  if (!isWhole) throw truncated();
  yield reader.end();
}
