import type { Fallback } from "../../contracts/console/alerts";
import type { CircuitReason } from "../../contracts/console/channels";
import type { OpenSettings, ScopedAlertRule } from "../../contracts/console/settings";
import type { SharedStateHealth } from "../../ports/shared-state";
import type { AlertKind, BudgetShare, CallCounts } from "../../ports/store";

export type AlertRules = OpenSettings["alerts"];

/** Input of the alert rules: what one instance knows at one moment. */
export interface AlertFacts {
  /**
   * Channels with an open or half-open circuit, as this process knows it. `openedAt`: wall-clock time, for display
   * only; `openMs`: age of the circuit by the monotonic clock. `models`: the models that the channel does not serve;
   * absent: all its models. `circuits`: the level of the circuits that are not closed, those of keys or those of models
   * on them; absent: unknown. `affected`: the models that are not served, listed in either case. `fallbacks`: what
   * serves the affected models instead.
   */
  openChannels: readonly {
    id: string;
    name: string;
    openedAt: number;
    openMs: number;
    reason: CircuitReason | null;
    circuits?: "keys" | "models";
    models?: readonly string[];
    affected: readonly string[];
    fallbacks: readonly Fallback[];
    /**
     * True when only rate limits are left that ended a while ago, without a request since: keeps an open alert, but
     * raises none.
     */
    isQuiet: boolean;
  }[];
  /** Calls of the last five minutes, over all instances. */
  calls: CallCounts;
  /** The same for each rule with an error rate of one model or API key; `name`: display name of that model or key. */
  scopedCalls: readonly { rule: ScopedAlertRule; name: string; calls: CallCounts }[];
  /**
   * Budgets spent to at least BUDGET_RESOLVE_PERCENT; `hasRefused`: this process refused a call because the budget was
   * spent.
   */
  budgets: readonly (BudgetShare & { hasRefused: boolean })[];
  /** The disk that holds the database; null when the store is not on a disk of this machine. */
  disk: { freeBytes: number; totalBytes: number } | null;
  /** The state of Redis as this instance sees it; absent when no Redis is configured. */
  sharedState?: SharedStateHealth;
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
const MIN_CALLS = 20;
/** An error-rate alert resolves below this share of its threshold. */
const ERROR_RATE_RESOLVE_FACTOR = 0.75;
const NEARLY_SPENT = 80;
const SPENT = 100;
/** Budgets are checked from this percentage on; an alert for a nearly spent one resolves below it. */
export const BUDGET_RESOLVE_PERCENT = 75;
/** A disk alert resolves when this many percentage points more than the threshold are free. */
const DISK_MARGIN = 2;

/** Multiplies before it divides, so that 29 of 100 is exactly 29. */
const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : (part * 100) / whole);

/** The percentage to one decimal, but never rounded up to one of the thresholds, which are whole numbers. */
function shownPercent(percent: number, thresholds: readonly number[]): number {
  const rounded = Math.round(percent * 10) / 10;
  return thresholds.includes(rounded) && percent < rounded ? (rounded * 10 - 1) / 10 : rounded;
}

/**
 * The minutes of outage after which an alert is raised: the fewest of the rules for these models, or of the general
 * rule without models. Null: none of these rules is on.
 */
export function minutesOf(rules: AlertRules, affected: readonly string[]): number | null {
  const ofModels = affected.map((name) => {
    const own = rules.rules.find((rule) => rule.scope === "model" && rule.model === name);
    return own?.scope === "model" ? own.channel_open_minutes : rules.channel_open_minutes;
  });
  const watched = (affected.length === 0 ? [rules.channel_open_minutes] : ofModels).filter(
    (minutes) => minutes !== null,
  );
  return watched.length === 0 ? null : Math.min(...watched);
}

function channelConditions(rules: AlertRules, facts: AlertFacts): Condition[] {
  return facts.openChannels.flatMap(
    ({ id, name, openedAt, openMs, reason, circuits, models, affected, fallbacks, isQuiet }) => {
      const minutes = minutesOf(rules, affected);
      if (minutes === null) return [];
      const detail = {
        name,
        reason,
        since: new Date(openedAt).toISOString(),
        circuits,
        models,
        fallbacks,
      };
      const isRaised = !isQuiet && openMs >= minutes * 60_000;
      return [{ kind: "channel_open", subject: id, detail, isRaised }];
    },
  );
}

