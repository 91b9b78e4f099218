import { MOST_SPEAKERS, type Speaker } from "../../lib/client/speech-call";

/** One line of a script and who speaks it; null: an opening instruction, a blank line, or nobody to speak it. */
export interface ScriptLine {
  text: string;
  /** Length of `Name:` with the white space around it; 0 for a line that goes on. */
  labelLength: number;
  speaker: string | null;
}

const LABEL = /^\s*([^\s:：][^:：\n]{0,63}?)\s*[:：]\s*/u;

/** Names are told apart without regard to case, as the service does. */
const same = (one: string, other: string) => one.toLocaleLowerCase() === other.toLocaleLowerCase();

/**
 * Reads a script as the service does: a line `Name: …` of a known speaker is theirs; a line without a known name goes
 * on with the last speaker, at first the first of the cast; an opening line that ends in a colon and names nobody is
 * an instruction and is not spoken.
 */
export function readScript(text: string, speakers: readonly Speaker[]): ScriptLine[] {
  let current = speakers[0]?.name ?? null;
  let isOpening = true;
  return text.split("\n").map((line) => {
    const label = LABEL.exec(line);
    const known = label ? speakers.find((one) => same(one.name, label[1] ?? "")) : undefined;
    const isBlank = line.trim() === "";
    const isInstruction = isOpening && speakers.length > 1 && !known && /[:：]\s*$/u.test(line);
    if (!isBlank) isOpening = false;
    if (known) current = known.name;
    return {
      text: line,
      labelLength: known && label ? label[0].length : 0,
      speaker: isInstruction || isBlank ? null : current,
    };
  });
}

/** Names in `text` that look like speakers (`Name: …` at the start of a line) in order of appearance, at most 8. */
export function namesIn(text: string): string[] {
  const names: string[] = [];
  for (const line of text.split("\n")) {
    const label = LABEL.exec(line);
    const name = label?.[1];
    if (!name || name.split(/\s+/u).length > 3 || line.slice(label[0].length).trim() === "") continue;
    if (!names.some((one) => same(one, name))) names.push(name);
  }
  return names.slice(0, MOST_SPEAKERS);
}

/** Writes a speaker's new name into every line that was theirs. */
export function renameSpeaker(text: string, from: string, to: string): string {
  return text
    .split("\n")
    .map((line) => {
      const label = LABEL.exec(line);
      return label && same(label[1] ?? "", from)
        ? line.replace(LABEL, (whole, name: string) => whole.replace(name, () => to))
        : line;
    })
    .join("\n");
}

/** A name no speaker has yet: the given base, else with the first free number. */
export function freeName(base: string, speakers: readonly Speaker[]): string {
  const isTaken = (name: string) => speakers.some((one) => same(one.name, name));
  for (let number = speakers.length + 1; ; number += 1) {
    const name = `${base} ${number}`;
    if (!isTaken(name)) return name;
  }
}

/** What is wrong with a cast before it is sent; null: nothing. */
export function castFault(speakers: readonly Speaker[]): "empty-name" | "same-name" | "colon" | null {
  if (speakers.some((one) => one.name.trim() === "")) return "empty-name";
  if (speakers.some((one) => /[:：\n]/u.test(one.name))) return "colon";
  return speakers.some((one, at) => speakers.findIndex((other) => same(one.name, other.name)) !== at)
    ? "same-name"
    : null;
}
