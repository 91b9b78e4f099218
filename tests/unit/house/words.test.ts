import { Visitor } from "vite";
import { expect, test } from "vitest";
import { literalText, parseSource, type Source, sourcesBelow } from "../../support/sources";

/**
 * Words that this code does not use in comments, docstrings, test titles and messages, each with its replacement: one
 * concept has one name, and it is the established one.
 */
const WORDS: readonly [pattern: string, use: string][] = [
  ["doors?", "adapter, endpoint"],
  ["books?", "usage ledger, store"],
  ["booked", "recorded, settled"],
  ["claims? the instance|claimants?|unclaimed", "create the owner, initial setup"],
  ["seal(?:s|ed|ing|er)?", "encrypt"],
  ["anew", "again, new"],
  ["passed over|on trial|resting", "skipped, half-open, open"],
  ["another try|tries", "failover, retry, attempts"],
  ["coalesc(?!e\\()\\w+|travel together|in company", "batch"],
  ["owed", "reserved"],
  ["believ\\w+", "reconcile"],
  ["key ?rings?", "API-key cache, upstream keys"],
  ["witness(?:es)?", "ActorContext"],
  ["second factors?|second steps?", "two-factor, 2FA"],
  ["log(?:s|ged|ging)? (?:in|out)", "sign in, sign out"],
  ["near panel|tape|deck|the cast", "neighbours, history, player, speakers"],
  ["troubles?|lamps?", "incidents, status dot"],
  ["faults?(?! injection)", "error"],
  ["that is none|is nobody", "NaN, null, empty, unknown"],
  ["those who hear the page", "screen-reader users"],
  ["lanes?", "queue, slot, worker"],
  ["whoever|somebody|nobody|anybody", "the caller, a user, no user"],
  ["by itself|by themselves", "automatically"],
  ["(?:is|are|was|were) told", "gets, receives"],
  ["stands?", "is"],
  ["goes on|go on", "continues"],
];

/** Exceptions where a word has another meaning: file (or folder), text, reason. At most 30. */
const ALLOWED: readonly [file: RegExp, text: RegExp, reason: string][] = [
  [/store\/first-migration\.ts$/, /coalescing bigint/, "a column in a released migration"],
  [/lexical\/embed-text\.ts$/, / doch door dus /, "a Dutch word in data"],
  [/auth\/common-passwords\.ts$/, /^`\n1q2w3e4r /, "a list of passwords"],
  [/support\/postgres\.ts$/, /user postgres or nobody/, "a user of the operating system"],
];

/** The comments of a file, and its test titles and messages. */
function proseOf(source: Source): string[] {
  const { program, comments } = parseSource(source);
  const found = comments.map(({ start, end }) => source.text.slice(start, end));
  new Visitor({
    Literal(node) {
      const text = literalText(node);
      if (text?.includes(" ")) found.push(text);
    },
    TemplateLiteral(node) {
      found.push(source.text.slice(node.start, node.end));
    },
  }).visit(program);
  return found;
}

const isCatalogue = (file: string) => file.startsWith("lib/messages/");
const sources = sourcesBelow("app", "components", "lib", "tests")
  .filter(({ file }) => !isCatalogue(file) && file !== "tests/unit/house/words.test.ts")
  .map((source) => ({ file: source.file, prose: proseOf(source) }));

test.each(WORDS)("no comment, title or message says %s", (pattern, use) => {
  const word = new RegExp(`\\b(?:${pattern})\\b`, "i");
  const found = sources.flatMap((source) =>
    source.prose
      .filter((text) => word.test(text))
      .filter((text) => !ALLOWED.some(([file, allowed]) => file.test(source.file) && allowed.test(text)))
      .map((text) => `${source.file}: ${text.slice(0, 200)}`),
  );
  expect(found, `say: ${use}`).toEqual([]);
});

test("the allow-list has at most 30 entries, and each is used", () => {
  expect(ALLOWED.length).toBeLessThanOrEqual(30);
  const unused = ALLOWED.filter(
    ([file, text]) =>
      !sources.some((source) => file.test(source.file) && source.prose.some((one) => text.test(one))),
  );
  expect(unused.map(([, , reason]) => reason)).toEqual([]);
});
