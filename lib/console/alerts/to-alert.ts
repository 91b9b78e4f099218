import { type Alert, Fallback } from "../../contracts/console/alerts";
import { nanoToUsd } from "../../contracts/money";
import { timestampOrNull, toTimestamp } from "../../contracts/timestamp";
import type { AlertRecord } from "../../ports/store";

/** Most names in a sentence. */
const MAX_NAMES = 5;

type AlertFields = Pick<AlertRecord, "kind" | "detail" | "resolvedAt">;

const REASONS: Readonly<Record<string, string>> = {
  failures: "consecutive requests failed",
  error_rate: "too many requests failed",
  rate_limited: "the upstream's rate limit is exceeded",
  credentials: "the upstream rejected the key",
  account: "the upstream account is out of credit",
};
const PERIODS: Readonly<Record<string, string>> = {
  daily: "today's",
  monthly: "this month's",
  total: "the total",
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const namesIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);
const number = (value: unknown): number => (typeof value === "number" ? value : 0);
const dollars = (nano: unknown, decimals: number): string => `$${(number(nano) / 1e9).toFixed(decimals)}`;

/** `of today's budget of the key 'robot'` */
function budgetWords(detail: AlertRecord["detail"]): string {
  const period = PERIODS[text(detail.period)] ?? "the";
  return `of ${period} budget of the ${text(detail.owner)} '${text(detail.name)}'`;
}

/** How much is spent, for open alerts only: a resolved alert keeps the figures from before it was resolved. */
function spentWords(detail: AlertRecord["detail"]): string {
  const limit = number(detail.limit_nano);
  // In cents, both figures of a small budget would be the same.
  const decimals = limit < 1e9 ? Math.min(9, Math.max(4, Math.ceil(11 - Math.log10(limit)))) : 2;
  const figures = `${dollars(detail.spent_nano, decimals)} of ${dollars(limit, decimals)}`;
  return `${number(detail.percent)} % ${budgetWords(detail)} (${figures}) is spent.`;
}

/** What an alert ends with when its rule was turned off, or its subject was disabled or deleted. */
const UNWATCHED = "is no longer watched; the problem may still exist.";

const unwatchedBudget = (detail: AlertRecord["detail"]): string =>
  `The budget of the ${text(detail.owner)} '${text(detail.name)}' ${UNWATCHED}`;

const quoted = (names: readonly string[]): string => {
  const shown = names.slice(0, MAX_NAMES).map((name) => `'${name}'`);
  return names.length > MAX_NAMES
    ? `${shown.join(", ")} and ${names.length - MAX_NAMES} more`
    : shown.join(", ");
};

/** A sentence for each group of models: what serves them, or that nothing does. */
function fallbackWords(detail: AlertRecord["detail"]): string[] {
  const fallbacks = Fallback.array().safeParse(detail.fallbacks);
  return (fallbacks.data ?? []).map(({ models, channels, recovering }) => {
    if (channels.length > 0) return `${quoted(models)}: served by ${quoted(channels)}.`;
    return recovering
      ? `No fallback: requests to ${quoted(models)} fail until a probe succeeds.`
      : `No fallback: all requests to ${quoted(models)} fail.`;
  });
}

/** One English sentence for webhooks and API clients; the console composes its own text from `detail`. */
export function alertMessage({ kind, detail, resolvedAt }: AlertFields): string {
  const isOver = resolvedAt !== null;
  const isUnwatched = isOver && detail.is_watched === false;
  switch (kind) {
    case "channel_open": {
      const reason = REASONS[text(detail.reason)];
      const models = namesIn(detail.models);
      const subject = `The channel '${text(detail.name)}'`;
      const object = models.length === 0 ? "" : ` for ${models.map((name) => `'${name}'`).join(", ")}`;
      if (isUnwatched) return `${subject} ${UNWATCHED}`;
      if (isOver) return `${subject} accepts requests${object} again.`;
      const cause = reason === undefined ? "" : `: ${reason}`;
      return [
        `${subject} has accepted no requests${object} since ${text(detail.since)}${cause}.`,
        ...fallbackWords(detail),
      ].join(" ");
    }
    case "error_rate": {
      const owner = detail.scope === "key" ? "API key" : "model";
      const subject = detail.scope === undefined ? "" : ` of the ${owner} '${text(detail.name)}'`;
      if (isUnwatched) return `The error rate${subject} ${UNWATCHED}`;
      if (isOver) return `The error rate${subject} is no longer above its threshold.`;
      return `${number(detail.percent)} % of the requests${subject} in the last five minutes failed (${number(detail.failures)} of ${number(detail.calls)}).`;
    }
    case "budget_nearly_spent":
      if (isUnwatched) return unwatchedBudget(detail);
      return isOver ? `Less than 80 % ${budgetWords(detail)} is spent.` : spentWords(detail);
    case "budget_spent":
      if (isUnwatched) return unwatchedBudget(detail);
      return isOver
        ? `Requests are accepted again: the limit ${budgetWords(detail)} is no longer reached.`
        : `Requests${number(detail.percent) < 100 ? " that do not fit the rest" : ""} are refused: ${spentWords(detail)}`;
    case "disk":
      if (isUnwatched) return `The disk of the database ${UNWATCHED}`;
      if (isOver) return "The disk of the database has enough free space again.";
      return `Only ${number(detail.percent)} % of the disk of the database is free.`;
    case "redis":
      if (isOver) return "Redis is available again: limits apply across all instances.";
      return `Redis does not answer (${text(detail.reason) || "it fails again and again"}): each instance applies its share of the limits.`;
    case "second_server": {
      if (isOver) return "Only one server uses the SQLite file again.";
      const servers = Array.isArray(detail.servers)
        ? detail.servers.filter((one) => typeof one === "string")
        : [];
      return `${servers.length} servers use the same SQLite file (${servers.join(", ")}): rate limits, circuits and caches are separate in each server.`;
    }
  }
}

/** `_nano` amounts as `_usd` decimal strings. */
function shownDetail(detail: AlertRecord["detail"]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) =>
      name.endsWith("_nano") && typeof value === "number"
        ? [name.replace(/_nano$/, "_usd"), nanoToUsd(value)]
        : [name, value],
    ),
  );
}

/** The ID or model name in the stored subject, without a budget's period and a rule's scope: `detail` has both. */
function subjectOf({ kind, subject }: AlertRecord): string {
  if (kind === "error_rate") return subject.replace(/^(?:model|key):/, "");
  return subject.split(":", 1)[0] ?? "";
}

/** An alert as the API returns it. */
export function toAlert(record: AlertRecord): Alert {
  const { name } = record.detail;
  return {
    id: record.id,
    kind: record.kind,
    subject: subjectOf(record),
    subject_name: typeof name === "string" ? name : null,
    state: record.resolvedAt === null ? "opened" : "resolved",
    message: alertMessage(record),
    detail: shownDetail(record.detail),
    opened_at: toTimestamp(record.openedAt),
    resolved_at: timestampOrNull(record.resolvedAt),
    seen_at: timestampOrNull(record.seenAt),
    snooze:
      record.snooze === null ? null : { by: record.snooze.by, until: timestampOrNull(record.snooze.until) },
    delivery: {
      state: record.delivery,
      attempts: record.deliveryAttempts,
      at: timestampOrNull(record.deliveryAt),
      next_at: record.delivery === "pending" ? timestampOrNull(record.deliveryDueAt) : null,
      error: record.deliveryError,
      webhook: record.deliveryWebhook,
    },
  };
}
