import type { Fallback } from "../../contracts/console/alerts";
import type { OpenSettings } from "../../contracts/console/settings";
import type { OpenReason } from "../../gateway/routing/breaker";
import type { AlertKind, BudgetShare } from "../../ports/store";

export type AlertRules = OpenSettings["alerts"];

/** Input of the alert rules: what one instance knows at one moment. */
export interface AlertFacts {
  /**
   * Channels with an open or half-open circuit, as this process knows it. `models`: those not served; absent: all.
   * `fallbacks`: what serves these models instead.
   */
  openChannels: readonly {
    id: string;
    name: string;
    openedAt: number;
    reason: OpenReason | null;
    models?: readonly string[];
    fallbacks: readonly Fallback[];
  }[];
  /** Calls of the last five minutes, over all instances. */
  calls: { calls: number; failures: number };
  /**
   * Budgets spent to at least HOLDS_FROM_SHARE; `hasRefused`: this process refused a call because the budget was spent.
   */
  budgets: readonly (BudgetShare & { hasRefused: boolean })[];
  /** Disk of the data directory; null when the store is not on it. */
  disk: { freeBytes: number; totalBytes: number } | null;
  /** IDs of the servers on one SQLite file, this one included; empty when it is the only one. */
  servers: readonly string[];
}

/** A problem that exists now, or is close to its threshold. */
export interface Condition {
  kind: AlertKind;
  subject: string;
  detail: Record<string, unknown>;
  /** False: too weak to raise an alert, but enough to keep an open one (hysteresis). */
  isRaised: boolean;
}

/** Below this number of calls the error rate is ignored. */
const LEAST_CALLS = 20;
/** An error-rate alert resolves below this share of its threshold. */
const CALM_SHARE = 0.75;
const NEARLY_SPENT = 80;
const SPENT = 100;
/** Budgets are checked from this percentage on; an alert for a nearly spent one resolves below it. */
export const HOLDS_FROM_SHARE = 75;
/** A disk alert resolves when this many percentage points more than the threshold are free. */
const DISK_MARGIN = 2;

const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : (part / whole) * 100);
const rounded = (percent: number): number => Math.round(percent * 10) / 10;

function channelConditions(minutes: number | null, facts: AlertFacts, now: number): Condition[] {
  if (minutes === null) return [];
  return facts.openChannels.map(({ id, name, openedAt, reason, models, fallbacks }) => ({
    kind: "channel_open",
    subject: id,
    detail: {
      name,
      reason,
      since: new Date(openedAt).toISOString(),
      ...(models === undefined ? {} : { models }),
      fallbacks,
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
    // Other processes do not see the refusal: for them the share alone keeps the alert open.
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
  // Sorted, so that every server reports the same list.
  return [{ kind: "second_server", subject: "", detail: { servers: [...servers].sort() }, isRaised: true }];
}

/** The conditions that hold for these facts under these rules. */
export function conditionsOf(rules: AlertRules, facts: AlertFacts, now: number): Condition[] {
  return [
    ...channelConditions(rules.channel_open_minutes, facts, now),
    ...errorCondition(rules.error_rate_percent, facts),
    ...(rules.budgets ? budgetConditions(facts) : []),
    ...diskCondition(rules.disk_free_percent, facts),
    ...serverCondition(facts),
  ];
}
