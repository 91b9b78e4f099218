import { describe, expect, test } from "vitest";
import { type AlertFacts, type AlertRules, conditionsOf } from "../../../lib/console/alerts/conditions";
import { alertMessage } from "../../../lib/console/alerts/to-alert";
import { DEFAULT_SETTINGS } from "../../../lib/contracts/console/settings";
import type { AlertRecord, BudgetShare } from "../../../lib/ports/store";

const NOW = 1_790_000_000_000;
const MINUTE = 60_000;
const QUIET: AlertFacts = {
  openChannels: [],
  calls: { calls: 0, failures: 0 },
  scopedCalls: [],
  budgets: [],
  disk: null,
  servers: [],
};
const evaluate = (facts: Partial<AlertFacts>, rules: Partial<AlertRules> = {}) =>
  conditionsOf({ ...DEFAULT_SETTINGS.alerts, ...rules }, { ...QUIET, ...facts }).map(
    ({ kind, subject, isRaised }) => `${kind} ${subject} ${isRaised ? "raised" : "held"}`.replace("  ", " "),
  );

test("raises no alert when nothing is wrong", () => expect(evaluate({})).toEqual([]));

test("raises a channel alert after the rule's minutes, not before", () => {
  const openFor = (ms: number) => ({
    openChannels: [
      {
        id: "chn_1",
        name: "Gemini",
        // Read from a wall clock that was an hour ahead when the circuit opened.
        openedAt: NOW + 60 * MINUTE,
        openMs: ms,
        reason: "credentials" as const,
        affected: ["tts-1", "voice-2"],
        fallbacks: [],
        isQuiet: false,
      },
    ],
  });
  expect(evaluate(openFor(2 * MINUTE - 1))).toEqual(["channel_open chn_1 held"]);
  expect(evaluate(openFor(2 * MINUTE))).toEqual(["channel_open chn_1 raised"]);
  expect(evaluate(openFor(60 * MINUTE), { channel_open_minutes: null })).toEqual([]);
  const rule = { scope: "model", error_rate_percent: null, channel_open_minutes: 1 } as const;
  const own = [{ ...rule, model: "voice-2" }];
  expect(evaluate(openFor(MINUTE), { rules: own }), "a model's own rule counts").toEqual([
    "channel_open chn_1 raised",
  ]);
  expect(evaluate(openFor(MINUTE), { rules: [{ ...rule, model: "other" }] })).toEqual([
    "channel_open chn_1 held",
  ]);
  const off = ["tts-1", "voice-2"].map((model) => ({ ...rule, model, channel_open_minutes: null }));
  expect(evaluate(openFor(60 * MINUTE), { rules: off })).toEqual([]);
});

test("records no peak error rate from fewer calls than an alert requires", () => {
  const peakOf = (calls: number, failures: number) =>
    conditionsOf(DEFAULT_SETTINGS.alerts, { ...QUIET, calls: { calls, failures } })[0]?.detail;
  expect(peakOf(20, 10)).toMatchObject({ percent: 50, peak_percent: 50 });
  expect(peakOf(1, 1)).toMatchObject({ percent: 100, peak_percent: 0 });
});

test("applies the error-rate rule of a model or an API key to the calls of that model or key", () => {
  const model = {
    scope: "model",
    model: "tts-1",
    error_rate_percent: 10,
    channel_open_minutes: null,
  } as const;
  const key = { scope: "key", key_id: "key_1", error_rate_percent: 50, budgets: true } as const;
  const calls = { calls: 20, failures: 4 };
  const scopedCalls = [
    { rule: model, name: "tts-1", calls },
    { rule: key, name: "robot", calls },
  ];
  expect(evaluate({ scopedCalls })).toEqual(["error_rate model:tts-1 raised"]);
  expect(
    evaluate({ scopedCalls: [{ rule: model, name: "tts-1", calls: { calls: 19, failures: 19 } }] }),
  ).toEqual(["error_rate model:tts-1 held"]);
});

test.each([
  [19, 19, ["error_rate held"]],
  [20, 4, ["error_rate raised"]],
  [20, 3, ["error_rate held"]],
  [100, 14, []],
])("evaluates %d calls with %d failures to %j", (calls, failures, expected) => {
  expect(evaluate({ calls: { calls, failures } })).toEqual(expected);
  expect(evaluate({ calls: { calls, failures } }, { error_rate_percent: null })).toEqual([]);
});

