import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ruleOf } from "@/lib/client/live-rules";
import { openLiveStream } from "@/lib/client/live-stream";

/** A browser's window, document and EventSource, as far as the stream asks for them. */
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
  say(name: string, data: object = {}): void {
    this.dispatchEvent(Object.assign(new Event(name), { data: JSON.stringify(data) }));
  }
}

let page: EventTarget & { visibilityState: string; readyState: string };
let view: EventTarget;
const heard: string[] = [];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSource.all = [];
  heard.length = 0;
  page = Object.assign(new EventTarget(), { visibilityState: "visible", readyState: "complete" });
  view = new EventTarget();
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", view);
  vi.stubGlobal("EventSource", FakeSource);
  stop = openLiveStream({
    onChange: (topics) => heard.push(topics.join()),
    onGap: () => heard.push("gap"),
    onEnd: () => heard.push("end"),
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

test("one stream is opened after the page, and its topics are told", () => {
  expect(open()).toHaveLength(1);
  last()?.say("hello");
  last()?.say("changed", { topics: ["keys", "usage"] });
  expect(heard).toEqual(["keys,usage"]);
});

test("a hidden tab holds no stream; when it is looked at again, everything may be stale", () => {
  last()?.say("hello");
  page.visibilityState = "hidden";
  page.dispatchEvent(new Event("visibilitychange"));
  expect(open()).toHaveLength(0);
  page.visibilityState = "visible";
  page.dispatchEvent(new Event("visibilitychange"));
  expect(open()).toHaveLength(1);
  last()?.say("hello");
  expect(heard).toEqual(["gap"]);
});

test("a page that is left closes its stream", () => {
  view.dispatchEvent(new Event("pagehide"));
  expect(open()).toHaveLength(0);
});

test("a stream that breaks is opened again, ever more slowly, and at the first pace once it worked", () => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const waits: number[] = [];
  for (let round = 0; round < 8; round++) {
    last()?.say("error");
    const before = FakeSource.all.length;
    const from = Date.now();
    while (FakeSource.all.length === before) vi.advanceTimersByTime(500);
    waits.push(Date.now() - from);
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  last()?.say("hello");
  last()?.say("error");
  const before = FakeSource.all.length;
  vi.advanceTimersByTime(1_000);
  expect(FakeSource.all.length).toBe(before + 1);
});

test("a tab that nobody touches stops asking, and goes on at the first touch", () => {
  vi.advanceTimersByTime(15 * 60_000);
  expect(open()).toHaveLength(0);
  view.dispatchEvent(new Event("pointermove"));
  expect(open()).toHaveLength(1);
});

/** The server answers the newest stream with an error. */
function refuse(): void {
  const source = last();
  if (!source) throw new Error("no stream was opened");
  source.readyState = FakeSource.CLOSED;
  source.say("error");
}

test("a session that ends is told once, and the stream stays closed", () => {
  last()?.say("ended", { reason: "session" });
  vi.advanceTimersByTime(1_000);
  expect(heard).toEqual([]);
  refuse();
  vi.advanceTimersByTime(120_000);
  expect(heard).toEqual(["end"]);
  expect(open()).toHaveLength(0);
});

test("a session that another took the place of goes on, and a network that is away ends none", () => {
  last()?.say("hello");
  last()?.say("ended", { reason: "session" });
  vi.advanceTimersByTime(1_000);
  last()?.say("error");
  vi.advanceTimersByTime(2_000);
  last()?.say("hello");
  expect(open()).toHaveLength(1);
  expect(heard).toEqual(["gap"]);
  // What is refused now, as by a server that starts, is no end.
  refuse();
  vi.advanceTimersByTime(2_000);
  expect(open()).toHaveLength(1);
  expect(heard).toEqual(["gap"]);
});

test("a server that stops is come back to", () => {
  last()?.say("ended", { reason: "closing" });
  last()?.say("error");
  vi.advanceTimersByTime(2_000);
  expect(open()).toHaveLength(1);
  expect(heard).toEqual([]);
});

test("a path belongs to one rule, lists of several pages too", () => {
  expect(ruleOf("/api/usage/summary?by=model")?.gapMs).toBeGreaterThan(
    ruleOf("/api/usage?limit=12")?.gapMs ?? 0,
  );
  expect(ruleOf("$inf$/api/keys?limit=50")?.on).toEqual(["keys"]);
  expect(ruleOf("/api/user/sessions")?.on).toEqual(["sessions"]);
  expect(ruleOf("/api/user/self")?.on).toEqual(["users"]);
  expect(ruleOf("/v1/models")).toBeNull();
});
