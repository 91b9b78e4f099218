import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cacheKey } from "@/lib/client/api";
import * as api from "@/lib/client/endpoints";
import { watchLiveUpdates } from "@/lib/client/live";
import { openLiveStream } from "@/lib/client/live-stream";

/** A fake EventSource; `send` dispatches a server event. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2;
  static all: FakeSource[] = [];
  isOpen = true;
  readyState = 1;
  constructor() {
    super();
    FakeSource.all.push(this);
  }
  close(): void {
    this.isOpen = false;
  }
  send(name: string, data: object = {}): void {
    this.dispatchEvent(Object.assign(new Event(name), { data: JSON.stringify(data) }));
  }
}

const OLIVIA = { user_id: "usr_olivia" };

let page: EventTarget & { visibilityState: string; readyState: string };
let view: EventTarget;
const events: string[] = [];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSource.all = [];
  events.length = 0;
  page = Object.assign(new EventTarget(), { visibilityState: "visible", readyState: "complete" });
  view = new EventTarget();
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", view);
  vi.stubGlobal("EventSource", FakeSource);
  stop = openLiveStream(OLIVIA.user_id, {
    onChange: (topics) => events.push(topics.join()),
    onGap: () => events.push("gap"),
    onOtherUser: () => events.push("other user"),
    onEnd: () => events.push("end"),
    onState: () => undefined,
  });
  vi.advanceTimersByTime(500);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const open = () => FakeSource.all.filter((one) => one.isOpen);
const last = () => FakeSource.all.at(-1);

test("opens one stream after the page has loaded and reports its topics", () => {
  expect(open()).toHaveLength(1);
  last()?.send("hello", OLIVIA);
  last()?.send("changed", { topics: ["keys", "usage"] });
  expect(events).toEqual(["keys,usage"]);
});

test("closes the stream while the tab is hidden and reports a gap when it reconnects", () => {
  last()?.send("hello", OLIVIA);
  page.visibilityState = "hidden";
  page.dispatchEvent(new Event("visibilitychange"));
  expect(open()).toHaveLength(0);
  page.visibilityState = "visible";
  page.dispatchEvent(new Event("visibilitychange"));
  expect(open()).toHaveLength(1);
  last()?.send("hello", OLIVIA);
  expect(events).toEqual(["gap"]);
});

test("reports a reconnect with the session of another user, but not of the same one", () => {
  const reconnect = (hello: object) => {
    page.dispatchEvent(new Event("visibilitychange"));
    last()?.send("hello", hello);
  };
  last()?.send("hello", OLIVIA);
  reconnect(OLIVIA);
  expect(events).toEqual(["gap"]);
  reconnect({ user_id: "usr_mona" });
  expect(events).toEqual(["gap", "other user"]);
});

test("reports a first connection with the session of another user than the page's", () => {
  last()?.send("hello", { user_id: "usr_mona" });
  expect(events).toEqual(["other user"]);
});

test("treats a `hello` event without a user, as older servers send it, as one of the same user", () => {
  last()?.send("hello", OLIVIA);
  page.dispatchEvent(new Event("visibilitychange"));
  last()?.send("hello");
  expect(events).toEqual(["gap"]);
});

test("closes the stream on pagehide", () => {
  view.dispatchEvent(new Event("pagehide"));
  expect(open()).toHaveLength(0);
});

test("reconnects after growing waits that restart after a successful connection", () => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const waits: number[] = [];
  for (let round = 0; round < 8; round++) {
    last()?.send("error");
    const before = FakeSource.all.length;
    const from = Date.now();
    while (FakeSource.all.length === before) vi.advanceTimersByTime(500);
    waits.push(Date.now() - from);
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  last()?.send("hello", OLIVIA);
  last()?.send("error");
  const before = FakeSource.all.length;
  vi.advanceTimersByTime(1_000);
  expect(FakeSource.all.length).toBe(before + 1);
});

test("reconnects a stream that sends no event for 45 seconds", () => {
  last()?.send("hello", OLIVIA);
  for (let beat = 0; beat < 4; beat += 1) {
    vi.advanceTimersByTime(30_000);
    last()?.send("beat");
  }
  expect(FakeSource.all).toHaveLength(1);
  vi.advanceTimersByTime(47_000);
  expect(FakeSource.all).toHaveLength(2);
  expect(open()).toHaveLength(1);
  last()?.send("hello", OLIVIA);
  expect(events).toEqual(["gap"]);
});

test("reconnects a stream that never answers, but not one of an older server, which sends no beats", () => {
  vi.advanceTimersByTime(47_000);
  expect(FakeSource.all).toHaveLength(2);
  last()?.send("hello", OLIVIA);
  vi.advanceTimersByTime(10 * 60_000);
  expect(FakeSource.all).toHaveLength(2);
});

test("reconnects at once when the browser is online again", () => {
  for (let failure = 0; failure < 6; failure += 1) {
    last()?.send("error");
    if (failure < 5) vi.advanceTimersByTime(60_000);
  }
  expect(open()).toHaveLength(0);
  view.dispatchEvent(new Event("online"));
  expect(open()).toHaveLength(1);
});

test("closes the stream after 15 minutes without input and reopens it on the next input", () => {
  vi.advanceTimersByTime(15 * 60_000);
  expect(open()).toHaveLength(0);
  view.dispatchEvent(new Event("pointermove"));
  expect(open()).toHaveLength(1);
});

/** Closes the newest stream as the browser does when the server refuses the connection. */
function refuse(): void {
  const source = last();
  if (!source) throw new Error("no stream was opened");
  source.readyState = FakeSource.CLOSED;
  source.send("error");
}

