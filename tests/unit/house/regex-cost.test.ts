import path from "node:path";
import { type ESTree, Visitor } from "vite";
import { expect, test } from "vitest";
import { caseless } from "../../../lib/contracts/text";
import { compileRoutes } from "../../../lib/http/core/match";
import { ROUTES } from "../../../lib/http/routes";
import { literalText, parseSource, type Source, sourcesBelow } from "../../support/sources";
import { cpuMs } from "../../support/steps";

/**
 * Every regular expression of the request path takes time linear in its input, so that no caller can block the event
 * loop with one header or text. The expressions are found in the sources, so new ones are covered automatically.
 */

const INPUT_LENGTH = 16 * 1_024;
/** Shorter inputs come first: an exponential expression still finishes with a short one. */
const LENGTHS = [16, 20, 24, 28, 512, INPUT_LENGTH];
/** A first run below this is fast on any machine. */
const FAST_MS = 5;
/**
 * Most CPU time, in multiples of the time that replacing every character of an input takes, since both take longer on a
 * slow or busy machine. The slowest linear expressions take 8, quadratic ones hundreds.
 */
const MAX_TIMES = 15;
const EVERY_CHARACTER = { regex: /./g, input: "x".repeat(INPUT_LENGTH) };
/** The fastest of this many runs counts, since a run may be interrupted. */
const RUNS = 12;
/** For expressions that are known to be slow. */
const FEW_RUNS = 2;

const sources = sourcesBelow(
  "lib/http",
  "lib/gateway",
  "lib/console",
  "lib/contracts",
  "lib/text",
  "lib/providers",
);

interface Found {
  at: string;
  regex: RegExp;
}

/** Expressions that a function builds from its arguments, with examples. */
const BUILT: Readonly<Record<string, () => RegExp[]>> = {
  "lib/contracts/gateway/gemini/speech.ts": () => [
    new RegExp(`^${caseless("audio")}[_/](?:[Ll]16|${caseless("wav")})$`),
  ],
  "lib/http/core/match.ts": () =>
    [...compileRoutes(ROUTES).patterns.values()].flatMap((patterns) => patterns.map(({ regex }) => regex)),
  "lib/providers/outbound/refusal.ts": () => [/sk-\.\+1/gi, /aaaa/gi],
  "lib/text/scripts.ts": () =>
    ["Latin", "Han", "Yi"].map((script) => new RegExp(`\\p{Script=${script}}`, "u")),
};

/** The value of a string expression of literals and constants, also imported ones; null when it has other parts. */
function constantText(node: ESTree.Node, source: Source): string | null {
  const ofParts = (parts: readonly (string | ESTree.Node | null)[]): string | null => {
    const texts = parts.map((part) =>
      part === null || typeof part === "string" ? part : constantText(part, source),
    );
    return texts.includes(null) ? null : texts.join("");
  };
  if (node.type === "TemplateLiteral")
    return ofParts(node.quasis.flatMap(({ value }, at) => [value.cooked, node.expressions[at] ?? ""]));
  if (node.type === "BinaryExpression" && node.operator === "+") return ofParts([node.left, node.right]);
  if (node.type === "ParenthesizedExpression") return constantText(node.expression, source);
  return node.type === "Identifier" ? constantNamed(node.name, source) : literalText(node);
}

/** The value of a constant that a file declares or imports from a file of `sources`. */
function constantNamed(name: string, source: Source): string | null {
  for (const statement of parseSource(source).program.body) {
    if (statement.type === "ImportDeclaration") {
      if (!statement.specifiers.some(({ type, local }) => type === "ImportSpecifier" && local.name === name))
        continue;
      const target = path.posix.join(path.posix.dirname(source.file), statement.source.value);
      const imported = sources.find((one) => one.file === `${target}.ts`);
      return imported ? constantNamed(name, imported) : null;
    }
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "VariableDeclaration") continue;
    for (const { id, init } of declared.declarations)
      if (id.type === "Identifier" && id.name === name && init) return constantText(init, source);
  }
  return null;
}

function regexesOf(source: Source): { found: Found[]; unknown: string[] } {
  const found: Found[] = [];
  const unknown: string[] = [];
  const at = ({ start }: ESTree.Node) => `${source.file}:${source.text.slice(0, start).split("\n").length}`;
  // Arguments of `split`, which searches the whole text regardless of their flags.
  const split = new Set<ESTree.Node>();
  new Visitor({
    CallExpression({ callee, arguments: [given] }) {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (callee.property.name === "split" && given) split.add(given);
    },
    Literal(node) {
      if (!("regex" in node)) return;
      const { pattern, flags } = node.regex;
      found.push({ at: at(node), regex: new RegExp(pattern, flags + (split.has(node) ? "g" : "")) });
    },
    NewExpression(node) {
      if (node.callee.type !== "Identifier" || node.callee.name !== "RegExp") return;
      const [pattern, flags] = node.arguments;
      const patternText = pattern ? constantText(pattern, source) : null;
      const flagText = flags ? constantText(flags, source) : "";
      if (patternText !== null && flagText !== null)
        found.push({ at: at(node), regex: new RegExp(patternText, flagText) });
      else unknown.push(at(node));
    },
  }).visit(parseSource(source).program);
  return { found, unknown };
}

