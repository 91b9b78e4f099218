import type { Fallback } from "../../contracts/console/alerts";
import { newId } from "../../gateway/new-id";
import { LIMIT_ENDED_MS } from "../../gateway/routing/breaker";
import { nextTier } from "../../gateway/routing/choose-channel";
import { accessOf } from "../../gateway/routing/choose-upstream-key";
import { brokenModels, channelHealth, modelHealth } from "../../gateway/routing/circuit-health";
import type { HeldAlert } from "../../gateway/state";
import type { CircuitHealth } from "../../ports/shared-state";
import type { AlertKind, AlertRecord } from "../../ports/store";
import { readSettings } from "../access/read-settings";
import type { ConsoleServices } from "../context";
import {
  type AlertFacts,
  type AlertRules,
  BUDGET_RESOLVE_PERCENT,
  type Condition,
  conditionsOf,
} from "./conditions";
import { deliverAlerts } from "./deliver";
import { isWatched } from "./is-watched";
import { hasWebhook } from "./webhook-credentials";

interface AlertPlan {
  raise: Condition[];
  hold: { alert: AlertRecord; condition: Condition }[];
  resolve: AlertRecord[];
}

/**
 * Alerts of conditions that each instance observes separately resolve only after no instance has seen the condition for
 * this long; each instance checks every 15 s. The time is measured by the monotonic clock of the checking process,
 * because the wall clocks of servers may differ by more. All other conditions come from the shared store, and their
 * alerts resolve at once.
 */
const RESOLVE_AFTER_MS: Readonly<Partial<Record<AlertKind, number>>> = {
  channel_open: 45_000,
  // A server that has just started does not know yet whether another one runs.
  second_server: 45_000,
  redis: 45_000,
};

const keyOf = ({ kind, subject }: { kind: AlertKind; subject: string }) => `${kind} ${subject}`;

/**
 * The new details of an open alert. `peak_percent` is the highest percentage since the alert opened: by the time it
 * resolves, the latest one is low.
 */
function detailOf(alert: AlertRecord, { detail }: Condition): Condition["detail"] {
  const [before, now] = [alert.detail.peak_percent, detail.peak_percent];
  if (typeof now !== "number") return detail;
  return { ...detail, peak_percent: typeof before === "number" ? Math.max(before, now) : now };
}

/** Whether the limit of a spent budget was raised, and no request was refused under the new one. */
function isLimitRaised(alert: AlertRecord, { isRaised, detail }: Condition): boolean {
  return (
    alert.kind === "budget_spent" && !isRaised && Number(detail.limit_nano) > Number(alert.detail.limit_nano)
  );
}

/**
 * The changes to the open alerts for the conditions that hold now. `hold` leaves out alerts whose details are
 * unchanged, unless their kind resolves only after a silence. `silentMs`: for how long no instance has held an alert.
 */
export function planAlerts(
  open: readonly AlertRecord[],
  conditions: readonly Condition[],
  silentMs: (alert: AlertRecord) => number,
): AlertPlan {
  const known = new Map(conditions.map((condition) => [keyOf(condition), condition]));
  const plan: AlertPlan = { raise: [], hold: [], resolve: [] };
  const openKeys = new Set<string>();
  for (const alert of open) {
    const key = keyOf(alert);
    openKeys.add(key);
    const condition = known.get(key);
    const resolveAfterMs = RESOLVE_AFTER_MS[alert.kind] ?? 0;
    if (condition === undefined || isLimitRaised(alert, condition)) {
      if (silentMs(alert) >= resolveAfterMs) plan.resolve.push(alert);
      continue;
    }
    const detail = detailOf(alert, condition);
    if (resolveAfterMs > 0 || JSON.stringify(detail) !== JSON.stringify(alert.detail))
      plan.hold.push({ alert, condition: { ...condition, detail } });
  }
  plan.raise = conditions.filter((condition) => condition.isRaised && !openKeys.has(keyOf(condition)));
  return plan;
}

const RATE_WINDOW_MS = 5 * 60_000;

