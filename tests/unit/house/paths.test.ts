import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parseSource, ROOT, sourcesBelow } from "../../support/sources";

const DOCUMENTS = ["README.md", "lib/DECISIONS.md"];
const PATH = /^(?:(?:app|components|lib|tests|public)\/|\.ci\b)/;

/** The paths in backticks outside code blocks, each up to its first placeholder, wildcard or brace. */
function pathsIn(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  return [...prose.matchAll(/`([^`\s]+)`/g)].flatMap(([, quoted = ""]) => {
    if (!PATH.test(quoted)) return [];
    const [fixed = ""] = quoted.split(/[<{*…]/, 1);
    return [fixed === quoted ? quoted : path.posix.dirname(`${fixed}x`)];
  });
}

test("every path named in README.md and lib/DECISIONS.md exists", () => {
  const missing = DOCUMENTS.flatMap((file) =>
    pathsIn(readFileSync(path.join(ROOT, file), "utf8"))
      .filter((named) => !existsSync(path.join(ROOT, named)))
      .map((named) => `${file}: ${named}`),
  );
  expect(missing).toEqual([]);
});

const NAMED_FILE = /(?<![\w/@.-])(?:app|components|lib|tests|public)\/[\w\-./()[\]]+\.(?:tsx?|mjs|md)\b/g;

test("every file named in a comment exists", () => {
  const missing = sourcesBelow("app", "components", "lib", "tests").flatMap((source) =>
    parseSource(source).comments.flatMap(({ start, end }) =>
      (source.text.slice(start, end).match(NAMED_FILE) ?? [])
        .filter((named) => !existsSync(path.join(ROOT, named)))
        .map((named) => `${source.file}: ${named}`),
    ),
  );
  expect(missing).toEqual([]);
});

test("the scan finds the paths of a text", () => {
  const text =
    "`lib/a.ts`, `app/<page>/x.tsx`, `lib/b/{c,d}.ts`, `other/e.ts`, `npm test`\n```\n`lib/f.ts`\n```\n";
  expect(pathsIn(text)).toEqual(["lib/a.ts", "app", "lib/b"]);
});
