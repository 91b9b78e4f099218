import { readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { en } from "@/lib/messages/en";
import { zh } from "@/lib/messages/zh";
import { ROOT, type Source, sourcesBelow } from "../../support/sources";

/** Attributes with text for users, including screen-reader users. */
const SPOKEN = new Set([
  "aria-label",
  "aria-description",
  "alt",
  "title",
  "placeholder",
  "label",
  "aria-valuetext",
]);
/** Text that is the same in every language: names, symbols, commands, key caps. */
const UNIVERSAL = /^(?:Patchbay|Ctrl .|npm run admin -- [a-z-]+)$/;

const hasWord = (text: string) => /\p{L}{2}/u.test(text) && !UNIVERSAL.test(text.trim());

/** Texts in a component that are not from a catalogue. */
function looseTexts(source: Source): string[] {
  const tree = ts.createSourceFile(source.file, source.text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const add = (text: string) => {
    if (hasWord(text)) found.push(`${source.file}: ${text.trim()}`);
  };
  const walk = (node: ts.Node): void => {
    if (ts.isJsxText(node)) add(node.text);
    if (ts.isJsxAttribute(node) && SPOKEN.has(node.name.getText())) {
      const value = node.initializer;
      if (value && ts.isStringLiteral(value)) add(value.text);
      if (value && ts.isJsxExpression(value) && value.expression && ts.isStringLiteralLike(value.expression))
        add(value.expression.text);
    }
    // {"text"} and {isOn ? "on" : "off"} among the children.
    if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) && node.expression) {
      for (const part of branches(node.expression)) if (ts.isStringLiteralLike(part)) add(part.text);
    }
    ts.forEachChild(node, walk);
  };
  walk(tree);
  return found;
}

function branches(expression: ts.Expression): ts.Expression[] {
  if (ts.isConditionalExpression(expression))
    return [...branches(expression.whenTrue), ...branches(expression.whenFalse)];
  if (ts.isParenthesizedExpression(expression)) return branches(expression.expression);
  return [expression];
}

/** Dotted paths of every text of a catalogue. */
function textsOf(catalogue: object, at = ""): Map<string, string> {
  return new Map(
    Object.entries(catalogue).flatMap(([name, value]: [string, unknown]) =>
      typeof value === "string"
        ? [[`${at}${name}`, value] as const]
        : [...textsOf(value as object, `${at}${name}.`)],
    ),
  );
}

/** The placeholders of a message: `{count, plural, one {text} other {texts}}` → count, without the texts of its branches. */
function placeholders(text: string): string[] {
  return [
    ...new Set(
      [...text.matchAll(/(?<!(?:=\d+|zero|one|two|few|many|other)\s*)\{\s*([a-zA-Z_]\w*)\s*[,}]/g)].map(
        (match) => match[1] ?? "",
      ),
    ),
  ].sort();
}

test("pages and components have no text outside the catalogues", () => {
  const loose = sourcesBelow("app", "components")
    .filter((source) => source.file.endsWith(".tsx"))
    .flatMap(looseTexts);
  expect(loose).toEqual([]);
});

test("the scan finds texts outside the catalogues", () => {
  const text = 'const a = <p title="Loose title">Loose words {b ? "or these" : t("x")}</p>;';
  expect(looseTexts({ file: "x.tsx", text })).toHaveLength(3);
});

test("both catalogues have the same keys and placeholders, and no empty text", () => {
  const [english, chinese] = [textsOf(en), textsOf(zh)];
  expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort());
  const wrong = [...english].filter(([key, text]) => {
    const other = chinese.get(key) ?? "";
    return text === "" || other === "" || `${placeholders(text)}` !== `${placeholders(other)}`;
  });
  expect(wrong.map(([key]) => key)).toEqual([]);
});

test("every area of the catalogue has its file in both languages", () => {
  const files = (locale: string) => readdirSync(path.join(ROOT, "lib/messages", locale)).sort();
  expect(files("zh")).toEqual(files("en"));
});