/** What serves a model now: the channels of its first tier with closed circuits, or nothing. */
async function fallbackOf(
  { catalog, state: { circuits } }: ConsoleServices,
  model: string,
): Promise<Omit<Fallback, "models"> | null> {
  const entry = await catalog.find(model);
  // Requests for a disabled or deleted model do not reach a channel.
  if (entry === null || entry.model.name !== model) return null;
  const tier = nextTier(entry.routes, new Set(), ({ channel }) =>
    accessOf(circuits, channel, model) === "closed" ? "closed" : "refused",
  );
  const channels = tier?.closed.map(({ channel }) => channel.name) ?? [];
  const isRecovering = entry.routes.some(
    ({ channel }) => modelHealth(circuits, channel, model).state === "half_open",
  );
  return { channels, recovering: channels.length === 0 && isRecovering };
}

/** What serves each of these models while a channel does not; models with the same fallback are one entry. */
async function fallbacksOf(services: ConsoleServices, models: readonly string[]): Promise<Fallback[]> {
  const groups = new Map<string, Fallback>();
  for (const model of models) {
    const fallback = await fallbackOf(services, model);
    if (fallback === null) continue;
    const key = JSON.stringify(fallback);
    const group = groups.get(key) ?? { models: [], ...fallback };
    group.models.push(model);
    groups.set(key, group);
  }
  // Models without a fallback first.
  return [...groups.values()].sort((a, b) => Math.min(1, a.channels.length) - Math.min(1, b.channels.length));
}

/** Without a request for this long after a rate limit ended, nothing shows that the upstream still refuses requests. */
const QUIET_MS = 30_000;

/** Whether a rate limit ended `ms` ago and no request was sent since. */
function isIdleLimit({ reason, idleMs }: CircuitHealth, ms: number): boolean {
  return reason === "rate_limited" && idleMs >= ms;
}

async function openChannels(services: ConsoleServices): Promise<AlertFacts["openChannels"]> {
  const { circuits } = services.state;
  const open = (await services.store.channels.all()).flatMap((channel) => {
    if (!channel.enabled) return [];
    const { id, name } = channel;
    const whole = channelHealth(circuits, channel);
    const affected = channel.models.map((model) => model.name);
    const broken = brokenModels(circuits, channel).filter(
      ({ health }) => !isIdleLimit(health, LIMIT_ENDED_MS),
    );
    const failing = broken.filter(({ health }) => !isIdleLimit(health, QUIET_MS));
    const isQuiet = failing.length === 0;
    if (whole.openedAt !== null && !isIdleLimit(whole, isQuiet ? LIMIT_ENDED_MS : QUIET_MS)) {
      const { openedAt, openMs, reason } = whole;
      const ofKeys = channelHealth(circuits, { ...channel, models: [] });
      const level = ofKeys.state === "closed" ? ("models" as const) : ("keys" as const);
      return [
        {
          id,
          name,
          openedAt,
          openMs,
          reason,
          circuits: level,
          affected,
          isQuiet: isIdleLimit(whole, QUIET_MS),
        },
      ];
    }
    const shown = isQuiet ? broken : failing;
    // The model that has failed for longest gives the time and the reason.
    const [first] = shown.sort((a, b) => b.health.openMs - a.health.openMs);
    if (first === undefined || first.health.openedAt === null) return [];
    const { openedAt, openMs, reason } = first.health;
    const models = shown.map((one) => one.name);
    const ofModels = { circuits: "models" as const, models, affected: models };
    return [{ id, name, openedAt, openMs, reason, ...ofModels, isQuiet }];
  });
  return Promise.all(
    open.map(async (channel) => ({ ...channel, fallbacks: await fallbacksOf(services, channel.affected) })),
  );
}

async function budgets(services: ConsoleServices, now: number): Promise<AlertFacts["budgets"]> {
  const { budgetRefusals } = services.state;
  const shares = await services.store.alerts.budgetsAbove(BUDGET_RESOLVE_PERCENT, now);
  return shares.map((share) => ({ ...share, hasRefused: budgetRefusals.isRecent(share) }));
}

/**
 * The calls that each rule for one model or API key covers; rules without an error rate or for deleted keys are left
 * out.
 */
