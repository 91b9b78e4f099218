import type { AlertRecord, Repositories } from "../../ports/store";
import { type AlertRules, minutesOf, watchesBudget } from "./conditions";

type Watched = Pick<Repositories, "channels" | "keys" | "users">;

/** True when the channel is enabled and still has models that the alert is about, and a rule is on for one of them. */
async function watchesChannel(store: Watched, rules: AlertRules, alert: AlertRecord): Promise<boolean> {
  const channel = await store.channels.find(alert.subject);
  if (!channel?.enabled) return false;
  const names = channel.models.map(({ name }) => name);
  const { models } = alert.detail;
  if (!Array.isArray(models)) return minutesOf(rules, names) !== null;
  const affected = names.filter((name) => models.includes(name));
  return affected.length > 0 && minutesOf(rules, affected) !== null;
}

async function watchesErrorRate(store: Watched, rules: AlertRules, subject: string): Promise<boolean> {
  if (subject === "") return rules.error_rate_percent !== null;
  const rule = rules.rules.find(
    (one) => subject === (one.scope === "model" ? `model:${one.model}` : `key:${one.key_id}`),
  );
  if (rule === undefined || rule.error_rate_percent === null) return false;
  return rule.scope === "model" || (await store.keys.findById(rule.key_id)) !== null;
}

const LIMITS = { total: "totalNano", daily: "dailyNano", monthly: "monthlyNano" } as const;

/**
 * True when a rule is on for the budget, and its key or user still has that budget, above 0, and may still call: both
 * the key and its owner are enabled, and the key has not expired.
 */
async function watchesBudgetAlert(
  store: Watched,
  rules: AlertRules,
  { subject, detail }: AlertRecord,
  now: number,
): Promise<boolean> {
  const [id = ""] = subject.split(":", 1);
  const owner = detail.owner === "user" ? "user" : "key";
  const found = await (owner === "user" ? store.users : store.keys).findById(id);
  if (!found?.enabled || !watchesBudget(rules, { owner, id })) return false;
  if ("ownerId" in found) {
    if (found.expiresAt !== null && found.expiresAt <= now) return false;
    if (!(await store.users.findById(found.ownerId))?.enabled) return false;
  }
  const { period } = detail;
  return (
    (period !== "total" && period !== "daily" && period !== "monthly") ||
    // A budget of 0 refuses every call and is not checked.
    (found.budget[LIMITS[period]] ?? 0) > 0
  );
}

/**
 * Whether the subject of an open alert is still checked. If not, the alert resolves because its condition is no longer
 * found, although the problem may still exist.
 */
export async function isWatched(
  store: Watched,
  rules: AlertRules,
  alert: AlertRecord,
  now: number,
): Promise<boolean> {
  switch (alert.kind) {
    case "channel_open":
      return watchesChannel(store, rules, alert);
    case "error_rate":
      return watchesErrorRate(store, rules, alert.subject);
    case "budget_nearly_spent":
    case "budget_spent":
      return watchesBudgetAlert(store, rules, alert, now);
    case "disk":
      return rules.disk_free_percent !== null;
    case "second_server":
    case "redis":
      return true;
  }
}
