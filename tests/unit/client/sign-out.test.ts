import { afterEach, expect, test, vi } from "vitest";
import { signOut } from "@/lib/client/sign-out";

afterEach(() => vi.unstubAllGlobals());

test("sign-out leaves the page where the browser cannot list its databases", async () => {
  const [assign, clear] = [vi.fn(), vi.fn()];
  vi.stubGlobal("fetch", async () => Response.json({ success: true, data: {} }));
  vi.stubGlobal("indexedDB", { databases: () => Promise.reject(new DOMException("", "UnknownError")) });
  vi.stubGlobal("sessionStorage", { clear });
  vi.stubGlobal("window", { location: { assign } });
  await signOut();
  expect(clear).toHaveBeenCalledOnce();
  expect(assign).toHaveBeenCalledWith("/login");
});
