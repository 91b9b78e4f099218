import { AppError } from "../../errors";
import type { SpeechRequest, SpeechSegment } from "../../ports/speech-model";
import { cleanSpeechText, isSpeakable } from "../../text/clean-text";
import { languageOfScript } from "../../text/detect-language";
import { countScripts, type Script, splitByScript } from "../../text/scripts";
import { type ChunkLimits, splitSentences, type TextChunk } from "../../text/split-sentences";
import { findUnreadableHan } from "../espeak/han";
import { baseLanguage, ESPEAK_LANGUAGES } from "../espeak/languages";
import type { SpeechChunk } from "./protocol";
import { catalogueVoice } from "./voices";

/**
 * Longest chunk: ten seconds of speech, usually a whole sentence. Lengths are in spoken letters
 * (lib/text/spoken-length.ts).
 */
const MAX_CHUNK = 160;
/**
 * Longest first chunk: five seconds of speech, a tenth of a second's work for the engine, so that the first sound comes
 * quickly.
 */
const FIRST_CHUNK = 80;
/** Longest chunk while memory is short: three seconds of speech. */
const SHORT_CHUNK = 45;
const CONTEXT_LENGTH = 1000;

/** Pause after a chunk, in milliseconds at natural speed. */
const PAUSES_MS: Record<TextChunk["end"], number> = {
  paragraph: 450,
  sentence: 260,
  clause: 110,
  wrap: 20,
};
export const SPEAKER_PAUSE_MS = 250;

interface Utterance {
  text: string;
  voice: string;
  /**
   * The language for text without letters, such as "12.5": the requested one, else that of the script with most
   * letters; null: unknown.
   */
  main: string | null;
  /** Languages by script. */
  byScript: ReadonlyMap<Script, string>;
  speed: number;
}

/** Whether memory is short; read before every chunk. */
export interface Pace {
  /** True while little audio may be held for all readers; chunks are short then. */
  isTight(): boolean;
}

/** Chunks, generated on demand; null where the caller may yield before the next one is searched. */
export type PlannedChunks<Chunk = SpeechChunk> = Iterator<Chunk | null>;

/**
 * Checks the whole request, in steps, and returns its chunks. Throws AppError `invalid`: unknown voice, a language or
 * script that no built-in engine reads, nothing to speak.
 */
export function* planSpeech(request: SpeechRequest, pace: Pace): Generator<void, PlannedChunks, void> {
  const tag = request.language ?? null;
  if (tag !== null && baseLanguage(tag) !== "en" && !ESPEAK_LANGUAGES.has(baseLanguage(tag))) {
    throw new AppError(
      "invalid",
      `languageCode '${tag}' is not supported by the embedded engines. Leave it out to detect the language, ` +
        "or add an upstream that supports it.",
      { param: "languageCode" },
    );
  }
  const spoken: Utterance[] = [];
  for (const segment of request.segments) {
    const utterance = yield* checkSegment(segment, tag, request.speed);
    if (isSpeakable(utterance.text)) spoken.push(utterance);
    yield;
  }
  // A line of a dialogue without letters, such as "8:30", is read in the language of the others.
  const main = spoken.find(({ byScript }) => byScript.size > 0)?.main ?? null;
  for (const utterance of spoken) if (utterance.byScript.size === 0) utterance.main ??= main;
  if (spoken.length === 0) {
    throw textError("The text must contain at least one letter or digit to speak.");
  }
  return chunksOf(spoken, pace);
}

function* checkSegment(
  segment: SpeechSegment,
  tag: string | null,
  speed: number,
): Generator<void, Utterance, void> {
  const voice = catalogueVoice(segment.voice);
  if (!voice) {
    throw new AppError("invalid", `'${segment.voice}' is not a voice of the embedded speech model.`, {
      param: "voice",
    });
  }
  const text = cleanSpeechText(segment.text);
  yield;
  const counts = countScripts(text);
  const byScript = new Map<Script, string>();
  for (const script of counts.keys()) {
    yield;
    byScript.set(script, languageFor(script, text, counts, tag));
  }
  const main = byScript.get(mainScript(counts));
  return { text, voice: voice.name, main: tag ?? (main || null), byScript, speed };
}

