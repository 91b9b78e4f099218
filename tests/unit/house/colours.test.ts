import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT, sourcesBelow } from "../../support/sources";

/** Files that must contain colours: the browser reads them before or without the CSS variables. */
const ALLOWED = new Set(["app/layout.tsx"]);
const RAW = /#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch)\(/gi;
/** Tailwind utilities of the disabled palette; they would have no effect. */
const PALETTE =
  /\b(?:bg|text|border|ring|fill|stroke|outline|from|to|via|divide|decoration|accent|caret|shadow)-(?:black|white|slate|gray|zinc|neutral|stone|red|orange|amber|yellow|lime|green|emerald|teal|cyan|sky|blue|indigo|violet|purple|fuchsia|pink|rose)(?:-\d+)?\b/g;

test("no component contains a raw colour", () => {
  const raw = sourcesBelow("app", "components")
    .filter((source) => !ALLOWED.has(source.file))
    .flatMap((source) =>
      [...source.text.matchAll(RAW), ...source.text.matchAll(PALETTE)].map(
        (match) => `${source.file}: ${match[0]}`,
      ),
    );
  expect(raw).toEqual([]);
});

test("the browser's theme colours are the theme's backgrounds", () => {
  const theme = readFileSync(path.join(ROOT, "components/theme.css"), "utf8");
  const grounds = [...theme.matchAll(/--ground: (#[0-9a-f]{6});/g)].map((match) => match[1]);
  const layout = readFileSync(path.join(ROOT, "app/layout.tsx"), "utf8");
  expect([...layout.matchAll(/color: "(#[0-9a-f]{6})"/g)].map((match) => match[1])).toEqual(grounds);
});
