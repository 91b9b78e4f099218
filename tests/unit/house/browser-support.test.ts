import { Visitor } from "vite";
import { expect, test } from "vitest";
import { parseSource, type Source, sourcesBelow } from "../../support/sources";

/** Folders of code that runs in the browser. */
const BROWSER = ["app", "components", "lib/client", "lib/contracts", "lib/messages"] as const;

/** Properties that one of the browsers named in the README does not have, and that Next does not polyfill. */
const MISSING = new Set([
  "checkVisibility",
  "difference",
  "fromAsync",
  "fromBase64",
  "groupBy",
  "intersection",
  "isSubsetOf",
  "isSupersetOf",
  "moveBefore",
  "showPopover",
  "requestIdleCallback",
  "startViewTransition",
  "symmetricDifference",
  "toBase64",
  "withResolvers",
  "DurationFormat",
  "Segmenter",
]);
/** Methods of a common name, by the object they are missing in. */
const MISSING_IN: readonly [object: RegExp, property: string][] = [
  [/^AbortSignal$/, "any"],
  [/^Promise$/, "try"],
  [/^Response$/, "json"],
];

/** The uses of missing APIs in a file, such as `query.size` of URLSearchParams. */
function missingUses(source: Source): string[] {
  const found: string[] = [];
  const queries = new Set(
    [...source.text.matchAll(/(\w+)(?: = new |\??: )URLSearchParams\b/g)].map(([, name]) => name),
  );
  new Visitor({
    MemberExpression({ object, property, computed }) {
      if (computed || property.type !== "Identifier") return;
      const { name } = property;
      const of = object.type === "Identifier" ? object.name : "";
      const isMissing =
        MISSING.has(name) ||
        (name === "size" && (queries.has(of) || /searchParams$/i.test(of))) ||
        MISSING_IN.some(([pattern, one]) => one === name && pattern.test(of));
      if (isMissing) found.push(`${source.file}: ${of}.${name}`);
    },
    // The v flag: Chrome 112 and Safari 17.
    Literal(node) {
      if ("regex" in node && node.regex.flags.includes("v"))
        found.push(`${source.file}: ${node.regex.pattern}`);
    },
  }).visit(parseSource(source).program);
  return found;
}

test("browser code uses no API that a supported browser does not have", () => {
  const example = "const query = new URLSearchParams(); if (query.size > 0) one.checkVisibility(); /[a]/v;";
  expect(missingUses({ file: "example.ts", text: example })).toHaveLength(3);
  expect(sourcesBelow(...BROWSER).flatMap(missingUses)).toEqual([]);
});