test.each([
  [75, false, ["budget_nearly_spent key_1:daily held"]],
  [75, true, ["budget_nearly_spent key_1:daily held"]],
  [80, false, ["budget_nearly_spent key_1:daily raised", "budget_spent key_1:daily held"]],
  [97, true, ["budget_nearly_spent key_1:daily raised", "budget_spent key_1:daily raised"]],
  [100, false, ["budget_nearly_spent key_1:daily raised", "budget_spent key_1:daily raised"]],
])(
  "evaluates a budget that is %d percent spent (a call was refused: %j) to %j",
  (spentNano, hasRefused, expected) => {
    const share: BudgetShare & { hasRefused: boolean } = {
      hasRefused,
      owner: "key",
      id: "key_1",
      name: "robot",
      period: "daily",
      spentNano,
      limitNano: 100,
    };
    expect(evaluate({ budgets: [share] })).toEqual(expected);
    const own = { scope: "key", key_id: "key_1", error_rate_percent: null } as const;
    expect(evaluate({ budgets: [share] }, { rules: [{ ...own, budgets: false }] })).toEqual([]);
    expect(evaluate({ budgets: [share] }, { budgets: false, rules: [{ ...own, budgets: true }] })).toEqual(
      expected,
    );
    expect(evaluate({ budgets: [share] }, { budgets: false })).toEqual([]);
  },
);

test.each([
  [4.9, ["disk raised"]],
  [5, ["disk raised"]],
  [5.1, ["disk held"]],
  [6.9, ["disk held"]],
  [7, []],
])("evaluates a disk with %d percent free to %j", (freeBytes, expected) => {
  expect(evaluate({ disk: { freeBytes, totalBytes: 100 } })).toEqual(expected);
  expect(evaluate({ disk: { freeBytes, totalBytes: 100 } }, { disk_free_percent: null })).toEqual([]);
});

describe("the percentage of an alert", () => {
  const detailsOf = (facts: Partial<AlertFacts>, rules: Partial<AlertRules> = {}) =>
    conditionsOf({ ...DEFAULT_SETTINGS.alerts, ...rules }, { ...QUIET, ...facts }).map(
      ({ kind, detail, isRaised }) => ({ kind, percent: detail.percent, isRaised }),
    );

  test.each([
    [72, 20, 20, 27.8, true],
    [10_000, 1_996, 20, 19.9, false],
    [10_000, 2_004, 20, 20, true],
    // 29 / 100 * 100 is 28.999999999999996 in floating point.
    [100, 29, 29, 29, true],
  ])(
    "of %d calls with %d failures and the threshold %d is %d",
    (calls, failures, threshold, percent, isRaised) => {
      expect(detailsOf({ calls: { calls, failures } }, { error_rate_percent: threshold })).toEqual([
        { kind: "error_rate", percent, isRaised },
      ]);
    },
  );

  test.each([
    [79_960, [["budget_nearly_spent", 79.9, false]]],
    [
      99_960,
      [
        ["budget_nearly_spent", 99.9, true],
        ["budget_spent", 99.9, false],
      ],
    ],
    [
      100_000,
      [
        ["budget_nearly_spent", 100, true],
        ["budget_spent", 100, true],
      ],
    ],
  ])("of a budget does not reach 80 or 100 before the budget does: %d of 100,000", (spentNano, expected) => {
    const budget = { owner: "key", id: "key_1", name: "robot", period: "daily" } as const;
    const share = { ...budget, spentNano, limitNano: 100_000, hasRefused: false };
    expect(
      detailsOf({ budgets: [share] }).map(({ kind, percent, isRaised }) => [kind, percent, isRaised]),
    ).toEqual(expected);
  });

  test.each([
    [5.04, 5.1, false],
    [5, 5, true],
    [4.96, 5, true],
  ])("of a disk with %d percent free and the threshold 5 is %d", (freeBytes, percent, isRaised) => {
    expect(detailsOf({ disk: { freeBytes, totalBytes: 100 } })).toEqual([
      { kind: "disk", percent, isRaised },
    ]);
  });
});

test("raises the same alert on both of two servers on one SQLite file", () => {
  expect(evaluate({ servers: ["b", "a"] })).toEqual(["second_server raised"]);
  const [one, other] = [
    ["b", "a"],
    ["a", "b"],
  ].map((servers) => conditionsOf(DEFAULT_SETTINGS.alerts, { ...QUIET, servers }));
  expect(one).toEqual(other);
});

test.each([
  [{ isUp: true, reason: null, downMs: null, recentOutages: 0 }, []],
  [{ isUp: true, reason: null, downMs: null, recentOutages: 1 }, ["redis held"]],
  [{ isUp: true, reason: null, downMs: null, recentOutages: 3 }, ["redis raised"]],
  [{ isUp: false, reason: "lost", downMs: 4_999, recentOutages: 1 }, ["redis held"]],
  [{ isUp: false, reason: "lost", downMs: 5_000, recentOutages: 1 }, ["redis raised"]],
])("evaluates Redis in the state %j to %j", (sharedState, expected) => {
  expect(evaluate({ sharedState })).toEqual(expected);
});

