import { readdirSync, readFileSync } from "node:fs";
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

/** Chinese words that are not used, each with the one that names the same concept. */
const CHINESE_WORDS: readonly [pattern: RegExp, use: string][] = [
  [/提供方|提供商|供应商/, "服务商"],
  [/音色/, "声音"],
  [/请求编号/, "请求 ID"],
  [/错误率/, "失败率"],
  [/载入/, "加载"],
  [/禁用/, "停用"],
  [/应答|回复/, "响应"],
  [/请求正文/, "请求体"],
  [/限额/, "限制"],
  [/语音(?:名称|列表)/, "声音名称、声音列表"],
  [/内网地址/, "私有地址"],
  [/还原/, "恢复"],
];

test("the Chinese texts and guides use one word for a concept", () => {
  const folder = path.join(ROOT, "lib/messages/zh");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(ts|md)$/.test(file),
  );
  expect(files).toContain(path.join("guides", "sdks.md"));
  const found = files.flatMap((file) => {
    const text = readFileSync(path.join(folder, file), "utf8");
    return CHINESE_WORDS.filter(([pattern]) => pattern.test(text)).map(([, use]) => `${file}: use ${use}`);
  });
  expect(found).toEqual([]);
});

test("every area of the catalogue has its file in both languages", () => {
  const files = (locale: string) => readdirSync(path.join(ROOT, "lib/messages", locale)).sort();
  // The server writes its own sentences in English.
  expect(files("zh").filter((file) => file !== "server-errors.ts")).toEqual(files("en"));
});
