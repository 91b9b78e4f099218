import { createTranslator } from "use-intl";
import { expect, test } from "vitest";
import { knownRule } from "../../../components/forms/rule-text";
import { common } from "../../../lib/messages/zh/common";
import { inChinese, SERVER_ERRORS } from "../../../lib/messages/zh/server-errors";
import { textsOf } from "../../support/source-texts";
import { sourcesBelow } from "../../support/sources";

const t = createTranslator({ locale: "zh", messages: { common }, namespace: "common.fieldError" });

/** Sources whose sentences no page shows as a message of the console's API. */
const NOT_SHOWN: readonly [files: RegExp, reason: string][] = [
  [/^lib\/(?:messages|client)\//, "the pages' own texts"],
  [/^lib\/(?:audio|gateway|shared-state|text|ports)\//, "errors of /v1 and /v1beta are for programs"],
  [/^lib\/(?:contracts|http)\/gateway\//, "the same"],
  [/^lib\/providers\/(?!local-voices|outbound|registry|upstreams)/, "the same"],
  [/^lib\/server\/admin\/|settings\/re-encrypt/, "commands"],
  [/^lib\/store\/(?!errors|repositories|ledger)/, "start, migration and backup; otherwise internal errors"],
  [/^lib\/http\/(?:core\/(?!request-body)|next|node|routes\/operations)/, "requests that no page sends"],
  [/^lib\/server\/process\/(?!drain|password-hasher|temporary-files)/, "the same, and start"],
  [/^lib\/console\/alerts\/to-alert/, "deliveries by webhook; pages have their own texts of alerts"],
  [/^lib\/contracts\/console\/built-in-models/, "descriptions; pages have their own"],
];

/** Sentences of other sources that no page shows. */
const NOT_MESSAGES: readonly [sentences: RegExp, reason: string][] = [
  [
    /management key|\bAPI key (?:has|does not|no longer|cannot)|API key with the operation|of this API key is|key's owner/,
    "calls with a management key; pages have a session",
  ],
  [
    /^(?:Patchbay is here|One, two, three|This is a test alert|Neural speech|.*rename the folder\.)/,
    "sent by tests; a description; the log",
  ],
  [/^The (?:base URL|client|call) |^'\{\}' \{\}\.$/, "see the tests of these rules; ends of calls of /v1"],
  [/^This model's maximum context length|^'provider' /, "errors of /v1"],
  [/is not a (?:number|prefix)\.$|^A session was requested/, "internal errors"],
];

const isListed = (list: readonly (readonly [RegExp, string])[], text: string) =>
  list.some(([pattern]) => pattern.test(text));

const SENTENCE = /^['A-Z{].* .*\.$/s;
const nameless = (template: string) => template.replace(/\{\w+\}/g, "{}");
const sources = sourcesBelow("lib").map((source) => ({ file: source.file, texts: textsOf(source) }));
const isKnown = (sentence: string) => inChinese(sentence) !== null || knownRule(t, sentence) !== null;
const translated = new Set(Object.keys(SERVER_ERRORS).map(nameless));

test("every sentence of the console's API is Chinese on a Chinese page", () => {
  const missing = sources
    .filter(({ file }) => !isListed(NOT_SHOWN, file))
    .flatMap(({ file, texts }) =>
      texts
        .filter((text) => SENTENCE.test(text) && !isListed(NOT_MESSAGES, text))
        .filter((text) => !translated.has(text) && !isKnown(text.replaceAll("{}", "7")))
        .map((text) => `${file}: ${text}`),
    );
  expect(missing).toEqual([]);
});

test("the table and the lists of exceptions have only what the sources say", () => {
  const said = new Set(
    sources.filter(({ file }) => !file.startsWith("lib/messages/")).flatMap(({ texts }) => texts),
  );
  expect([...translated].filter((template) => !said.has(template))).toEqual([]);
  const isUsed = ([pattern]: readonly [RegExp, string], texts: Iterable<string>) =>
    [...texts].some((text) => pattern.test(text));
  expect(
    NOT_SHOWN.filter(
      (one) =>
        !isUsed(
          one,
          sources.map(({ file }) => file),
        ),
    ),
  ).toEqual([]);
  expect(NOT_MESSAGES.filter((one) => !isUsed(one, said))).toEqual([]);
});

/** Values of the placeholders that are not filled with two words. */
const VALUES: Readonly<Record<string, string>> = {
  message: "API key not found.",
  hint: "Send less text in one request.",
  quoted: '"my file"',
  key: "sample_rate",
};

test("each sentence matches one template, whose translation has only placeholders of the English text", () => {
  for (const [template, text] of Object.entries(SERVER_ERRORS)) {
    if (!template.startsWith("{")) expect([template, knownRule(t, template)]).toEqual([template, null]);
    for (const [value] of text.matchAll(/\{\w+\}/g)) expect(template).toContain(value);
    // No other template matches the sentence, and each value is extracted whole.
    const fill = (one: string) => one.replace(/\{(\w+)\}/g, (_, name) => VALUES[name] ?? `a${name} b${name}`);
    const inText = (one: string) =>
      fill(one.replace(/\{(?:message|hint)\}/g, (found) => inChinese(fill(found)) ?? fill(found)));
    expect([template, inChinese(fill(template))]).toEqual([template, inText(text)]);
    expect(text).toMatch(/\p{Script=Han}|^\{path\}：\{message\}$/u);
  }
});

test.each([
  ["API key not found.", "找不到 API 密钥。"],
  ["This channel does not serve 'constructor'.", "此渠道不提供 constructor。"],
  ["The channel's upstream answered with an error (500).", "渠道的上游返回错误（500）。"],
  [
    "The archive's server github.com answered with a redirect that names no URL.",
    "归档文件的服务器“github.com”返回了没有 URL 的重定向。",
  ],
  ["The archive's server github.com could not be reached.", "无法连接到归档文件的服务器“github.com”。"],
  [
    "The archive's server github.com answered with an error (404).",
    "归档文件的服务器“github.com”返回错误（404）。",
  ],
  ["'tts' is a model for speech.", "tts 是 speech 模型。"],
  ["Too many changes. Try again in 5 s.", "更改过于频繁。请在 5 秒后重试。"],
  ["Too many wrong codes. Try again in 3 minutes.", "错误验证码过多。请在 3 分钟后重试。"],
  ["model: This channel does not serve 'a{b}$&'.", "model：此渠道不提供 a{b}$&。"],
  [
    "The archive contains no usable voice: model.onnx: The file is empty.",
    "归档文件中没有可用的语音：model.onnx：文件为空。",
  ],
])("translates %s", (sentence, text) => {
  expect(inChinese(sentence)).toBe(text);
});

test.each(["The kettle is on.", "The kettle is on. Try again in 5 s.", "name: The kettle is on.", ""])(
  "returns null for a text that it does not know as a whole: %s",
  (sentence) => {
    expect(inChinese(sentence)).toBeNull();
  },
);
