import { expect, test } from "vitest";
import { cordsOf, isCircuitOpen } from "../../../components/overview/cords";

const route = (calls: number, errors: number) => ({ model: "tts", channel_id: "chn_1", calls, errors });
const stateOf = (calls: number, errors: number, isOpen = false) =>
  cordsOf([route(calls, errors)], ["tts"], ["chn_1"], () => isOpen)[0]?.state;

test("a cord breaks where calls of the range fail or its channel is passed over, and nowhere else", () => {
  expect(stateOf(10, 0)).toBe("active");
  expect(stateOf(0, 0)).toBe("idle");
  expect(stateOf(100, 1)).toBe("active");
  expect(stateOf(10, 2)).toBe("failing");
  expect(stateOf(10, 0, true)).toBe("failing");
  expect(stateOf(0, 0, true)).toBe("failing");
});

test("a recovering or disabled channel is not passed over; a model with an open circuit is", () => {
  const health = (state: "closed" | "open" | "half_open") => ({
    state,
    opened_at: null,
    reason: null,
    retry_at: null,
  });
  const broken_models = [
    { name: "down", ...health("open") },
    { name: "mending", ...health("half_open") },
  ];
  const partial = { enabled: true, health: health("closed"), broken_models };
  expect(isCircuitOpen({ enabled: true, health: health("open"), broken_models: [] })).toBe(true);
  expect(isCircuitOpen({ enabled: false, health: health("open"), broken_models: [] })).toBe(false);
  expect(isCircuitOpen({ enabled: true, health: health("half_open"), broken_models: [] })).toBe(false);
  expect(isCircuitOpen({ enabled: false, health: null, broken_models: [] })).toBe(false);
  expect([isCircuitOpen(partial), isCircuitOpen(partial, "mending")]).toEqual([false, false]);
  expect(isCircuitOpen(partial, "down")).toBe(true);
  expect(isCircuitOpen({ ...partial, enabled: false }, "down")).toBe(false);
});
