import { afterEach, expect, test, vi } from "vitest";
import { pushQueryParams, searchText, setQueryParam } from "../../../lib/client/query-params";
import { SearchText } from "../../../lib/contracts/paging";

afterEach(() => vi.unstubAllGlobals());

function openAt(search: string) {
  const calls: string[] = [];
  const history = {
    pushState: (_state: unknown, _title: string, url: string) => calls.push(`push ${url}`),
    replaceState: (_state: unknown, _title: string, url: string) => calls.push(`replace ${url}`),
  };
  vi.stubGlobal("window", { location: { pathname: "/usage", search }, history });
  return calls;
}

test("pushes one history entry for picked filters, even when several change at once", () => {
  const calls = openAt("?range=7d&model=a&tag=b");
  pushQueryParams({ model: "c" });
  pushQueryParams({ model: null, tag: null });
  expect(calls).toEqual(["push /usage?range=7d&model=c&tag=b", "push /usage?range=7d"]);
});

test("pushes no history entry when nothing changes", () => {
  const calls = openAt("?tag=two%20words");
  pushQueryParams({ tag: "two words", model: null });
  expect(calls).toEqual([]);
});

test("replaces the URL while typing and drops the query with its last parameter", () => {
  const calls = openAt("?q=a");
  setQueryParam("q", "ab");
  setQueryParam("q", null);
  expect(calls).toEqual(["replace /usage?q=ab", "replace /usage"]);
});

test.each(["", " a ", "王", "𠮷", "👋", "ab", " 王力 ", "𠮷野"])(
  "searchText returns %j trimmed if the server's search accepts it, else null",
  (q) => {
    const text = searchText(q);
    expect(text).toBe(SearchText.safeParse(q.trim()).success ? q.trim() : null);
  },
);