function errorCondition(
  threshold: number | null,
  calls: CallCounts,
  subject: { scope: "model" | "key"; id: string; name: string } | null,
): Condition[] {
  if (threshold === null || calls.calls === 0) return [];
  const percent = percentOf(calls.failures, calls.calls);
  if (percent < threshold * ERROR_RATE_RESOLVE_FACTOR) return [];
  const shown = shownPercent(percent, [threshold]);
  const isEnough = calls.calls >= MIN_CALLS;
  // With few calls, a percentage is no peak: one failed call while an alert is open may be 100 %.
  const figures = { ...calls, percent: shown, peak_percent: isEnough ? shown : 0, threshold };
  return [
    {
      kind: "error_rate",
      subject: subject === null ? "" : `${subject.scope}:${subject.id}`,
      detail: subject === null ? figures : { scope: subject.scope, name: subject.name, ...figures },
      isRaised: isEnough && percent >= threshold,
    },
  ];
}

function scopedErrorConditions({ scopedCalls }: AlertFacts): Condition[] {
  return scopedCalls.flatMap(({ rule, name, calls }) => {
    const id = rule.scope === "model" ? rule.model : rule.key_id;
    return errorCondition(rule.error_rate_percent, calls, { scope: rule.scope, id, name });
  });
}

/** Whether alerts about a budget are wanted. */
export function watchesBudget(rules: AlertRules, { owner, id }: Pick<BudgetShare, "owner" | "id">): boolean {
  const own = rules.rules.find((rule) => rule.scope === "key" && owner === "key" && rule.key_id === id);
  return own?.scope === "key" ? own.budgets : rules.budgets;
}

function budgetConditions(rules: AlertRules, { budgets }: AlertFacts): Condition[] {
  const watched = budgets.filter((share) => watchesBudget(rules, share));
  return watched.flatMap(({ owner, id, name, period, spentNano, limitNano, hasRefused }) => {
    const percent = percentOf(spentNano, limitNano);
    const base = {
      subject: `${id}:${period}`,
      detail: {
        owner,
        name,
        period,
        spent_nano: spentNano,
        limit_nano: limitNano,
        percent: shownPercent(percent, [NEARLY_SPENT, SPENT]),
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
    // Free space reaches its threshold from above: with the sign reversed, it is not rounded down to the threshold.
    percent: -shownPercent(-percent, [-threshold]),
    threshold,
  };
  return [{ kind: "disk", subject: "", detail, isRaised: percent <= threshold }];
}

function serverCondition({ servers }: AlertFacts): Condition[] {
  if (servers.length === 0) return [];
  // Sorted, so that every server reports the same list.
  return [{ kind: "second_server", subject: "", detail: { servers: [...servers].sort() }, isRaised: true }];
}

/** A shorter loss of Redis raises no alert, unless it happens repeatedly. */
const REDIS_DOWN_MS = 5_000;
const REDIS_OUTAGES_PER_MINUTE = 3;

function redisCondition({ sharedState }: AlertFacts): Condition[] {
  if (sharedState === undefined) return [];
  const { isUp, reason, downMs, recentOutages } = sharedState;
  if (isUp && recentOutages === 0) return [];
  const isLong = downMs !== null && downMs >= REDIS_DOWN_MS;
  const detail = { reason };
  return [
    { kind: "redis", subject: "", detail, isRaised: isLong || recentOutages >= REDIS_OUTAGES_PER_MINUTE },
  ];
}

/** The conditions that hold for these facts under these rules. */
export function conditionsOf(rules: AlertRules, facts: AlertFacts): Condition[] {
  return [
    ...channelConditions(rules, facts),
    ...errorCondition(rules.error_rate_percent, facts.calls, null),
    ...scopedErrorConditions(facts),
    ...budgetConditions(rules, facts),
    ...diskCondition(rules.disk_free_percent, facts),
    ...serverCondition(facts),
    ...redisCondition(facts),
  ];
}
