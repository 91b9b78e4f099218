import type { SpeechSegment } from "../../ports/speech-model";

/** What the caller sent of one part; its text may hold many lines. */
export interface SpokenPart {
  text: string;
  /** The part is this speaker's, whatever its lines say. */
  speaker?: string;
  style?: string;
}

export interface CastMember {
  speaker: string;
  voice: string;
}

/** Lines between two steps, well under a millisecond's work. */
const LINES_A_STEP = 256;
const LINE = /\r\n?|\n/g;

/** A member of the cast as its label is looked for. */
interface Labelled {
  member: CastMember;
  name: string;
}

function* linesOf(text: string): Generator<string, void, void> {
  let start = 0;
  for (const { index, 0: mark } of text.matchAll(LINE)) {
    yield text.slice(start, index);
    start = index + mark.length;
  }
  yield text.slice(start);
}

/**
 * Deals the lines of a script to its speakers (CONTRACT §3), in steps: `Name: …` is spoken by that speaker, without the
 * name; a line without a known name continues the last speaker, at first the first of the cast; an opening line that
 * ends in a colon and names no speaker is an instruction and is left out, unless the cast is one speaker, who says
 * everything. `cast` is never empty. Lines of one speaker and style in a row make one segment.
 */
export function* scriptSpeakers(
  parts: readonly SpokenPart[],
  cast: readonly CastMember[],
): Generator<void, SpeechSegment[], void> {
  // The longest name first: 'Ann Lee:' is not Ann's.
  const labels = cast
    .map((member) => ({ member, name: member.speaker.toLowerCase() }))
    .sort((a, b) => b.member.speaker.length - a.member.speaker.length);
  const segments: SpeechSegment[] = [];
  let speaking = cast[0];
  let isOpening = true;
  let lines = 0;
  for (const part of parts) {
    const wanted = part.speaker?.toLowerCase();
    const owner = cast.find((one) => one.speaker.toLowerCase() === wanted);
    if (owner) speaking = owner;
    for (const sent of linesOf(part.text)) {
      if (++lines % LINES_A_STEP === 0) yield;
      const line = sent.trim();
      if (line === "") continue;
      const named = readLabel(line, labels);
      const isInstruction = isOpening && cast.length > 1 && !named && !owner && /[:：]$/.test(line.slice(-1));
      isOpening = false;
      if (isInstruction) continue;
      if (named) speaking = owner ?? named.member;
      const words = named ? named.words : line;
      if (words !== "" && speaking) say(segments, words, speaking, part.style);
    }
  }
  return segments;
}

/** The speaker whose name and a colon (also the wide one of Chinese and Japanese) begin the line; bold marks are passed over. */
function readLabel(
  line: string,
  labels: readonly Labelled[],
): { member: CastMember; words: string } | undefined {
  const bare = line.replace(/^\*{1,2}/, "");
  for (const { member, name } of labels) {
    const { length } = member.speaker;
    if (bare.slice(0, length).toLowerCase() !== name) continue;
    const colon = /^\*{0,2}\s{0,3}[:：]\*{0,2}/u.exec(bare.slice(length));
    if (colon) return { member, words: bare.slice(length + colon[0].length).trim() };
  }
  return undefined;
}

function say(segments: SpeechSegment[], words: string, { voice, speaker }: CastMember, style?: string): void {
  const last = segments.at(-1);
  if (last && last.speaker === speaker && last.style === style) last.text += `\n${words}`;
  else segments.push({ text: words, voice, speaker, ...(style === undefined ? {} : { style }) });
}

/** The segments of a text with one voice: one, or one for each part where parts ask for a manner of their own. */
export function singleSpeaker(parts: readonly SpokenPart[], voice: string): SpeechSegment[] {
  if (parts.every((part) => part.style === undefined)) {
    return [{ text: parts.map((part) => part.text).join("\n"), voice }];
  }
  return parts
    .filter((part) => part.text.trim() !== "")
    .map(({ text, style }) => ({ text, voice, ...(style === undefined ? {} : { style }) }));
}
