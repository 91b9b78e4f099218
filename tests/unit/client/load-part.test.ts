import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "@/lib/client/api-error";
import { loadPart, partInOrder } from "@/lib/client/load-part";
import { SWR_CONFIG } from "@/lib/client/swr-config";

const view = new EventTarget();
let isServerUp = true;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", view);
  vi.stubGlobal("fetch", async () => {
    if (!isServerUp) throw new TypeError("fetch failed");
    return Response.json({ success: true, message: "", data: { status: "ok" } });
  });
  isServerUp = true;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("loadPart sends no request to the server when the part loads at once", async () => {
  vi.stubGlobal("fetch", () => expect.unreachable());
  expect(await loadPart(async () => "code")).toBe("code");
});

test("loadPart loads the part again until the server can be reached, however long that takes", async () => {
  isServerUp = false;
  const load = vi.fn(async () => {
    if (!isServerUp) throw new Error("Failed to load chunk");
    return "code";
  });
  const loaded = loadPart(load);
  await vi.advanceTimersByTimeAsync(3_600_000);
  // Every 5 s after the first attempts.
  expect(load.mock.calls.length).toBeGreaterThan(700);
  expect(load.mock.calls.length).toBeLessThan(730);
  isServerUp = true;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await loaded).toBe("code");
});

test("loadPart loads the part at once when the browser fires `online`", async () => {
  isServerUp = false;
  let isLoaded = false;
  void loadPart(async () => {
    if (!isServerUp) throw new Error("Failed to load chunk");
    isLoaded = true;
  });
  await vi.advanceTimersByTimeAsync(60_000);
  isServerUp = true;
  view.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(isLoaded).toBe(true);
});

test("loadPart rejects after two attempts when the server is reachable but no longer has the part", async () => {
  const load = vi.fn(() => Promise.reject(new Error("Failed to load chunk")));
  const failed = expect(loadPart(load)).rejects.toThrow("Failed to load chunk");
  await vi.advanceTimersByTimeAsync(10_000);
  await failed;
  expect(load).toHaveBeenCalledTimes(2);
});

test("loadPart rejects when the server answers with an error, because it can be reached", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ success: false, code: "internal" }, { status: 500 }));
  const failed = expect(loadPart(() => Promise.reject(new Error("Failed to load chunk")))).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(10_000);
  await failed;
});

test("loadPart continues after a proxy's error page, because the server cannot be reached", async () => {
  const load = vi.fn(() => Promise.reject(new Error("Failed to load chunk")));
  vi.stubGlobal("fetch", async () => new Response("<h1>502 Bad Gateway</h1>", { status: 502 }));
  loadPart(load).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(load.mock.calls.length).toBeGreaterThan(10);
});

test("partInOrder resolves the calls that wait for the same part in their order", async () => {
  isServerUp = false;
  const load = partInOrder(async () => {
    if (!isServerUp) throw new Error("Failed to load chunk");
  });
  const done: string[] = [];
  void load().then(() => done.push("first"));
  // The first call has just begun a wait of 5 s.
  await vi.advanceTimersByTimeAsync(8_000);
  isServerUp = true;
  void load().then(() => done.push("second"));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(done).toEqual(["first", "second"]);
  // A later call loads at once.
  await load();
});

test("partInOrder loads a part again at the next call after a failure", async () => {
  let isBroken = true;
  const load = partInOrder(async () => {
    if (isBroken) throw new Error("Failed to load chunk");
    return "code";
  });
  const failed = expect(load()).rejects.toThrow("Failed to load chunk");
  await vi.advanceTimersByTimeAsync(10_000);
  await failed;
  isBroken = false;
  expect(await load()).toBe("code");
});

test("SWR retries after no response or a proxy's error page, but not after an error of the server", () => {
  const { shouldRetryOnError } = SWR_CONFIG;
  if (typeof shouldRetryOnError !== "function") expect.unreachable();
  const isRetried = (status: number) =>
    shouldRetryOnError(new ApiError({ status, code: "internal", message: "" }));
  expect([0, 502, 503, 504].map(isRetried)).toEqual([true, true, true, true]);
  expect([403, 404, 500].map(isRetried)).toEqual([false, false, false]);
});
