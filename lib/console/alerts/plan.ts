import type { AlertKind, AlertRecord } from "../../ports/store";
import type { Condition } from "./conditions";

interface AlertPlan {
  raise: Condition[];
  hold: { alert: AlertRecord; condition: Condition }[];
  resolve: AlertRecord[];
}

/**
 * Conditions that a single instance observes resolve only after no instance has seen them for this long; each checks
 * every 15 s. All other conditions come from the shared store and resolve at once.
 */
const RESOLVE_AFTER_MS: Readonly<Partial<Record<AlertKind, number>>> = {
  channel_open: 45_000,
  // A server that has just started does not know yet whether another one runs.
  second_server: 45_000,
  redis: 45_000,
};

const keyOf = ({ kind, subject }: { kind: AlertKind; subject: string }) => `${kind} ${subject}`;

/**
 * The new details of an open alert. `peak_percent` is the highest since the alert opened, because the latest percentage
 * would be that of its end.
 */
function detailOf(alert: AlertRecord, { detail }: Condition): Condition["detail"] {
  const [before, now] = [alert.detail.peak_percent, detail.peak_percent];
  if (typeof now !== "number") return detail;
  return { ...detail, peak_percent: typeof before === "number" ? Math.max(before, now) : now };
}

/** The changes to the open alerts for the conditions that hold now. A hold without new details is left out. */
export function planAlerts(
  open: readonly AlertRecord[],
  conditions: readonly Condition[],
  now: number,
): AlertPlan {
  const known = new Map(conditions.map((condition) => [keyOf(condition), condition]));
  const plan: AlertPlan = { raise: [], hold: [], resolve: [] };
  const openKeys = new Set<string>();
  for (const alert of open) {
    const key = keyOf(alert);
    openKeys.add(key);
    const condition = known.get(key);
    const resolveAfterMs = RESOLVE_AFTER_MS[alert.kind] ?? 0;
    if (condition === undefined) {
      if (now - alert.heldAt >= resolveAfterMs) plan.resolve.push(alert);
      continue;
    }
    const detail = detailOf(alert, condition);
    if (resolveAfterMs > 0 || JSON.stringify(detail) !== JSON.stringify(alert.detail))
      plan.hold.push({ alert, condition: { ...condition, detail } });
  }
  plan.raise = conditions.filter((condition) => condition.isRaised && !openKeys.has(keyOf(condition)));
  return plan;
}
