import { MAX_SPEAKERS, type Speaker } from "@/lib/client/speech-call";
import {
  isSameName,
  labelFinder,
  readAnyLabel,
  ScriptReader,
  splitLines,
} from "@/lib/contracts/gateway/speech-script";

/** One line of a script as the editor shows it. */
export interface EditorLine {
  text: string;
  /** Length of the speaker's label (`Name:`) at the start of `text`; 0 for a line without one. */
  labelLength: number;
  /** Index of the speaker; null for a blank line and for an opening instruction. */
  speaker: number | null;
}

/** The lines of a script with their speakers, by the same parser as the gateway's. */
export function readScript(text: string, speakers: readonly Speaker[]): EditorLine[] {
  const reader = new ScriptReader(speakers.map((one) => one.name));
  return Array.from(splitLines(text), (line) => ({ text: line, ...reader.readLine(line) }));
}

/** Names that look like speakers (`Name: …`, at most three words) in order of appearance, at most MAX_SPEAKERS. */
export function findNames(text: string): string[] {
  const names: string[] = [];
  for (const line of splitLines(text)) {
    const label = readAnyLabel(line);
    if (!label || label.name.split(/\s+/u).length > 3 || line.slice(label.length).trim() === "") continue;
    if (!names.some((one) => isSameName(one, label.name))) names.push(label.name);
    if (names.length === MAX_SPEAKERS) break;
  }
  return names;
}

/** Writes a speaker's new name into the label of every line that starts with the old one. */
export function renameSpeaker(text: string, from: string, to: string): string {
  const findLabel = labelFinder([from]);
  return text.replace(/[^\r\n]+/g, (line) => {
    const label = findLabel(line);
    if (label === null) return line;
    return line.slice(0, label.nameStart) + to + line.slice(label.nameStart + label.nameLength);
  });
}

/** A name that no speaker has yet: `base` with the first free number. */
export function freeName(base: string, speakers: readonly Speaker[]): string {
  const isTaken = (name: string) => speakers.some((one) => isSameName(one.name, name));
  for (let number = speakers.length + 1; ; number += 1) {
    const name = `${base} ${number}`;
    if (!isTaken(name)) return name;
  }
}

/** The first error in the speakers' names; null when all are valid. */
export function findNameError(speakers: readonly Speaker[]): "empty-name" | "same-name" | "colon" | null {
  if (speakers.some((one) => one.name.trim() === "")) return "empty-name";
  if (speakers.some((one) => /[:：\n]/u.test(one.name))) return "colon";
  return speakers.some((one, at) => speakers.findIndex((other) => isSameName(one.name, other.name)) !== at)
    ? "same-name"
    : null;
}
