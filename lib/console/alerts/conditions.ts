import type { OpenSettings } from "../../contracts/console/settings";
import type { OpenReason } from "../../gateway/routing/breaker";
import type { AlertKind, BudgetShare } from "../../ports/store";

export type AlertRules = OpenSettings["alerts"];

/** What an instance knows at one moment. */
export interface AlertFacts {
  /** Channels with an open or half-open circuit, as this process knows it. `models`: those not served; absent: all. */
  openChannels: readonly {
    id: string;
    name: string;
    openedAt: number;
    reason: OpenReason | null;
    models?: readonly string[];
  }[];
  /** Of the last five minutes, over all instances. */
  calls: { calls: number; failures: number };
  /** Of which at least HOLDS_FROM_SHARE is spent; `hasRefused`: this process refused a call for want of room. */
  budgets: readonly (BudgetShare & { hasRefused: boolean })[];
  /** Where the data directory stands; null where the store is not there. */
  disk: { freeBytes: number; totalBytes: number } | null;
  /** Ids of the servers on one SQLite file, this one included; empty where it is the only one. */
  servers: readonly string[];
}

/** Something that is wrong now, or nearly so. */
export interface Condition {
  kind: AlertKind;
  subject: string;
  detail: Record<string, unknown>;
  /** False: not enough to raise an alert, but one that is open goes on (hysteresis). */
  isRaised: boolean;
}

/** Fewer calls than these say nothing about a rate. */
export const LEAST_CALLS = 20;
/** An error rate is over when it has fallen below this share of its threshold. */
const CALM_SHARE = 0.75;
const NEARLY_SPENT = 80;
const SPENT = 100;
/** Budgets from this percentage on are looked at: a nearly spent one is over below it. */
export const HOLDS_FROM_SHARE = 75;
/** A disk is well again with this many points more free than the threshold. */
const DISK_MARGIN = 2;

const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : (part / whole) * 100);
const rounded = (percent: number): number => Math.round(percent * 10) / 10;

function channelConditions(minutes: number | null, facts: AlertFacts, now: number): Condition[] {
  if (minutes === null) return [];
  return facts.openChannels.map(({ id, name, openedAt, reason, models }) => ({
    kind: "channel_open",
    subject: id,
    detail: {
      name,
      reason,
      since: new Date(openedAt).toISOString(),
      ...(models === undefined ? {} : { models }),
    },
    isRaised: now - openedAt >= minutes * 60_000,
  }));
}

function errorCondition(threshold: number | null, { calls }: AlertFacts): Condition[] {
  if (threshold === null || calls.calls === 0) return [];
  const percent = percentOf(calls.failures, calls.calls);
  if (percent < threshold * CALM_SHARE) return [];
  return [
    {
      kind: "error_rate",
      subject: "",
      detail: { ...calls, percent: rounded(percent), threshold },
      isRaised: calls.calls >= LEAST_CALLS && percent >= threshold,
    },
  ];
}

function budgetConditions({ budgets }: AlertFacts): Condition[] {
  return budgets.flatMap(({ owner, id, name, period, spentNano, limitNano, hasRefused }) => {
    const percent = percentOf(spentNano, limitNano);
    const base = {
      subject: `${id}:${period}`,
      detail: {
        owner,
        name,
        period,
        spent_nano: spentNano,
        limit_nano: limitNano,
        percent: rounded(percent),
      },
    };
    const nearly: Condition = { kind: "budget_nearly_spent", ...base, isRaised: percent >= NEARLY_SPENT };
    // Other processes know nothing of the refusal: the share alone keeps the alert open for them.
    const spent: Condition = { kind: "budget_spent", ...base, isRaised: hasRefused || percent >= SPENT };
    return percent >= NEARLY_SPENT ? [nearly, spent] : [nearly];
  });
}

function diskCondition(threshold: number | null, { disk }: AlertFacts): Condition[] {
  if (threshold === null || disk === null || disk.totalBytes === 0) return [];
  const percent = percentOf(disk.freeBytes, disk.totalBytes);
  if (percent >= threshold + DISK_MARGIN) return [];
  const detail = {
    free_bytes: disk.freeBytes,
    total_bytes: disk.totalBytes,
    percent: rounded(percent),
    threshold,
  };
  return [{ kind: "disk", subject: "", detail, isRaised: percent < threshold }];
}

function serverCondition({ servers }: AlertFacts): Condition[] {
  if (servers.length === 0) return [];
  // In order, so that every server tells the same.
  return [{ kind: "second_server", subject: "", detail: { servers: [...servers].sort() }, isRaised: true }];
}

/** What these rules make of these facts. */
export function conditionsOf(rules: AlertRules, facts: AlertFacts, now: number): Condition[] {
  return [
    ...channelConditions(rules.channel_open_minutes, facts, now),
    ...errorCondition(rules.error_rate_percent, facts),
    ...(rules.budgets ? budgetConditions(facts) : []),
    ...diskCondition(rules.disk_free_percent, facts),
    ...serverCondition(facts),
  ];
}
