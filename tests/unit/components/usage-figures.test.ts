import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { Figures } from "@/components/usage/figures";
import type { UsageSums } from "@/lib/contracts/console/usage-summary";
import { en } from "@/lib/messages/en";

test("the usage figures show exact token counts, grouped", () => {
  // Only the sums that the figures show.
  const total = {
    calls: 3,
    errors: 0,
    cost_usd: "0",
    input_tokens: 1_368,
    output_tokens: 12_000,
    audio_ms: 0,
  };
  const figures = createElement(Figures, {
    total: total as UsageSums,
    figure: "tokens",
    onFigure: () => undefined,
  });
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en, children: figures };
  const html = renderToStaticMarkup(createElement(IntlProvider, intl));
  expect(html).toContain(">13,368<");
  expect(html).toContain("1,368 in, 12,000 out");
});
