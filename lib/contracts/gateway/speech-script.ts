/**
 * The script form of multi-speaker speech. The gateway and the playground, which highlights scripts, both parse it
 * here, in time linear in the length of the text.
 */

const LINE_BREAK = /\r\n?|\n/g;
/** White space and bold markers (`**Joe:**`) before a speaker's name. */
const BEFORE_NAME = /^\s*\*{0,2}/u;
/** After a speaker's name: bold markers and a colon, ASCII or full-width (Chinese, Japanese). */
const AFTER_NAME = /^\*{0,2}\s{0,3}[:：]\*{0,2}/u;
/** A label with any name: up to 64 characters without a colon or an asterisk. */
const ANY_LABEL = /^\s*\*{0,2}([^\s*:：](?:[^*:：]{0,62}?[^\s*:：])?)\*{0,2}\s{0,3}[:：]\*{0,2}/u;

/** A speaker's label at the start of a line. */
interface SpeakerLabel {
  /** Index of the speaker in the given names. */
  speaker: number;
  /** Where the name starts in the line, and its length there: composed and decomposed forms differ. */
  nameStart: number;
  nameLength: number;
  /** Length of the whole label: white space, bold markers, name and colon. */
  length: number;
}

interface ScriptLine {
  /** Index of the speaker; null for a blank line and for an opening instruction, which are not spoken. */
  speaker: number | null;
  /** Length of the speaker's label at the start of the line; 0 for a line without one. */
  labelLength: number;
}

/** The lines of a text, without their line breaks (LF, CRLF or CR). */
export function* splitLines(text: string): Generator<string, void, void> {
  let start = 0;
  for (const { index, 0: lineBreak } of text.matchAll(LINE_BREAK)) {
    yield text.slice(start, index);
    start = index + lineBreak.length;
  }
  yield text.slice(start);
}

/** Whether two names are the same speaker's, ignoring case and composition (NFC or NFD). */
export function isSameName(one: string, other: string): boolean {
  return one.normalize("NFC").toLowerCase() === other.normalize("NFC").toLowerCase();
}

/** A name as it may be written: `é` is one character or two. */
function formsOf(name: string): string[] {
  return [...new Set([name, name.normalize("NFC"), name.normalize("NFD")])];
}

/**
 * Returns a function that finds the label of one of `names` at the start of a line, ignoring case, with the name in its
 * composed or decomposed form.
 */
export function labelFinder(names: readonly string[]): (line: string) => SpeakerLabel | null {
  const known = names
    .flatMap((name, speaker) =>
      formsOf(name).map((form) => ({ name: form.toLowerCase(), length: form.length, speaker })),
    )
    // Longest first: with the speakers `Ann` and `Ann: the second`, `Ann: the second: hi` is a line of the latter.
    .sort((a, b) => b.length - a.length);
  return (line) => {
    const nameStart = BEFORE_NAME.exec(line)?.[0].length ?? 0;
    for (const { name, length, speaker } of known) {
      const nameEnd = nameStart + length;
      if (line.slice(nameStart, nameEnd).toLowerCase() !== name) continue;
      const after = AFTER_NAME.exec(line.slice(nameEnd));
      if (after) return { speaker, nameStart, nameLength: length, length: nameEnd + after[0].length };
    }
    return null;
  };
}

/** The name and the length of any label at the start of a line; null for a line without a label. */
export function readAnyLabel(line: string): { name: string; length: number } | null {
  const [label, name] = ANY_LABEL.exec(line) ?? [];
  return label === undefined || name === undefined ? null : { name, length: label.length };
}

/**
 * Assigns the lines of a script to its speakers, one line after the other. A line `Name: …` belongs to the speaker of
 * that name; a line without a known name belongs to the speaker of the line before it, the first line to the first
 * speaker. With two speakers or more, an opening line that ends in a colon and names no speaker is an instruction and
 * is not spoken.
 */
export class ScriptReader {
  readonly #speakerCount: number;
  readonly #findLabel: (line: string) => SpeakerLabel | null;
  #current = 0;
  /** The speaker of all lines of the current part, even if they start with another name. */
  #partSpeaker: number | null = null;
  #isOpening = true;

  constructor(names: readonly string[]) {
    this.#speakerCount = names.length;
    this.#findLabel = labelFinder(names);
  }

  /** Starts a part whose lines all belong to `speaker`; null starts a part whose lines name their speakers. */
  startPart(speaker: number | null): void {
    this.#partSpeaker = speaker;
    if (speaker !== null) this.#current = speaker;
  }

  /** Reads the next line, given without its line break. */
  readLine(line: string): ScriptLine {
    const trimmed = line.trimEnd();
    if (trimmed === "") return { speaker: null, labelLength: 0 };
    const label = this.#findLabel(line);
    const isInstruction =
      this.#isOpening &&
      this.#speakerCount > 1 &&
      label === null &&
      this.#partSpeaker === null &&
      /[:：]/.test(trimmed.slice(-1));
    this.#isOpening = false;
    if (isInstruction) return { speaker: null, labelLength: 0 };
    if (label) this.#current = this.#partSpeaker ?? label.speaker;
    return { speaker: this.#current, labelLength: label?.length ?? 0 };
  }
}
