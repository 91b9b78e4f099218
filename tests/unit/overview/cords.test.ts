import { expect, test } from "vitest";
import { cordsOf, isPassedOver } from "../../../components/overview/cords";

const route = (calls: number, errors: number) => ({ model: "tts", channel_id: "chn_1", calls, errors });
const stateOf = (calls: number, errors: number, isOpen = false) =>
  cordsOf([route(calls, errors)], ["tts"], ["chn_1"], () => isOpen)[0]?.state;

test("a cord breaks where calls of the range fail or its channel is passed over, and nowhere else", () => {
  expect(stateOf(10, 0)).toBe("carries");
  expect(stateOf(0, 0)).toBe("idle");
  expect(stateOf(100, 1)).toBe("carries");
  expect(stateOf(10, 2)).toBe("breaks");
  expect(stateOf(10, 0, true)).toBe("breaks");
  expect(stateOf(0, 0, true)).toBe("breaks");
});

test("a channel on trial, or one that its operator switched off, is not passed over", () => {
  const health = (state: "closed" | "open" | "half_open") => ({
    state,
    opened_at: null,
    reason: null,
    retry_at: null,
  });
  expect(isPassedOver({ enabled: true, health: health("open") })).toBe(true);
  expect(isPassedOver({ enabled: false, health: health("open") })).toBe(false);
  expect(isPassedOver({ enabled: true, health: health("half_open") })).toBe(false);
  expect(isPassedOver({ enabled: false, health: null })).toBe(false);
});
