import { expect, test } from "vitest";
import { leastLeftBudget } from "@/lib/client/budget";
import { failureOfBody, minuteLimitOf } from "@/lib/client/gateway-error";
import { nextPeriodStart } from "@/lib/console/users/self";
import { EMPTY_SHARE } from "@/lib/contracts/gateway/error-sentences";
import { limitError } from "@/lib/gateway/admission/admit-request";
import type { RateState } from "@/lib/ports/shared-state";

const state = (limits: object, spent: object = {}) => ({
  budget: { total_usd: null, daily_usd: null, monthly_usd: null, ...limits },
  spent: { total_usd: "0.000000000", daily_usd: "0.000000000", monthly_usd: "0.000000000", ...spent },
  daily_resets_at: "2026-11-23T00:00:00.000Z",
  monthly_resets_at: "2026-12-01T00:00:00.000Z",
});

test("finds the budget with the least left, and its reset", () => {
  expect(leastLeftBudget(state({}))).toBeNull();
  const both = { daily_usd: "5.00", monthly_usd: "20.00" };
  expect(leastLeftBudget(state(both, { daily_usd: "4.5", monthly_usd: "4.5" }))).toEqual({
    period: "daily",
    limit: 5,
    left: 0.5,
    resetsAt: "2026-11-23T00:00:00.000Z",
  });
  expect(leastLeftBudget(state(both, { daily_usd: "1", monthly_usd: "20" }))).toMatchObject({
    period: "monthly",
    left: 0,
  });
  expect(leastLeftBudget(state({ total_usd: "0.00" }))).toMatchObject({ period: "total", resetsAt: null });
});

/** The failure that the page reads from the server's error about a limit per minute. */
function minuteFailure(unit: "requests" | "tokens", limit: number, cost: number, state: Partial<RateState>) {
  const request = {
    bucket: "rpm:key",
    name: "key_rpm",
    subject: "This key is limited to",
    limit,
    cost,
  } as const;
  const whole = { allowed: false, remaining: 0, resetMs: 6_000, retryAfterMs: 4_000, ...state };
  const metrics = { count: () => undefined, observeCall: () => undefined, countRejection: () => undefined };
  return failureOf(limitError({ metrics }, [request], [whole], unit).message);
}

function failureOf(message: string) {
  const found = failureOfBody({ error: { message, code: 429, status: "RESOURCE_EXHAUSTED" } }, 429);
  if (found === null) throw new Error("The body is no error.");
  return found;
}

test("reads the limit per minute from an error of the gateway, but not from an upstream's", () => {
  for (const limit of [1, 60])
    expect(minuteLimitOf(minuteFailure("requests", limit, 1, {}))).toEqual({ unit: "requests", limit });
  expect(minuteLimitOf(minuteFailure("tokens", 10, 8, { remaining: 2 }))).toEqual({
    unit: "tokens",
    limit: 10,
  });
  expect(minuteLimitOf(failureOf("The upstream is limiting requests."))).toBeNull();
  // Waiting does not help a request that exceeds the whole limit.
  const tooLarge = minuteFailure("tokens", 1, 2, { remaining: 1 });
  expect([tooLarge.advice, minuteLimitOf(tooLarge)]).toEqual(["too-large", { unit: "tokens", limit: 1 }]);
  // This request fits the limit, but exceeds this process's share of the limit.
  const aboveShare = minuteFailure("tokens", 100, 80, { remaining: 50, resetMs: 0 });
  expect([aboveShare.advice, minuteLimitOf(aboveShare)]).toEqual(["too-large", null]);
  const noShare = minuteFailure("requests", 1, 1, { resetMs: 0 });
  expect([noShare.advice, minuteLimitOf(noShare)]).toEqual(["raise-limit", null]);
  const noSlot = failureOf(`This key is limited to 1 concurrent request. ${EMPTY_SHARE}`);
  expect([noSlot.advice, minuteLimitOf(noSlot)]).toEqual(["raise-limit", null]);
});

test.each([
  ["UTC", "2026-11-22T13:00:00Z", "2026-11-23T00:00:00Z", "2026-12-01T00:00:00Z"],
  ["Asia/Kathmandu", "2026-11-22T18:10:00Z", "2026-11-22T18:15:00Z", "2026-11-30T18:15:00Z"],
  ["America/New_York", "2026-03-08T06:00:00Z", "2026-03-09T04:00:00Z", "2026-04-01T04:00:00Z"],
  ["UTC", "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z", "2026-12-01T00:00:00Z"],
])("budgets reset at midnight in %s, also when clocks change", (zone, now, day, month) => {
  expect(nextPeriodStart(zone, Date.parse(now), "day")).toBe(Date.parse(day));
  expect(nextPeriodStart(zone, Date.parse(now), "month")).toBe(Date.parse(month));
});
