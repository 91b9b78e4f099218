import { afterEach, expect, test, vi } from "vitest";
import { signOut } from "@/lib/client/sign-out";

afterEach(() => vi.unstubAllGlobals());

test("sign-out leaves the page even if the browser cannot list its databases", async () => {
  const [assign, clear] = [vi.fn(), vi.fn()];
  vi.stubGlobal("fetch", async () => Response.json({ success: true, data: {} }));
  vi.stubGlobal("indexedDB", { databases: () => Promise.reject(new DOMException("", "UnknownError")) });
  vi.stubGlobal("window", { location: { assign }, sessionStorage: { clear } });
  await signOut();
  expect(clear).toHaveBeenCalledOnce();
  expect(assign).toHaveBeenCalledWith("/login");
});

test("sign-out leaves the page even if the browser has no IndexedDB and refuses storage", async () => {
  const assign = vi.fn();
  const refuse = () => {
    throw new DOMException("", "SecurityError");
  };
  vi.stubGlobal("fetch", async () => Response.json({ success: true, data: {} }));
  vi.stubGlobal("indexedDB", undefined);
  vi.stubGlobal("window", { location: { assign }, sessionStorage: { clear: refuse } });
  await signOut();
  expect(assign).toHaveBeenCalledWith("/login");
});

test.each([
  [401, "unauthenticated", true],
  [503, "draining", false],
])("sign-out refused with %i %s: leaves the page: %s", async (status, code, leaves) => {
  const [assign, clear] = [vi.fn(), vi.fn()];
  vi.stubGlobal("fetch", async () =>
    Response.json({ success: false, message: "No.", data: null, code }, { status }),
  );
  vi.stubGlobal("indexedDB", undefined);
  vi.stubGlobal("window", { location: { assign }, sessionStorage: { clear } });
  const failed = await signOut().then(
    () => false,
    () => true,
  );
  expect([failed, clear.mock.calls.length, assign.mock.calls.length]).toEqual(
    leaves ? [false, 1, 1] : [true, 0, 0],
  );
});