/** The language of one script of a text; empty for Latin letters whose language is not detected yet. */
function languageFor(
  script: Script,
  text: string,
  counts: ReadonlyMap<Script, number>,
  tag: string | null,
): string {
  const asked = tag === null ? null : baseLanguage(tag);
  if (script === "Han") {
    if (asked === "ja" || (asked !== "zh" && asked !== "yue" && counts.has("Kana"))) refuseKanji();
    const unreadable = findUnreadableHan(text);
    if (unreadable !== null) {
      throw textError(`The embedded engine cannot read the character '${unreadable}'.`);
    }
  }
  if (tag !== null && asked !== null && isWrittenIn(asked, script)) return tag;
  if (script === "Latin") return tag === null ? "" : "en";
  const language = languageOfScript(script, text);
  if (language === null || !ESPEAK_LANGUAGES.has(language)) {
    throw textError(
      `The embedded engines cannot read ${script === "Other" ? "the script of this text" : `${script.replace("_", " ")} script`}. ` +
        "Add an upstream that speaks the language.",
    );
  }
  return language;
}

function refuseKanji(): never {
  throw textError(
    "The embedded engine cannot read Japanese kanji, only kana (hiragana and katakana). " +
      "Write the text in kana, or add an upstream that speaks Japanese.",
  );
}

/** An error in the text of a request; the caller's name of the field replaces `text`. */
export function textError(message: string): AppError {
  return new AppError("invalid", message, { param: "text" });
}

/** The next chunk, in steps; null after the last. */
export function* nextChunk<Chunk>(chunks: PlannedChunks<Chunk>): Generator<void, Chunk | null, void> {
  for (let next = chunks.next(); !next.done; next = chunks.next()) {
    if (next.value !== null) return next.value;
    yield;
  }
  return null;
}

function* chunksOf(utterances: readonly Utterance[], pace: Pace): Generator<SpeechChunk | null> {
  // The context is from the whole request: a line of a dialogue is often too short to detect its language.
  const context = utterances
    .map(({ text }) => text)
    .join("\n")
    .slice(0, CONTEXT_LENGTH);
  let pauseMs = 0;
  let lastVoice: string | null = null;
  for (const utterance of utterances) {
    if (lastVoice !== null) {
      pauseMs = Math.max(pauseMs, utterance.voice === lastVoice ? PAUSES_MS.sentence : SPEAKER_PAUSE_MS);
    }
    for (const chunk of splitSentences(
      utterance.text,
      limitsFor(utterance.speed, pace, lastVoice === null),
    )) {
      if (!isSpeakable(chunk.text)) {
        yield null;
        continue;
      }
      for (const run of runsOf(chunk.text, utterance)) {
        yield { ...run, context, voice: utterance.voice, speed: utterance.speed, pauseMs };
        pauseMs = 0;
      }
      pauseMs = PAUSES_MS[chunk.end];
      lastVoice = utterance.voice;
    }
  }
}

function limitsFor(speed: number, pace: Pace, isFirst: boolean): ChunkLimits {
  // Slow speech lasts longer, so its chunks are shorter, down to a quarter.
  const scale = Math.min(1, speed);
  return {
    get max() {
      return (pace.isTight() ? SHORT_CHUNK : MAX_CHUNK) * scale;
    },
    get first() {
      return isFirst ? FIRST_CHUNK * scale : this.max;
    },
  };
}

/**
 * Splits a chunk by language. The engine of another script also reads Latin words; the English engine reads only Latin
 * letters.
 */
function runsOf(text: string, { byScript, main }: Utterance): { text: string; language: string | null }[] {
  const script = mainScript(countScripts(text));
  const runs = splitByScript(text, (own) => (own === "Latin" ? script : own));
  return runs
    .filter((run) => isSpeakable(run.text))
    .map((run) => ({
      text: run.text.trim(),
      language: run.script === null ? main : byScript.get(run.script) || null,
    }));
}

/** The script with most letters; Latin for a text without letters. A character that is a syllable counts double. */
function mainScript(counts: ReadonlyMap<Script, number>): Script {
  let main: Script = "Latin";
  let most = counts.get("Latin") ?? 0;
  for (const [script, count] of counts) {
    const weight = script === "Han" || script === "Hangul" || script === "Kana" ? count * 2 : count;
    if (script === "Latin" || weight <= most) continue;
    main = script;
    most = weight;
  }
  return main;
}

function isWrittenIn(base: string, script: Script): boolean {
  return base === "en" ? script === "Latin" : (ESPEAK_LANGUAGES.get(base)?.scripts.includes(script) ?? false);
}
