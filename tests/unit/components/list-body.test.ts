import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { FirstRows, ListBody } from "../../../components/shell/list-body";
import { ApiError } from "../../../lib/client/api-error";
import { common } from "../../../lib/messages/en/common";

const LOAD_MORE = common.loadMore;
const error = new ApiError({ status: 503, code: "unavailable", message: "The store is unavailable." });

function render({
  isFiltered = false,
  ...list
}: {
  items?: string[];
  hasMore?: boolean;
  error?: unknown;
  isFiltered?: boolean;
}): string {
  const calls = { loadMore: async () => undefined, reload: async () => undefined, isLoadingMore: false };
  const props = {
    list: {
      items: undefined,
      query: "",
      isCurrent: true,
      isLoading: false,
      hasMore: false,
      error: undefined,
      ...calls,
      ...list,
    },
    isFiltered,
    empty: "No matches",
    children: (items: readonly string[]) => items.join(" "),
  };
  return toHtml(createElement(ListBody<string>, props));
}

function toHtml(body: ReactNode): string {
  const intl = { locale: "en" as const, timeZone: "UTC", messages: { common }, children: body };
  return renderToStaticMarkup(createElement(IntlProvider, intl));
}

test("a list shows why its next page or its newest items did not load, below the items it has", () => {
  const html = render({ items: ["Ada", "Ben"], hasMore: true, error });
  expect(html).toMatch(/Ada Ben.*role="alert".*The store is unavailable\./s);
  expect(html).not.toContain(LOAD_MORE);
});

test("a list whose search failed does not say that nothing matches", () => {
  const html = render({ items: [], error });
  expect(html).toContain("The store is unavailable.");
  expect(html).not.toContain("No matches");
});

test("a list without an error shows its items and the button for more, or its empty state", () => {
  expect(render({ items: ["Ada"], hasMore: true })).toContain(LOAD_MORE);
  expect(render({ items: ["Ada"] })).not.toContain(LOAD_MORE);
  expect(render({ items: [] })).toMatch(/No matches$/);
});

test("says how many rows a search has found, and nothing without a search", () => {
  const statusOf = (list: object) => /<p role="status" class="sr-only">(.*?)<\/p>/.exec(render(list))?.[1];
  expect(statusOf({ items: ["Ada"] })).toBe("");
  expect(statusOf({ items: [], isFiltered: true })).toBe("No results");
  expect(statusOf({ items: ["Ada"], isFiltered: true })).toBe("1 result");
  expect(statusOf({ items: ["Ada", "Ben"], hasMore: true, isFiltered: true })).toBe("The first 2 results");
});

test("the server renders the first 20 rows of a long list, the browser the others", () => {
  const names = Array.from({ length: 50 }, (_, index) => `row-${index}`);
  const rowsIn = (html: string) => html.match(/row-\d+/g)?.length;
  expect(rowsIn(render({ items: names }))).toBe(20);
  const children = (items: readonly string[]) => items.join(" ");
  expect(rowsIn(toHtml(createElement(FirstRows<string>, { items: names, children })))).toBe(20);
  expect(rowsIn(render({ items: names.slice(0, 3) }))).toBe(3);
});