test("reports the end of the session once and does not reconnect", () => {
  last()?.send("ended", { reason: "session" });
  vi.advanceTimersByTime(1_000);
  expect(events).toEqual([]);
  refuse();
  vi.advanceTimersByTime(120_000);
  expect(events).toEqual(["end"]);
  expect(open()).toHaveLength(0);
});

test("does not report the end of the session if a reconnect succeeds after `ended`, or fails without `ended`", () => {
  last()?.send("hello", OLIVIA);
  last()?.send("ended", { reason: "session" });
  vi.advanceTimersByTime(1_000);
  last()?.send("error");
  vi.advanceTimersByTime(2_000);
  last()?.send("hello", OLIVIA);
  expect(open()).toHaveLength(1);
  expect(events).toEqual(["gap"]);
  // A refusal without a preceding "ended" event (a server that is starting) is not the end of the session.
  refuse();
  vi.advanceTimersByTime(2_000);
  expect(open()).toHaveLength(1);
  expect(events).toEqual(["gap"]);
});

test("reconnects after the server has shut down", () => {
  last()?.send("ended", { reason: "closing" });
  last()?.send("error");
  vi.advanceTimersByTime(2_000);
  expect(open()).toHaveLength(1);
  expect(events).toEqual([]);
});

describe("the cached pages of lists", () => {
  const pages = ([api.listUsers, api.listCalls] as const).flatMap((endpoint) =>
    [undefined, "c"].map((cursor) => cacheKey(endpoint, { query: { limit: 50, cursor } })),
  );
  const [users, laterUsers, calls, laterCalls] = pages;
  const fetched: unknown[] = [];
  const forgotten: unknown[] = [];
  let stopUpdates: () => void;

  beforeEach(() => {
    const entries = new Map(pages.map((key) => [key, {}]));
    const cache = {
      keys: () => entries.keys(),
      get: (key: string) => entries.get(key),
      set: (key: string, value: object) => void entries.set(key, value),
      delete: (key: string) => void entries.delete(key),
    };
    const mutate = async (...[key, ...data]: unknown[]) => [
      (data.length > 0 ? forgotten : fetched).push(key),
    ];
    stopUpdates = watchLiveUpdates(OLIVIA.user_id, { cache, mutate });
    vi.advanceTimersByTime(500);
    last()?.send("hello", OLIVIA);
  });
  afterEach(() => {
    stopUpdates();
    fetched.length = 0;
    forgotten.length = 0;
  });

  test("are all fetched again after a reconnect, during which changes may have been missed", () => {
    page.visibilityState = "hidden";
    page.dispatchEvent(new Event("visibilitychange"));
    page.visibilityState = "visible";
    page.dispatchEvent(new Event("visibilitychange"));
    expect(fetched).toEqual([]);
    last()?.send("hello", OLIVIA);
    expect(fetched).toEqual([users, calls]);
    // Without their cache entries, later pages are fetched with the first.
    expect(forgotten).toEqual([laterUsers, laterCalls]);
  });

  test("are fetched again from the first page only where later pages cannot have changed", () => {
    last()?.send("changed", { topics: ["usage"] });
    expect([fetched, forgotten]).toEqual([[calls], []]);
    last()?.send("changed", { topics: ["users"] });
    expect([fetched, forgotten]).toEqual([[calls, users], [laterUsers]]);
  });
});
