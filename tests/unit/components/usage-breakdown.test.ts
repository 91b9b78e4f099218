import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import type { Bar } from "@/components/charts/bar-list";
import { useBars } from "@/components/usage/breakdown";
import type { UsageSummary } from "@/lib/contracts/console/usage-summary";
import { en } from "@/lib/messages/en";

function Bars({ summary, onBars }: { summary: UsageSummary; onBars(bars: readonly Bar[]): void }) {
  onBars(useBars(summary, "tag", "calls"));
  return null;
}

/** The bars of calls by tag. */
function barsOf(summary: UsageSummary): readonly Bar[] {
  let bars: readonly Bar[] = [];
  const children = createElement(Bars, { summary, onBars: (now) => (bars = now) });
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en, children };
  renderToStaticMarkup(createElement(IntlProvider, intl));
  return bars;
}

test("every bar has its own key, whatever the tags are named", () => {
  const names = [null, "others", "", "=", "a", "b", "c", "d", "e", "f"];
  // Only what the bars show.
  const items = names.map((name) => ({ name, label: null, calls: 1, errors: 0 }));
  const bars = barsOf({ items } as unknown as UsageSummary);
  expect(bars).toHaveLength(9);
  expect(new Set(bars.map(({ key }) => key)).size).toBe(9);
});
