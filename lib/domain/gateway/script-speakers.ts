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

/**
 * Deals the lines of a script to its speakers (CONTRACT §3): `Name: …` is spoken by that speaker, without the name; a line
 * without a known name continues the last speaker, at first the first of the cast; an opening line that ends in a
 * colon and names no speaker is an instruction and is left out, unless the cast is one speaker, who says everything.
 * `cast` is never empty. Lines of one speaker and style in a row make one segment.
 */
export function scriptSpeakers(parts: readonly SpokenPart[], cast: readonly CastMember[]): SpeechSegment[] {
  const byName = (name: string) => cast.find((one) => one.speaker.toLowerCase() === name.toLowerCase());
  const segments: SpeechSegment[] = [];
  let speaking = cast[0];
  let isOpening = true;
  for (const part of parts) {
    const owner = part.speaker === undefined ? undefined : byName(part.speaker);
    if (owner) speaking = owner;
    for (const sent of part.text.split(/\r\n?|\n/)) {
      const line = sent.trim();
      if (line === "") continue;
      const named = readLabel(line, cast);
      const isInstruction = isOpening && cast.length > 1 && !named && !owner && /[:：]$/u.test(line);
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
  cast: readonly CastMember[],
): { member: CastMember; words: string } | undefined {
  const bare = line.replace(/^\*{1,2}/, "");
  // The longest name first: 'Ann Lee:' is not Ann's.
  for (const member of [...cast].sort((a, b) => b.speaker.length - a.speaker.length)) {
    const { length } = member.speaker;
    if (bare.slice(0, length).toLowerCase() !== member.speaker.toLowerCase()) continue;
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