/** A part of a pattern, as the input generator needs it. */
type Part =
  | { kind: "atom"; source: string }
  | { kind: "nothing" }
  | { kind: "group"; alternatives: Part[][] }
  | { kind: "repeat"; part: Part; least: number; most: number };

/** A parser of valid ECMAScript patterns (ECMA-262 §22.2.1). */
function parsePattern({ source, flags }: RegExp): Part[][] {
  let at = 0;
  const take = (text: RegExp): string | null => {
    text.lastIndex = at;
    const found = text.exec(source)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  const characterClass = (): string => {
    const start = at;
    for (let depth = 0; at < source.length; at++) {
      if (source[at] === "\\") at++;
      else if (source[at] === "[" && (depth === 0 || flags.includes("v"))) depth++;
      else if (source[at] === "]" && --depth === 0) {
        at++;
        break;
      }
    }
    return source.slice(start, at);
  };
  const term = (): Part => {
    if (take(/\(\?(?:[:=!]|<[=!]|<\w+>)|\(/y) !== null) {
      const group: Part = { kind: "group", alternatives: alternatives() };
      at++;
      return group;
    }
    if (take(/\^|\$|\\[bB]|\\[1-9]|\\k<\w+>/y) !== null) return { kind: "nothing" };
    if (source[at] === "[") return { kind: "atom", source: characterClass() };
    const escaped = take(/\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|p\{[^}]*\}|c[a-z]|.)/iy);
    if (escaped !== null) return { kind: "atom", source: escaped };
    return { kind: "atom", source: take(/[\s\S]/uy) ?? "" };
  };
  const repeated = (part: Part): Part => {
    const mark = take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    if (mark === null) return part;
    const [, least = "0", comma, most] = /^\{(\d+)(,(\d*))?\}/.exec(mark)?.map((one) => one) ?? [];
    if (mark.startsWith("{"))
      return {
        kind: "repeat",
        part,
        least: Number(least),
        most: comma === undefined ? Number(least) : most ? Number(most) : Infinity,
      };
    return { kind: "repeat", part, least: mark[0] === "+" ? 1 : 0, most: mark[0] === "?" ? 1 : Infinity };
  };
  const alternatives = (): Part[][] => {
    const all: Part[][] = [[]];
    while (at < source.length && source[at] !== ")") {
      if (source[at] === "|") {
        at++;
        all.push([]);
      } else all.at(-1)?.push(repeated(term()));
    }
    return all;
  };
  return alternatives();
}

const POOL: readonly string[] = [
  ...Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)),
  ..."ơёїъяאعپٹあアー漢한क।ก。！、，：—…’“»」١²\u0301\u093f\u200b\u200c\u200d\u00ad\u2028\ufe0f\ufeff\ufffd",
  ..."😀🇫🏽𝒳",
  "\u{E0001}",
  "\uE000",
  "\ud83d",
  "\udc00",
];
/** A character that is in almost no class, so that a match fails at the end. */
const MISFIT = "\u0001";

interface Input {
  prefix: string;
  pump: string;
  suffix: string;
}

function textOf({ prefix, pump, suffix }: Input, length: number): string {
  const pumpLength = length - prefix.length - suffix.length;
  return prefix + pump.repeat(Math.max(1, Math.floor(pumpLength / pump.length))) + suffix;
}

