import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { ChannelModels } from "@/components/channels/channel-cells";
import { en } from "@/lib/messages/en";

/** The tooltip of a channel's models in the list of channels, as lines. */
function tooltipOf(count: number): string[] {
  const models = Array.from({ length: count }, (_, index) => ({ name: `model-${index}` }));
  const children = createElement(ChannelModels, { channel: { models } });
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en };
  const markup = renderToStaticMarkup(createElement(IntlProvider, { ...intl, children }));
  return (/title="([^"]*)"/.exec(markup)?.[1] ?? "").split("\n");
}

test("the tooltip of a channel's models has twenty names, then a count of the others", () => {
  expect(tooltipOf(20)).toHaveLength(20);
  expect(tooltipOf(300).slice(19)).toEqual(["model-19", "and 280 more"]);
});
