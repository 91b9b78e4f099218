import { expect, test } from "vitest";
import { decodeTrace, encodeTrace } from "../../../lib/store/ledger/trace";

test("keeps `upstreamRefusal` of an attempt without a message", () => {
  const times = { startedMs: 0, firstByteMs: null, endedMs: 5 };
  const failed = { error: "upstream_error", upstreamStatus: 400, message: null } as const;
  const attempts = [
    { channelId: "chn_1", keyId: "k1", ...times, ...failed, upstreamRefusal: "account" as const },
    { channelId: "chn_1", keyId: "k2", ...times, ...failed },
    // For example, a 401 about one model behind the upstream: neither the key nor the account was refused.
    { channelId: "chn_1", keyId: "k3", ...times, ...failed, upstreamStatus: 401 },
  ];
  const trace = { admittedMs: 0, settledMs: 5, attempts };
  expect(decodeTrace(encodeTrace(trace))).toEqual(trace);
});

test.each([
  ["upstream_error", 401, "credentials"],
  ["upstream_error", 403, "credentials"],
  ["upstream_error", 402, "account"],
  ["upstream_error", 500, undefined],
  ["invalid", 401, undefined],
])("a trace of an earlier version with %s and status %s names the refusal %s", (error, status, refusal) => {
  const stored = JSON.stringify([1, 0, 5, [["chn_1", "k1", 0, null, 5, error, status, "No."]]]);
  expect(decodeTrace(stored)?.attempts[0]?.upstreamRefusal).toBe(refusal);
});
