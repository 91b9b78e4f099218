import { type ParseOptions, SugarHigh, type TokenType, tokenize } from "sugar-high/core";
import * as go from "sugar-high/lang/go";
import * as java from "sugar-high/lang/java";
import * as javascript from "sugar-high/lang/javascript";
import * as php from "sugar-high/lang/php";
import * as python from "sugar-high/lang/python";
import * as shell from "sugar-high/lang/shell";
import type { CodeSample } from "@/lib/client/code-samples";

/** Length of the match of `pattern` (with the sticky flag) at `index`; null: no match there. */
function matchLength(pattern: RegExp, code: string, index: number): number | null {
  pattern.lastIndex = index;
  return pattern.exec(code)?.[0].length ?? null;
}

/** Grammars, with the literals that the library does not know: shell quotes, Go raw strings, Java text blocks. */
const GRAMMARS: Record<CodeSample["language"], ParseOptions> = {
  bash: { ...shell, onLiteral: (_, index, code) => matchLength(/'[^']*'|\\./y, code, index) },
  go: { ...go, onLiteral: (_, index, code) => matchLength(/`[^`]*`/y, code, index) },
  java: { ...java, onLiteral: (_, index, code) => matchLength(/"""[\s\S]*?(?<!\\)"""/y, code, index) },
  javascript: { tokenize: (code) => javascript.tokenize(code, undefined) },
  php,
  python,
};

/** Colours by kind of token; other kinds have the text colour. */
const CLASSES: Partial<Record<TokenType, string>> = {
  comment: "text-ink-faint",
  keyword: "text-info",
  string: "text-good",
  sign: "text-ink-muted",
};

/** Code in pieces with the class of their colour, null for the text colour. The joined pieces are the code. */
export function highlight(
  code: string,
  language: CodeSample["language"],
): { text: string; className: string | null }[] {
  const pieces: { text: string; className: string | null }[] = [];
  const kinds: Readonly<Record<number, string>> = SugarHigh.TokenTypes;
  for (const [kind, text] of tokenize(code, GRAMMARS[language])) {
    const className = Object.entries(CLASSES).find(([name]) => name === kinds[kind])?.[1] ?? null;
    const last = pieces.at(-1);
    if (last?.className === className) last.text += text;
    else pieces.push({ text, className });
  }
  return pieces;
}
