import { expect, test } from "vitest";
import { cordsOf, isCircuitOpen } from "../../../components/overview/cords";

const route = (calls: number, errors: number, failovers = 0) => ({
  model: "tts",
  channel_id: "chn_1",
  calls,
  errors,
  failovers,
});
const stateOf = (calls: number, errors: number, isOpen = false, failovers = 0) =>
  cordsOf([route(calls, errors, failovers)], ["tts"], ["chn_1"], () => isOpen)[0]?.state;

test("shows a route as failing with a high error rate or an open circuit only", () => {
  expect(stateOf(10, 0)).toBe("active");
  expect(stateOf(0, 0)).toBe("idle");
  expect(stateOf(100, 1)).toBe("active");
  expect(stateOf(10, 2)).toBe("failing");
  expect(stateOf(10, 0, true)).toBe("failing");
  expect(stateOf(0, 0, true)).toBe("failing");
});

test("shows a route whose requests another channel served as failing, not as idle", () => {
  expect(stateOf(0, 0, false, 3)).toBe("failing");
  expect(stateOf(100, 0, false, 3)).toBe("active");
});

test("reports an open circuit of a channel or one of its models, but not of a recovering or disabled one", () => {
  const health = (state: "closed" | "open" | "half_open") => ({
    state,
    opened_at: null,
    reason: null,
    retry_at: null,
  });
  const broken_models = [
    { name: "down", ...health("open") },
    { name: "recovering", ...health("half_open") },
  ];
  const partial = { enabled: true, health: health("closed"), broken_models };
  expect(isCircuitOpen({ enabled: true, health: health("open"), broken_models: [] })).toBe(true);
  expect(isCircuitOpen({ enabled: false, health: health("open"), broken_models: [] })).toBe(false);
  expect(isCircuitOpen({ enabled: true, health: health("half_open"), broken_models: [] })).toBe(false);
  expect(isCircuitOpen({ enabled: false, health: null, broken_models: [] })).toBe(false);
  expect([isCircuitOpen(partial), isCircuitOpen(partial, "recovering")]).toEqual([false, false]);
  expect(isCircuitOpen(partial, "down")).toBe(true);
  expect(isCircuitOpen({ ...partial, enabled: false }, "down")).toBe(false);
});
