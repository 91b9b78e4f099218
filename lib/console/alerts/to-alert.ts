import type { Alert } from "../../contracts/console/alerts";
import { nanoToUsd } from "../../contracts/money";
import { toTimestamp } from "../../contracts/timestamp";
import type { AlertRecord } from "../../ports/store";
import { alertMessage } from "./message";

const when = (at: number | null): string | null => (at === null ? null : toTimestamp(at));

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
    resolved_at: when(record.resolvedAt),
    seen_at: when(record.seenAt),
    snooze: record.snooze === null ? null : { by: record.snooze.by, until: when(record.snooze.until) },
    delivery: {
      state: record.delivery,
      attempts: record.deliveryAttempts,
      at: when(record.deliveryAt),
      next_at: record.delivery === "pending" ? when(record.deliveryDueAt) : null,
      error: record.deliveryError,
      webhook: record.deliveryWebhook,
    },
  };
}
