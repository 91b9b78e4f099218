import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../support/sources";

const css = readFileSync(path.join(ROOT, "components/theme.css"), "utf8");

/** The variables of one block of theme.css. */
function variables(selector: string): Map<string, string> {
  const block = css.slice(css.indexOf(`${selector} {`)).split("\n}")[0] ?? "";
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const BACKGROUNDS = ["ground", "panel", "raised", "sunken", "hover"];
/** Text on backgrounds, 4.5 to 1. */
const TEXT: readonly [string, readonly string[]][] = [
  ["ink", [...BACKGROUNDS, "signal-soft", "good-soft", "warn-soft", "bad-soft", "info-soft"]],
  ["ink-muted", [...BACKGROUNDS, "good-soft", "warn-soft", "bad-soft", "info-soft"]],
  ["ink-faint", BACKGROUNDS],
  ["on-ink", ["ink"]],
  ["on-signal", ["signal"]],
  ["signal-ink", ["ground", "panel", "raised", "hover", "signal-soft"]],
  ["good", ["ground", "panel", "raised", "good-soft"]],
  ["warn", ["ground", "panel", "raised", "warn-soft"]],
  ["bad", ["ground", "panel", "raised", "bad-soft"]],
  ["info", ["ground", "panel", "raised", "info-soft"]],
  ["on-bad", ["bad"]],
];
/** Edges of controls and meaningful graphics, 3 to 1. */
const EDGES: readonly [string, readonly string[]][] = [
  ["line-strong", ["ground", "panel", "raised"]],
  ["signal", ["ground", "panel", "raised"]],
  ...["chart-1", "chart-2", "chart-3", "chart-4", "chart-5", "chart-6"].map(
    (colour): [string, readonly string[]] => [colour, ["ground", "panel", "raised"]],
  ),
];

test.each([
  ["light", ":root"],
  ["dark", ".dark"],
])("gives text a contrast of 4.5 to 1 and edges 3 to 1 in the %s theme", (_name, selector) => {
  const colours = variables(selector);
  const tooLow = (pairs: typeof TEXT, min: number) =>
    pairs.flatMap(([ink, backgrounds]) =>
      backgrounds.flatMap((background) => {
        const value = contrast(colours.get(ink) ?? "#000000", colours.get(background) ?? "#000000");
        return value >= min ? [] : [`${ink} on ${background}: ${value.toFixed(2)} < ${min}`];
      }),
    );
  expect([...tooLow(TEXT, 4.5), ...tooLow(EDGES, 3)]).toEqual([]);
});
