import { AppError } from "../../errors";
import type { ChannelProbe, ListedModel } from "../../ports/channel-probe";
import type {
  CallOptions,
  SpeechEvent,
  SpeechModel,
  SpeechRequest,
  SpeechSegment,
} from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { invalidAnswer } from "../outbound/failure";
import { asFields, asText } from "../outbound/json";
import type { UpstreamReply } from "../outbound/request";
import {
  encodeSegment,
  MAX_SPEECH_BYTES,
  optionsOfSegment,
  type UpstreamProvider,
  type UpstreamSettings,
} from "../upstream/provider";
import { audioEvents } from "../upstream-audio/audio-events";
import { readAudio } from "../upstream-audio/audio-reader";
import { createVoiceLists, type VoiceLists } from "../upstream-voices/voice-list";
import { readElevenLabsRefusal } from "./refusal";
import {
  ELEVENLABS_BASE,
  ELEVENLABS_OPTIONS,
  ELEVENLABS_VOICE_ID,
  elevenLabsBase,
  elevenLabsVoiceFor,
  elevenLabsVoices,
  keyHeaders,
  readElevenLabsList,
} from "./voices";

/** The limits of `speed` of ElevenLabs' voices. */
const SLOWEST = 0.7;
const FASTEST = 1.2;
const SAMPLE_RATE = 24_000;
/** They detect the language of the text, and refuse or ignore a language code. */
const WITHOUT_LANGUAGE = /^eleven_multilingual_v[12]$/;

/** ElevenLabs: speech as a stream of raw samples, with the account's own voices. It reports characters, not tokens. */
export function createElevenLabs(settings: UpstreamSettings): UpstreamProvider {
  const lists = createVoiceLists(settings.clock);
  return {
    operations: ["speech"],
    defaultBaseUrl: ELEVENLABS_BASE,
    checkOptions: (options) => ELEVENLABS_OPTIONS.check(options),
    speech: (channel) => elevenLabsSpeech(settings, lists, channel),
    probe: (channel) => elevenLabsProbe(settings, channel),
  };
}

function elevenLabsSpeech(
  settings: UpstreamSettings,
  lists: VoiceLists,
  channel: ChannelRecord,
): SpeechModel {
  return {
    synthesize: (request, options) => speak(settings, lists, channel, request, options),
    voices: () => elevenLabsVoices(settings, lists, channel),
    voiceId: ELEVENLABS_VOICE_ID,
    supportedFields: (model) => (WITHOUT_LANGUAGE.test(model) ? [] : ["languageCode"]),
  };
}

const sampleRateOf = (channel: ChannelRecord): number =>
  ELEVENLABS_OPTIONS.of(channel).sample_rate ?? SAMPLE_RATE;

async function* speak(
  settings: UpstreamSettings,
  lists: VoiceLists,
  channel: ChannelRecord,
  request: SpeechRequest,
  options: CallOptions,
): AsyncGenerator<SpeechEvent> {
  const rate = sampleRateOf(channel);
  for (const [index, segment] of request.segments.entries()) {
    const callOptions = optionsOfSegment(settings, index, options);
    const voice = elevenLabsVoiceFor(lists, channel, segment.voice);
    const reply = await post(settings, channel, voice, speechBody(channel, request, segment), callOptions);
    try {
      yield* audioEvents(readAudio(reply, rate), segment.text);
    } finally {
      reply.body.close();
    }
  }
  yield { type: "end", usage: { inputTokens: null, outputTokens: null }, finishReason: "STOP" };
}

/** ISO 639-1, or three letters for a language without a two-letter code, such as Filipino ("fil"). */
function languageCode(tag: string): string {
  const [code = tag] = tag.split("-");
  return new Intl.Locale(code).language;
}

function speechBody(
  channel: ChannelRecord,
  { model, speed, language }: SpeechRequest,
  { text }: SpeechSegment,
): Record<string, unknown> {
  if (speed < SLOWEST || speed > FASTEST) {
    throw new AppError("invalid", `'speed' must be from ${SLOWEST} to ${FASTEST} for this model.`, {
      param: "speed",
    });
  }
  const { voice_settings } = ELEVENLABS_OPTIONS.of(channel);
  const voiceSettings = { ...voice_settings, ...(speed === 1 ? {} : { speed }) };
  return {
    text,
    model_id: model,
    language_code:
      language === undefined || WITHOUT_LANGUAGE.test(model) ? undefined : languageCode(language),
    ...(Object.keys(voiceSettings).length === 0 ? {} : { voice_settings: voiceSettings }),
  };
}

function post(
  { client, decryptKey }: UpstreamSettings,
  channel: ChannelRecord,
  voice: string,
  body: Record<string, unknown>,
  options: CallOptions,
): Promise<UpstreamReply> {
  const { enable_logging, ca } = ELEVENLABS_OPTIONS.of(channel);
  const key = decryptKey(channel);
  const logging = enable_logging === false ? "&enable_logging=false" : "";
  return client.call({
    channel,
    baseUrl: elevenLabsBase(channel),
    method: "POST",
    path: `/text-to-speech/${encodeSegment(voice)}/stream?output_format=pcm_${sampleRateOf(channel)}${logging}`,
    headers: { accept: "audio/*", ...keyHeaders(key) },
    body,
    maxBytes: MAX_SPEECH_BYTES,
    isAudio: true,
    readRefusal: readElevenLabsRefusal,
    key,
    ca,
    options,
  });
}

function elevenLabsProbe(settings: UpstreamSettings, channel: ChannelRecord): ChannelProbe {
  return {
    async listModels(options) {
      const answer = await readElevenLabsList(settings, channel, "/models", options);
      if (!Array.isArray(answer)) throw invalidAnswer("without a list of models");
      return answer.flatMap((entry: unknown): ListedModel[] => {
        const fields = asFields(entry);
        const name = asText(fields?.model_id);
        if (name === null) return [];
        return [{ name, operation: fields?.can_do_text_to_speech === false ? null : "speech" }];
      });
    },
  };
}
