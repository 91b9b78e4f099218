import { expect, test } from "vitest";
import type { Condition } from "../../../lib/console/alerts/conditions";
import { planAlerts } from "../../../lib/console/alerts/watch";
import type { AlertRecord } from "../../../lib/ports/store";

const NOW = 1_790_000_000_000;
const record = (fields: Partial<AlertRecord> = {}): AlertRecord => ({
  id: "alt_1",
  kind: "error_rate",
  subject: "",
  detail: { percent: 40 },
  openedAt: NOW - 60_000,
  heldAt: NOW - 15_000,
  resolvedAt: null,
  seenAt: null,
  snooze: null,
  delivery: "none",
  deliveryAttempts: 0,
  deliveryDueAt: null,
  deliveryError: null,
  deliveryAt: null,
  deliveredTo: [],
  deliveryWebhook: null,
  ...fields,
});
const condition = (fields: Partial<Condition> = {}): Condition => ({
  kind: "error_rate",
  subject: "",
  detail: { percent: 40 },
  isRaised: true,
  ...fields,
});
const countsOf = (open: AlertRecord[], conditions: Condition[], silentMs = 0) => {
  const { raise, hold, resolve } = planAlerts(open, conditions, () => silentMs);
  return { raise: raise.length, hold: hold.length, resolve: resolve.length };
};

test("raises an alert once, and only from its threshold on", () => {
  expect(countsOf([], [condition()])).toEqual({ raise: 1, hold: 0, resolve: 0 });
  expect(countsOf([], [condition({ isRaised: false })])).toEqual({ raise: 0, hold: 0, resolve: 0 });
  expect(countsOf([record()], [condition()])).toEqual({ raise: 0, hold: 0, resolve: 0 });
});

test("holds an open alert with new figures just below the threshold", () => {
  const near = condition({ isRaised: false, detail: { percent: 17 } });
  expect(countsOf([record()], [near])).toEqual({ raise: 0, hold: 1, resolve: 0 });
});

test("resolves the alert of a spent budget when its limit is raised", () => {
  const spent = record({ kind: "budget_spent", detail: { limit_nano: 100 } });
  const near = (limit_nano: number, isRaised: boolean) =>
    condition({ kind: "budget_spent", detail: { limit_nano }, isRaised });
  expect(countsOf([spent], [near(100, false)])).toMatchObject({ resolve: 0 });
  expect(countsOf([spent], [near(120, true)])).toMatchObject({ resolve: 0 });
  expect(countsOf([spent], [near(99, false)])).toMatchObject({ resolve: 0 });
  expect(countsOf([spent], [near(120, false)])).toMatchObject({ resolve: 1 });
});

test("keeps the highest error rate since the alert opened", () => {
  const open = record({ detail: { percent: 70, peak_percent: 81 } });
  const seen = condition({ detail: { percent: 17, peak_percent: 17 } });
  expect(planAlerts([open], [seen], () => 0).hold.map((one) => one.condition.detail)).toEqual([
    { percent: 17, peak_percent: 81 },
  ]);
  const worse = condition({ detail: { percent: 90, peak_percent: 90 } });
  expect(planAlerts([open], [worse], () => 0).hold.map((one) => one.condition.detail)).toEqual([
    { percent: 90, peak_percent: 90 },
  ]);
});

test("resolves an alert immediately when its condition no longer holds", () => {
  expect(countsOf([record()], [])).toEqual({ raise: 0, hold: 0, resolve: 1 });
});

test("resolves a channel alert only after three checks in which no instance held it", () => {
  const open = record({ kind: "channel_open", subject: "chn_1" });
  expect(countsOf([open], [], 44_999)).toEqual({ raise: 0, hold: 0, resolve: 0 });
  expect(countsOf([open], [], 45_000)).toEqual({ raise: 0, hold: 0, resolve: 1 });
  // Each instance that sees the open circuit holds the alert, so that no other instance resolves it.
  const same = condition({
    kind: "channel_open",
    subject: "chn_1",
    isRaised: false,
    detail: { percent: 40 },
  });
  expect(countsOf([open], [same], 45_000)).toEqual({ raise: 0, hold: 1, resolve: 0 });
});