async function scopedCalls(
  { store }: ConsoleServices,
  { rules }: AlertRules,
  now: number,
): Promise<AlertFacts["scopedCalls"]> {
  const since = now - RATE_WINDOW_MS;
  const watched = rules.filter((rule) => rule.error_rate_percent !== null);
  const models = watched.flatMap((rule) => (rule.scope === "model" ? [rule.model] : []));
  const keys = watched.flatMap((rule) => (rule.scope === "key" ? [rule.key_id] : []));
  const ofModels = await store.alerts.callsBy("model", models, since, now);
  const ofKeys = await store.alerts.callsBy("key", keys, since, now);
  const found: AlertFacts["scopedCalls"][number][] = [];
  for (const rule of watched) {
    const calls = rule.scope === "model" ? ofModels.get(rule.model) : ofKeys.get(rule.key_id);
    if (calls === undefined) continue;
    const name = rule.scope === "model" ? rule.model : (await store.keys.findById(rule.key_id))?.name;
    if (name !== undefined) found.push({ rule, name, calls });
  }
  return found;
}

/**
 * Checks the conditions of all alerts, raises and resolves alerts, and sends due messages to the webhooks. Every
 * instance runs this; the store lets only one of them raise each alert. `disk` is null where the store is not on a disk
 * of this machine; `servers` as in AlertFacts.
 */
export async function watchAlerts(
  services: ConsoleServices,
  disk: AlertFacts["disk"],
  servers: AlertFacts["servers"] = [],
): Promise<void> {
  const { store, clock, random, log, state } = services;
  const now = clock.now();
  const { alerts: rules } = await readSettings(store);
  const watchesBudgets = rules.budgets || rules.rules.some((rule) => rule.scope === "key" && rule.budgets);
  const facts: AlertFacts = {
    openChannels: await openChannels(services),
    calls:
      rules.error_rate_percent === null
        ? { calls: 0, failures: 0 }
        : await store.alerts.callsSince(now - RATE_WINDOW_MS, now),
    scopedCalls: await scopedCalls(services, rules, now),
    budgets: watchesBudgets ? await budgets(services, now) : [],
    disk,
    servers,
    sharedState: services.sharedStateHealth?.(),
  };
  // Taken before the read: the time that the read waits must not count as time in which no instance held the alerts.
  const readAt = clock.monotonic();
  const open = await store.alerts.open();
  const held = new Map<string, HeldAlert>(
    open.map(({ id, heldAt }) => {
      const before = state.heldAlerts.get(id);
      return [id, before?.heldAt === heldAt ? before : { heldAt, since: readAt }];
    }),
  );
  state.heldAlerts = held;
  const silentMs = ({ id }: AlertRecord) => readAt - (held.get(id)?.since ?? readAt);
  const plan = planAlerts(open, conditionsOf(rules, facts), silentMs);
  const delivery = (await hasWebhook(store)) ? "pending" : "none";
  for (const { kind, subject, detail } of plan.raise) {
    const id = newId(random, "alt");
    if (!(await store.alerts.raise({ id, kind, subject, detail, openedAt: now, delivery }))) continue;
    held.set(id, { heldAt: now, since: readAt });
    log.warn("alert_opened", { alert: id, kind, subject });
  }
  for (const { alert, condition } of plan.hold) {
    await store.alerts.hold(alert.id, now, condition.detail);
    held.set(alert.id, { heldAt: now, since: readAt });
  }
  for (const alert of plan.resolve) {
    const { id, kind, subject, heldAt, detail } = alert;
    const last = (await isWatched(store, rules, alert, now)) ? detail : { ...detail, is_watched: false };
    if (await store.alerts.resolve({ id, heldAt, detail: last }, now, delivery))
      log.info("alert_resolved", { alert: id, kind, subject });
  }
  const ended = new Set(plan.resolve.map((alert) => alert.id));
  for (const { id, snooze } of open) {
    if (ended.has(id) || snooze === null || snooze.until === null || snooze.until > now) continue;
    if ((await store.alerts.endSnooze(id, now, delivery)) !== null)
      log.info("alert_snooze_over", { alert: id });
  }
  await deliverAlerts(services);
}
