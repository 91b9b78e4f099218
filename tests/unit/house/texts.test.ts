import { readdirSync } from "node:fs";
import path from "node:path";
import { type ESTree, Visitor } from "vite";
import { expect, test } from "vitest";
import { en } from "@/lib/messages/en";
import { zh } from "@/lib/messages/zh";
import { literalText, parseSource, ROOT, type Source, sourcesBelow } from "../../support/sources";

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
  const found: string[] = [];
  const add = (text: string | null) => {
    if (text !== null && hasWord(text)) found.push(`${source.file}: ${text.trim()}`);
  };
  // {"text"} and {isOn ? "on" : "off"} among the children.
  const addChildren = ({ children }: ESTree.JSXElement | ESTree.JSXFragment) => {
    for (const child of children)
      if (child.type === "JSXExpressionContainer")
        for (const part of branches(child.expression)) add(literalText(part));
  };
  new Visitor({
    JSXText({ value }) {
      add(value);
    },
    JSXAttribute({ name, value }) {
      if (name.type !== "JSXIdentifier" || !SPOKEN.has(name.name)) return;
      add(literalText(value?.type === "JSXExpressionContainer" ? value.expression : value));
    },
    JSXElement: addChildren,
    JSXFragment: addChildren,
  }).visit(parseSource(source).program);
  return found;
}

function branches(node: ESTree.Node): ESTree.Node[] {
  if (node.type === "ConditionalExpression")
    return [...branches(node.consequent), ...branches(node.alternate)];
  if (node.type === "ParenthesizedExpression") return branches(node.expression);
  return [node];
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

test("no component puts a space between two texts, which Chinese writes without one", () => {
  const joined = sourcesBelow("app", "components").filter(({ text }) =>
    /\bt\w*\((?:[^()]|\([^()]*\))*\)\}(?: |\{" "\}\s*)\{t\w*\(/.test(text),
  );
  expect(joined.map(({ file }) => file)).toEqual([]);
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
