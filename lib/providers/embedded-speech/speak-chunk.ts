import { encodePcm16, samplesFor } from "../../audio/pcm";
import { shapeSpeech } from "../../audio/shape";
import { AppError } from "../../errors";
import { SPEECH_SAMPLE_RATE } from "../../ports/speech-model";
import { detectLatinLanguage, loadLanguageDetector } from "../../text/detect-language";
import { respellHan, respellKana } from "../espeak/han";
import { baseLanguage } from "../espeak/languages";
import { loadEspeak } from "../espeak/speak";
import { loadFlite } from "../flite/speak";
import type { SpeechChunk } from "./protocol";
import { TIMBRES, type Timbre } from "./timbres";

/** Letters that a chunk needs for its language to be detected separately from the text around it. */
const MIN_LETTERS_TO_SWITCH = 24;

/** Loads at the first call, and again after a failure. */
export const loadOnce = <T>(load: () => Promise<T>) => {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
};

const flite = loadOnce(loadFlite);
const espeak = loadOnce(loadEspeak);
const detector = loadOnce(loadLanguageDetector);

/** Speaks one chunk: 24 kHz s16le, its pause first. Engines are loaded by the first chunk that needs them. */
export async function speakChunk(chunk: SpeechChunk): Promise<Uint8Array> {
  const timbre = TIMBRES.get(chunk.voice);
  if (!timbre) throw new AppError("internal", `The embedded engine has no voice '${chunk.voice}'.`);
  const language = chunk.language ?? (await detect(chunk));
  const spoken =
    baseLanguage(language) === "en"
      ? await speakWithFlite(chunk, timbre)
      : await speakWithEspeak(chunk, language, timbre);
  const speech = shapeSpeech(
    spoken.samples,
    spoken.rate,
    { playbackRate: timbre.playbackRate, bands: timbre.bands, speed: spoken.restSpeed },
    SPEECH_SAMPLE_RATE,
  );
  const pause = samplesFor(chunk.pauseMs / chunk.speed, SPEECH_SAMPLE_RATE);
  const pcm = new Uint8Array((pause + speech.length) * 2);
  pcm.set(encodePcm16(speech), pause * 2);
  return pcm;
}

// `playbackRate` raises the tempo with the pitch, so the engine speaks slower and lower to compensate.

async function speakWithFlite(chunk: SpeechChunk, timbre: Timbre) {
  const engine = await flite();
  const ownPitch = timbre.flite === "rms";
  return engine.speak({
    text: chunk.text,
    voice: timbre.flite,
    pitchHz: ownPitch ? null : timbre.pitchHz / timbre.playbackRate,
    pitchStdDevHz:
      ownPitch || timbre.pitchStdDevHz === null ? null : timbre.pitchStdDevHz / timbre.playbackRate,
    speed: chunk.speed / timbre.playbackRate,
  });
}

async function speakWithEspeak(chunk: SpeechChunk, language: string, timbre: Timbre) {
  const engine = await espeak();
  return engine.speak({
    text: respell(chunk.text, baseLanguage(language)),
    language,
    variant: timbre.espeak,
    pitchHz: timbre.pitchHz / timbre.playbackRate,
    speed: chunk.speed / timbre.playbackRate,
  });
}

/** A hyphen in front of a number, and not after one, is a minus: espeak-ng skips it, but reads U+2212. */
const HYPHEN_MINUS = /(?<=^|[\s([{«"“„=])(?<!\d\s)-(?=\d)/gu;

/** Text in a form that espeak-ng reads correctly in this base language. */
export function respell(text: string, language: string): string {
  if (language === "zh") return respellHan(text);
  const marked = text.replace(HYPHEN_MINUS, "−");
  if (language === "ja") return respellKana(marked);
  return language === "pt" ? marked.replace(/ ?−/g, " menos ") : marked;
}

async function detect(chunk: SpeechChunk): Promise<string> {
  const score = await detector();
  const around = detectLatinLanguage(chunk.context, "en", score);
  const letters = chunk.text.match(/\p{L}/gu)?.length ?? 0;
  return letters < MIN_LETTERS_TO_SWITCH ? around : detectLatinLanguage(chunk.text, around, score);
}
