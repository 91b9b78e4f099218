import { AppError } from "../../errors";
import type { SpeechRequest } from "../../ports/speech-model";
import { cleanSpeechText, isSpeakable } from "../../text/clean-text";
import { type ChunkLimits, splitSentences, type TextChunk } from "../../text/split-sentences";
import { spokenLength } from "../../text/spoken-length";
import { type PlannedChunks, SPEAKER_PAUSE_MS, textError } from "../embedded-speech/plan";
import { baseLanguage } from "../espeak/languages";

/** A section of text for one speaker: the unit of work. */
export interface VoiceChunk {
  text: string;
  /** The engine's number of the speaker. */
  speaker: number;
  speed: number;
  /** Silence before the words, at natural speed. */
  pauseMs: number;
}

/** Spoken letters (lib/text/spoken-length.ts) a second at natural speed, for all models, which differ by a fifth. */
const LETTERS_PER_SECOND = 14;
/** Longest chunk in spoken letters: eight seconds of speech, usually a whole sentence. */
const MAX_CHUNK = 120;
/** Longest first chunk in spoken letters: three seconds or the first clause, so that the first sound comes quickly. */
const FIRST_CHUNK = 45;

/** The expected duration of the audio of a text, in seconds. */
export function secondsOf(text: string, speed: number): number {
  return spokenLength(text) / LETTERS_PER_SECOND / speed;
}

/** Pause after a chunk, in milliseconds at natural speed: a narrator's, longer than those of the classic engines. */
const PAUSES_MS: Record<TextChunk["end"], number> = { paragraph: 750, sentence: 450, clause: 180, wrap: 20 };

interface Utterance {
  text: string;
  speaker: number;
}

export interface PlanningModel {
  name: string;
  /** BCP-47; empty: unknown. */
  languages: readonly string[];
  /** The engine's number of the speaker for a voice name; null: unknown. */
  speakerOf(voice: string): number | null;
}

/**
 * Checks the whole request, in steps, and returns its chunks. Throws AppError `invalid`: unknown voice, a language that
 * the model does not speak, nothing to speak.
 */
export function* planVoices(
  model: PlanningModel,
  request: SpeechRequest,
): Generator<void, PlannedChunks<VoiceChunk>, void> {
  const { language } = request;
  const spoken = new Set(model.languages.map(baseLanguage));
  if (language !== undefined && spoken.size > 0 && !spoken.has(baseLanguage(language))) {
    const message = `languageCode '${language}' is not supported by ${model.name}, which supports ${[...spoken].join(", ")}.`;
    throw new AppError("invalid", message, { param: "languageCode" });
  }
  const utterances: Utterance[] = [];
  for (const segment of request.segments) {
    const speaker = model.speakerOf(segment.voice);
    if (speaker === null) {
      throw new AppError("invalid", `'${segment.voice}' is not a voice of ${model.name}.`, {
        param: "voice",
      });
    }
    const text = cleanSpeechText(segment.text);
    if (isSpeakable(text)) utterances.push({ text, speaker });
    yield;
  }
  if (utterances.length === 0) {
    throw textError("The text must contain at least one letter or digit to speak.");
  }
  return chunksOf(utterances, request.speed);
}

function* chunksOf(utterances: readonly Utterance[], speed: number): Generator<VoiceChunk | null> {
  let pauseMs = 0;
  let last: number | null = null;
  for (const { text, speaker } of utterances) {
    if (last !== null) pauseMs = Math.max(pauseMs, speaker === last ? PAUSES_MS.sentence : SPEAKER_PAUSE_MS);
    for (const chunk of splitSentences(text, limitsFor(speed, last === null))) {
      if (!isSpeakable(chunk.text)) {
        yield null;
        continue;
      }
      yield { text: chunk.text, speaker, speed, pauseMs };
      pauseMs = PAUSES_MS[chunk.end];
      last = speaker;
    }
  }
}

function limitsFor(speed: number, isFirst: boolean): ChunkLimits {
  // Slow speech lasts longer, so its chunks are shorter, down to a quarter.
  const scale = Math.min(1, speed);
  const max = MAX_CHUNK * scale;
  return { max, first: isFirst ? FIRST_CHUNK * scale : max };
}
