import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { NoModel } from "@/components/playground/no-model";
import type { Role } from "@/lib/contracts/console/user";
import { en } from "@/lib/messages/en";

function shownTo(role: Role): string {
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en };
  const children = createElement(NoModel, { role });
  return renderToStaticMarkup(createElement(IntlProvider, { ...intl, children }));
}

test("a playground without models links administrators to the form of a new channel, and members to no page", () => {
  expect(shownTo("admin")).toContain('href="/channels/new"');
  expect(shownTo("member")).not.toContain("href");
  expect(shownTo("member")).toContain("An administrator can add or enable a channel.");
});
