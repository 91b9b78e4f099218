import { afterEach, expect, test, vi } from "vitest";
import { hasLetterShortcuts, setLetterShortcuts } from "@/lib/client/letter-shortcuts";
import { clearOtherUsersData } from "@/lib/client/storage";

afterEach(() => vi.unstubAllGlobals());

/** A tab's session storage with these entries. */
function stubStorage(entries: Record<string, string>): Map<string, string> {
  const stored = new Map(Object.entries(entries));
  const sessionStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    clear: () => stored.clear(),
  };
  vi.stubGlobal("window", { sessionStorage });
  return stored;
}

test.each([
  ["of another user", { "patchbay-user": "usr_1", draft: "secret" }],
  ["written between a sign-out and leaving the page", { draft: "secret" }],
])("deletes a draft %s", (_name, entries) => {
  const stored = stubStorage(entries);
  clearOtherUsersData("usr_2");
  expect([...stored]).toEqual([["patchbay-user", "usr_2"]]);
});

test("keeps the user's own draft", () => {
  const stored = stubStorage({ "patchbay-user": "usr_2", draft: "mine" });
  clearOtherUsersData("usr_2");
  expect(stored.get("draft")).toBe("mine");
});

test("clearOtherUsersData does not throw when the browser refuses storage", () => {
  vi.stubGlobal("window", {
    get sessionStorage() {
      throw new DOMException("", "SecurityError");
    },
  });
  expect(() => clearOtherUsersData("usr_2")).not.toThrow();
});

test("letter shortcuts can be turned off and on when the browser refuses storage", () => {
  vi.stubGlobal("window", {
    get localStorage() {
      throw new DOMException("", "SecurityError");
    },
  });
  expect(hasLetterShortcuts()).toBe(true);
  setLetterShortcuts(false);
  expect(hasLetterShortcuts()).toBe(false);
  setLetterShortcuts(true);
  expect(hasLetterShortcuts()).toBe(true);
});
