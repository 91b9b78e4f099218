import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MovingDeadline } from "../../../lib/ports/moving-deadline";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function started() {
  const seen: number[] = [];
  const clock = { monotonic: () => performance.now() };
  const deadline = new MovingDeadline(clock, () => seen.push(performance.now()));
  const begin = performance.now();
  const set = (inMs: number) => deadline.set(performance.now() + inMs, performance.now());
  return { deadline, set, firedAt: () => seen.map((at) => at - begin) };
}

test("a deadline that is set again fires once, at its last time", () => {
  const { set, firedAt } = started();
  set(100);
  vi.advanceTimersByTime(60);
  set(100);
  vi.advanceTimersByTime(60);
  set(100);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(99);
  expect(firedAt()).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(firedAt()).toEqual([220]);
});

test("an earlier deadline replaces a later one", () => {
  const { set, firedAt } = started();
  set(10_000);
  set(50);
  vi.advanceTimersByTime(20_000);
  expect(firedAt()).toEqual([50]);
});

test("a paused deadline does not fire until it is set again", () => {
  const { deadline, set, firedAt } = started();
  set(100);
  deadline.pause();
  vi.advanceTimersByTime(500);
  expect(firedAt()).toEqual([]);
  set(100);
  vi.advanceTimersByTime(100);
  expect(firedAt()).toEqual([600]);
});

test("a deadline that has ended leaves no timer", () => {
  const { deadline, set, firedAt } = started();
  set(100);
  deadline.end();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(500);
  expect(firedAt()).toEqual([]);
});