/** Inputs that provoke backtracking: they reach every repetition of the pattern and repeat it. */
function* inputsFor(regex: RegExp): Generator<Input> {
  const flags = regex.flags.replace(/[gyd]/g, "");
  const fits = new Map<string, readonly string[]>();
  const membersOf = (atom: string): readonly string[] => {
    let members = fits.get(atom);
    if (members === undefined) {
      const whole = new RegExp(`^(?:${atom})$`, flags);
      members = [...POOL, atom].filter((one) => whole.test(one));
      fits.set(atom, members);
    }
    return members;
  };
  const letterFirst = (members: readonly string[]): string =>
    members.find((one) => /[a-z]/.test(one)) ?? members.find((one) => one > " ") ?? members[0] ?? "";
  const prefixes = new Set([""]);
  const pumps = new Set<string>();
  /** The shortest text that the parts match; collects the repetitions and the prefixes that reach them. */
  const walk = (parts: readonly Part[], before: string): string => {
    let text = "";
    for (const part of parts) text += walkPart(part, before + text);
    return text;
  };
  const walkPart = (part: Part, before: string): string => {
    switch (part.kind) {
      case "nothing":
        return "";
      case "atom":
        return letterFirst(membersOf(part.source));
      case "group":
        return part.alternatives
          .map((one) => walk(one, before))
          .reduce((shortest, one) => (one.length < shortest.length ? one : shortest));
      case "repeat": {
        const once = walkPart(part.part, before);
        if (part.most > 1) {
          prefixes.add(before);
          if (once !== "") pumps.add(once);
          // A body of which one part may be empty can be repeated in more than one way.
          walkPart(part.part, before + once);
        }
        return once.repeat(part.least);
      }
    }
  };
  for (const alternative of parsePattern(regex)) walk(alternative, "");
  // One character for each set of classes that it belongs to; all others of the set behave alike.
  const kinds = new Map<string, string>();
  for (const one of [...POOL, ...[...fits.values()].flat()]) {
    const kind = [...fits.values()].map((members) => (members.includes(one) ? 1 : 0)).join("");
    if (kind.includes("1") && !kinds.has(kind)) kinds.set(kind, one);
  }
  for (const one of kinds.values()) pumps.add(one);
  const few = [...kinds.values()].slice(0, 6);
  for (const one of few) for (const other of few) if (one !== other) pumps.add(one + other);
  for (const prefix of [...prefixes].slice(0, 24))
    for (const pump of [...pumps].slice(0, 64))
      for (const suffix of ["", MISFIT]) yield { prefix, pump, suffix };
}

/** CPU milliseconds of one run, which other programs do not delay. */
function runMs(regex: RegExp, input: string, clock = cpuMs): number {
  regex.lastIndex = 0;
  const began = clock();
  if (regex.global) input.replace(regex, "");
  else regex.exec(input);
  return clock() - began;
}

/** The cost of the fastest of some runs, in multiples of EVERY_CHARACTER; 0 when the first run is fast. */
function costOf(regex: RegExp, input: string, runs: number): number {
  // The wall clock first, because reading the CPU time takes longer.
  if (runMs(regex, input, () => performance.now()) < FAST_MS) return 0;
  let own = Number.POSITIVE_INFINITY;
  let unit = Number.POSITIVE_INFINITY;
  let times = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && times > MAX_TIMES; run++) {
    unit = Math.min(unit, runMs(EVERY_CHARACTER.regex, EVERY_CHARACTER.input));
    own = Math.min(own, runMs(regex, input));
    times = own / unit;
    // So slow that no interruption explains it.
    if (times > 10 * MAX_TIMES) break;
  }
  return times;
}

function worstOf(regex: RegExp, runs = RUNS): { times: number; input: string } {
  let worst = { times: 0, input: "" };
  for (const parts of inputsFor(regex)) {
    for (const length of LENGTHS) {
      const input = textOf(parts, length);
      const times = costOf(regex, input, runs);
      if (times > worst.times) worst = { times, input };
      if (times > MAX_TIMES) return worst;
    }
  }
  return worst;
}

const scanned = sources.map(regexesOf);

test("every regular expression built at run time consists of constants or has examples here", () => {
  const unknown = scanned.flatMap((one) => one.unknown);
  expect(unknown.map((at) => at.split(":")[0]).sort()).toEqual(Object.keys(BUILT).sort());
});

test("the input generator finds the classic forms of catastrophic backtracking", () => {
  const bad = [
    /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i,
    /\s+$/,
    /^(?:a+)+$/,
    /^(?:a|a)*$/,
    /^(\w+\s?)*$/,
    /x*y*x*$/,
    /^key=\d+[\d.]*\d+;$/,
    /<[^>]*>[^<]*<\/a>/g,
  ];
  expect(bad.filter((regex) => worstOf(regex, FEW_RUNS).times <= MAX_TIMES).map(String)).toEqual([]);
});

test(`every regular expression of the request path takes at most ${MAX_TIMES} times as long as a replacement of each character`, {
  timeout: 300_000,
}, () => {
  const built = Object.entries(BUILT).flatMap(([at, make]) => make().map((regex) => ({ at, regex })));
  const found = [...scanned.flatMap((one) => one.found), ...built];
  expect(found.length).toBeGreaterThan(80);
  const slow = found
    .map(({ at, regex }) => ({ at, regex, ...worstOf(regex) }))
    .filter(({ times }) => times > MAX_TIMES)
    .map(
      ({ at, regex, times, input }) =>
        `${at} ${regex}: ${times.toFixed(0)} times for ${JSON.stringify(input.slice(0, 40))}…${JSON.stringify(input.slice(-4))}`,
    );
  expect(slow).toEqual([]);
});
