import { isSameName, ScriptReader, splitLines } from "../../contracts/gateway/speech-script";
import { AppError } from "../../errors";
import type { SpeechSegment } from "../../ports/speech-model";

/** One part of the caller's text; it may hold many lines. */
export interface SpokenPart {
  text: string;
  /** The speaker of the whole part; speaker labels in its lines are ignored. */
  speaker?: string;
  style?: string;
  /** Where a part with a speaker is in the caller's body, for messages. */
  path?: string;
}

/** A configured speaker of a script. */
export interface ScriptSpeaker {
  speaker: string;
  voice: string;
}

/** Lines between two yields: well under a millisecond of work. */
const LINES_PER_STEP = 256;

/**
 * Assigns the lines of a script to its speakers by the rules of `ScriptReader`, in steps; labels are not spoken.
 * Consecutive lines of one speaker and style become one segment. `speakers` is never empty.
 */
export function* scriptSpeakers(
  parts: readonly SpokenPart[],
  speakers: readonly ScriptSpeaker[],
): Generator<void, SpeechSegment[], void> {
  const reader = new ScriptReader(speakers.map(({ speaker }) => speaker));
  const segments: SpeechSegment[] = [];
  let lines = 0;
  for (const part of parts) {
    reader.startPart(findSpeaker(speakers, part.speaker));
    for (const line of splitLines(part.text)) {
      if (++lines % LINES_PER_STEP === 0) yield;
      const { speaker, labelLength } = reader.readLine(line);
      const owner = speaker === null ? undefined : speakers[speaker];
      const text = line.slice(labelLength).trim();
      if (owner && text !== "") addLine(segments, text, owner, part.style);
    }
  }
  return segments;
}

/** Index of the speaker named `name`; null for no name and for an unknown one. */
function findSpeaker(speakers: readonly ScriptSpeaker[], name: string | undefined): number | null {
  const index = name === undefined ? -1 : speakers.findIndex((one) => isSameName(one.speaker, name));
  return index < 0 ? null : index;
}

/** Throws `invalid` for a part whose speaker is not configured. `field`: the caller's field of texts. */
export function requireConfigured(
  parts: readonly SpokenPart[],
  speakers: readonly ScriptSpeaker[],
  field: string,
): void {
  const unknown = parts.find(
    ({ speaker }) => speaker !== undefined && findSpeaker(speakers, speaker) === null,
  );
  if (unknown === undefined) return;
  const where = `${unknown.path ?? field}.speechMetadata.speaker`;
  const configured = speakers.map(({ speaker }) => `'${speaker}'`).join(", ");
  throw new AppError(
    "invalid",
    `'${where}' is '${unknown.speaker?.slice(0, 100)}', not a configured speaker: ${configured}.`,
    { param: where },
  );
}

function addLine(
  segments: SpeechSegment[],
  text: string,
  { voice, speaker }: ScriptSpeaker,
  style?: string,
): void {
  const last = segments.at(-1);
  if (last && last.speaker === speaker && last.style === style) last.text += `\n${text}`;
  else segments.push({ text, voice, speaker, ...(style === undefined ? {} : { style }) });
}

/** The segments of a text with one voice: one segment, or one per part where a part has a style of its own. */
export function singleSpeaker(parts: readonly SpokenPart[], voice: string): SpeechSegment[] {
  if (parts.every((part) => part.style === undefined)) {
    return [{ text: parts.map((part) => part.text).join("\n"), voice }];
  }
  return parts
    .filter((part) => part.text.trim() !== "")
    .map(({ text, style }) => ({ text, voice, ...(style === undefined ? {} : { style }) }));
}