describe("the message of an alert", () => {
  const SPENT = {
    owner: "key",
    name: "robot",
    period: "daily",
    spent_nano: 1.98e9,
    limit_nano: 2e9,
    percent: 99,
  };
  const messageOf = (
    kind: AlertRecord["kind"],
    detail: Record<string, unknown>,
    resolvedAt: number | null = null,
  ) => alertMessage({ kind, detail, resolvedAt });
  test.each([
    [
      messageOf("channel_open", { name: "Gemini", reason: "credentials", since: "2026-11-21T12:00:00.000Z" }),
      "The channel 'Gemini' has accepted no requests since 2026-11-21T12:00:00.000Z: the upstream rejected the key.",
    ],
    [messageOf("channel_open", { name: "Gemini" }, NOW), "The channel 'Gemini' accepts requests again."],
    [
      messageOf("channel_open", { name: "Gemini", models: ["a", "b"], since: "2026-11-21T12:00:00.000Z" }),
      "The channel 'Gemini' has accepted no requests for 'a', 'b' since 2026-11-21T12:00:00.000Z.",
    ],
    [
      messageOf("channel_open", {
        name: "Gemini",
        since: "2026-11-21T12:00:00.000Z",
        fallbacks: [
          { models: ["bge-m3"], channels: [], recovering: false },
          { models: ["bge-s"], channels: [], recovering: true },
          { models: ["tts-1", "tts-2"], channels: ["OpenAI primary"], recovering: false },
        ],
      }),
      "The channel 'Gemini' has accepted no requests since 2026-11-21T12:00:00.000Z. No fallback: all requests to 'bge-m3' fail. No fallback: requests to 'bge-s' fail until a probe succeeds. 'tts-1', 'tts-2': served by 'OpenAI primary'.",
    ],
    [
      messageOf("error_rate", { calls: 50, failures: 20, percent: 40 }),
      "40 % of the requests in the last five minutes failed (20 of 50).",
    ],
    [
      // There may be no requests any more.
      messageOf("error_rate", { calls: 50, failures: 20, percent: 40 }, NOW),
      "The error rate is no longer above its threshold.",
    ],
    [
      messageOf("budget_spent", SPENT),
      "Requests that do not fit the rest are refused: 99 % of today's budget of the key 'robot' ($1.98 of $2.00) is spent.",
    ],
    [
      messageOf("budget_spent", { ...SPENT, spent_nano: 2e9, percent: 100 }),
      "Requests are refused: 100 % of today's budget of the key 'robot' ($2.00 of $2.00) is spent.",
    ],
    [
      messageOf("budget_nearly_spent", { ...SPENT, spent_nano: 1.99e9, percent: 99.5 }),
      "99.5 % of today's budget of the key 'robot' ($1.99 of $2.00) is spent.",
    ],
    [
      messageOf("budget_nearly_spent", SPENT),
      "99 % of today's budget of the key 'robot' ($1.98 of $2.00) is spent.",
    ],
    [
      messageOf("budget_nearly_spent", { ...SPENT, spent_nano: 8e6, limit_nano: 1e7, percent: 80 }),
      "80 % of today's budget of the key 'robot' ($0.0080 of $0.0100) is spent.",
    ],
    [
      messageOf("budget_nearly_spent", { ...SPENT, spent_nano: 8e4, limit_nano: 1e5, percent: 80 }),
      "80 % of today's budget of the key 'robot' ($0.000080 of $0.000100) is spent.",
    ],
    [
      // A new day has begun: the stored figures are yesterday's.
      messageOf("budget_spent", SPENT, NOW),
      "Requests are accepted again: the limit of today's budget of the key 'robot' is no longer reached.",
    ],
    [
      messageOf("budget_nearly_spent", SPENT, NOW),
      "Less than 80 % of today's budget of the key 'robot' is spent.",
    ],
    [
      messageOf("second_server", { servers: ["m-1-2-a", "m-3-4-b"] }),
      "2 servers use the same SQLite file (m-1-2-a, m-3-4-b): rate limits, circuits and caches are separate in each server.",
    ],
    [
      messageOf("redis", { reason: "no answer within 4 ms" }),
      "Redis does not answer (no answer within 4 ms): each instance applies its share of the limits.",
    ],
    [messageOf("redis", {}, NOW), "Redis is available again: limits apply across all instances."],
    [messageOf("second_server", {}, NOW), "Only one server uses the SQLite file again."],
    [messageOf("disk", { percent: 3.2 }), "Only 3.2 % of the disk of the database is free."],
  ])("is: %s", (message, expected) => expect(message).toBe(expected));
});
