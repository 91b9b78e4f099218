import { expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { classify } from "@/lib/gateway/routing/failover-errors";

const blocked = { isCausedByRequest: true, upstreamStatus: 200 };

test.each([
  ["an error that is not an AppError", new TypeError("A bug."), "throw", false],
  ["an internal error", new AppError("internal", "A bug."), "throw", false],
  ["a caller who left", new AppError("caller_left", "Gone."), "throw", false],
  [
    "a request that the upstream refuses",
    new AppError("invalid", "Bad.", { upstreamStatus: 400 }),
    "throw",
    false,
  ],
  ["a request that the channel does not support", new AppError("invalid", "No speed."), "skip", false],
  ["a channel that is full", new AppError("overloaded", "Busy."), "failover", false],
  ["an upstream's rate limit", new AppError("upstream_rate_limited", "Full."), "failover", true],
  [
    "a request above an upstream's rate limit",
    new AppError("upstream_rate_limited", "Too large.", { isCausedByRequest: true }),
    "failover",
    false,
  ],
  [
    "an unknown model",
    new AppError("invalid", "No model.", { upstreamStatus: 404, isUnknownModel: true }),
    "failover",
    true,
  ],
  [
    "a failure that the request causes",
    new AppError("upstream_invalid", "Blocked.", blocked),
    "failover",
    false,
  ],
  [
    "a failure that the request causes everywhere",
    new AppError("upstream_invalid", "Too long.", { ...blocked, shouldRetry: false }),
    "throw",
    false,
  ],
  ["an upstream's failure", new AppError("upstream_error", "Down."), "repeat", true],
  ["a late upstream", new AppError("upstream_timeout", "Late."), "repeat", true],
] as const)("classifies %s", (_title, error, next, countsForCircuit) => {
  expect(classify(error, { embedded: false })).toEqual({ next, countsForCircuit });
});

test("a built-in engine that is late may be called again and keeps its circuit closed", () => {
  const late = new AppError("upstream_timeout", "Late.");
  expect(classify(late, { embedded: true })).toEqual({ next: "repeat", countsForCircuit: false });
});
