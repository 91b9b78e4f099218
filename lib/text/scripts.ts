import { memoizeByCharacter } from "./by-character";

/** Scripts that can be recognised by their characters, by Unicode name; the frequent ones first. */
const SCRIPTS = [
  "Latin",
  "Cyrillic",
  "Han",
  "Hiragana",
  "Katakana",
  "Hangul",
  "Greek",
  "Arabic",
  "Hebrew",
  "Devanagari",
  "Bengali",
  "Gurmukhi",
  "Gujarati",
  "Oriya",
  "Tamil",
  "Telugu",
  "Kannada",
  "Malayalam",
  "Sinhala",
  "Thai",
  "Myanmar",
  "Georgian",
  "Armenian",
  "Ethiopic",
  "Khmer",
  "Lao",
  "Tibetan",
  "Mongolian",
  "Cherokee",
  "Thaana",
  "Syriac",
  "Canadian_Aboriginal",
  "Tifinagh",
  "Nko",
  "Javanese",
  "Yi",
] as const;

type UnicodeScript = (typeof SCRIPTS)[number];
/** Hiragana and Katakana are one script here; `Other` is every script not listed. */
export type Script = Exclude<UnicodeScript, "Hiragana" | "Katakana"> | "Kana" | "Other";

const SCRIPT_PATTERNS = SCRIPTS.map(
  (script) =>
    [
      script === "Hiragana" || script === "Katakana" ? "Kana" : script,
      new RegExp(`\\p{Script=${script}}`, "u"),
    ] as const,
);

function findScript(character: string): Script | null {
  if (character <= "\u007f") return /[A-Za-z]/.test(character) ? "Latin" : null;
  if (/[\p{Script=Common}\p{Script=Inherited}]/u.test(character)) return null;
  for (const [script, pattern] of SCRIPT_PATTERNS) if (pattern.test(character)) return script;
  return /\p{L}/u.test(character) ? "Other" : null;
}

/**
 * The script of one character; null for characters shared by all scripts (digits, punctuation, spaces, combining
 * marks).
 */
export const scriptOf = memoizeByCharacter(findScript);

/** The number of letters of each script in a text. */
export function countScripts(text: string): Map<Script, number> {
  const counts = new Map<Script, number>();
  for (const character of text) {
    const script = scriptOf(character);
    if (script) counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  return counts;
}

interface ScriptRun {
  /** Null: the run has no letter. */
  script: Script | null;
  text: string;
}

/** Splits a text where `groupOf` changes; shared characters stay with the letters before them. */
export function splitByScript(text: string, groupOf: (script: Script) => Script): ScriptRun[] {
  const runs: ScriptRun[] = [];
  let run: ScriptRun = { script: null, text: "" };
  for (const character of text) {
    const own = scriptOf(character);
    const script = own && groupOf(own);
    if (script && run.script && script !== run.script) {
      runs.push(run);
      run = { script, text: character };
      continue;
    }
    run.script ??= script;
    run.text += character;
  }
  if (run.text) runs.push(run);
  return runs;
}
