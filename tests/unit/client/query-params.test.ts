import { afterEach, expect, test, vi } from "vitest";
import { setQueryParam, pushQueryParams } from "../../../lib/client/query-params";

afterEach(() => vi.unstubAllGlobals());

function openAt(search: string) {
  const told: string[] = [];
  const history = {
    pushState: (_state: unknown, _title: string, url: string) => told.push(`push ${url}`),
    replaceState: (_state: unknown, _title: string, url: string) => told.push(`replace ${url}`),
  };
  vi.stubGlobal("window", { location: { pathname: "/usage", search }, history });
  return told;
}

test("a filter that is picked is one step back, also when several change at once", () => {
  const told = openAt("?range=7d&model=a&tag=b");
  pushQueryParams({ model: "c" });
  pushQueryParams({ model: null, tag: null });
  expect(told).toEqual(["push ?range=7d&model=c&tag=b", "push ?range=7d"]);
});

test("what stays as it was makes no step", () => {
  const told = openAt("?tag=two%20words");
  pushQueryParams({ tag: "two words", model: null });
  expect(told).toEqual([]);
});

test("what is typed replaces the address; the last choice taken out leaves the page alone", () => {
  const told = openAt("?q=a");
  setQueryParam("q", "ab");
  setQueryParam("q", null);
  expect(told).toEqual(["replace ?q=ab", "replace /usage"]);
});
