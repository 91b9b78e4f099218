import { type Kysely, sql } from "kysely";
import { DAY_MS, MINUTE_MS } from "../../contracts/durations";
import type { Alerts } from "../../ports/store";
import type { Tables } from "../schema";
import type { Scope } from "../transactions";
import { toAlertRecord } from "./alert-rows";
import { hasUpdated } from "./statements";

/**
 * No message is planned this far ahead: a later time shows that the clock was set back after the message was planned.
 */
const TOO_FAR_MS = DAY_MS;

/**
 * The number of alerts with a message that was sent, failed or is being sent in the minute before `now`. Times up to a
 * minute ahead count, since the clocks of instances differ a little; later ones do not: the clock was set back after
 * them.
 */
async function countDeliveries(db: Kysely<Tables>, now: number): Promise<number> {
  const { count } = await db
    .selectFrom("alerts")
    .select(sql<number>`count(*)`.as("count"))
    .where("delivery_at", ">", now - MINUTE_MS)
    .where("delivery_at", "<=", now + MINUTE_MS)
    .executeTakeFirstOrThrow();
  return Number(count);
}

const isDue = (now: number) =>
  sql<boolean>`(delivery = 'pending' and (delivery_due_at <= ${now} or delivery_due_at > ${now + TOO_FAR_MS}))`;

/** Messages to the webhooks: each is leased to one process at a time. */
export function alertDeliveries(scope: Scope): Pick<Alerts, "claimDeliveries" | "finishDelivery"> {
  return {
    claimDeliveries: (now, leaseMs, { atOnce, perMinute }) =>
      scope.write(async (db) => {
        const limit = Math.min(atOnce, perMinute - (await countDeliveries(db, now)));
        if (limit <= 0) return [];
        const due = await db
          .selectFrom("alerts")
          .select("id")
          .where(isDue(now))
          // There are many budgets, and any user can spend theirs: alerts about the instance itself go first.
          .orderBy(sql`case when kind in ('budget_nearly_spent', 'budget_spent') then 1 else 0 end`)
          .orderBy("delivery_due_at")
          .limit(limit)
          .execute();
        if (due.length === 0) return [];
        const rows = await db
          .updateTable("alerts")
          .set({
            delivery_due_at: now + leaseMs,
            // Counts towards the limit from now on.
            delivery_at: now,
            delivery_attempts: sql<number>`delivery_attempts + 1`,
          })
          .where(
            "id",
            "in",
            due.map((one) => one.id),
          )
          .where(isDue(now))
          .returningAll()
          .execute();
        return rows.map(toAlertRecord);
      }),

    finishDelivery: ({ id, resolvedAt, deliveryAttempts }, outcome) =>
      scope.write(async (db, touch) => {
        const isFinished = await hasUpdated(
          db
            .updateTable("alerts")
            .set({
              delivery: outcome.delivery,
              delivery_due_at: outcome.deliveryDueAt,
              delivery_error: outcome.deliveryError,
              delivery_at: outcome.deliveryAt,
              delivered_to: outcome.deliveredTo.join(","),
              delivery_webhook: outcome.deliveryWebhook,
            })
            .where("id", "=", id)
            .where("resolved_at", resolvedAt === null ? "is" : "=", resolvedAt)
            .where("delivery", "=", "pending")
            .where("delivery_attempts", "=", deliveryAttempts),
        );
        if (isFinished) touch("alerts");
        return isFinished;
      }),
  };
}
