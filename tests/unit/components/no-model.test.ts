import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { SWRConfig } from "swr";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { NoModel } from "@/components/playground/no-model";
import { api, cacheKey } from "@/lib/client/api";
import { en } from "@/lib/messages/en";

function shownTo(role: string): string {
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en, children: createElement(NoModel) };
  const value = { fallback: { [cacheKey(api.readSelf)]: { role } } };
  return renderToStaticMarkup(createElement(SWRConfig, { value }, createElement(IntlProvider, intl)));
}

test("a playground without models offers administrators to add a channel, and members no permission", () => {
  expect(shownTo("admin")).toContain('href="/channels/new"');
  expect(shownTo("member")).not.toContain("href");
  expect(shownTo("member")).toContain("An administrator can add or enable a channel.");
});
