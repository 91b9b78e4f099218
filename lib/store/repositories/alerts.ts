import { sql } from "kysely";
import type { BillingPeriod } from "../../ports/billing-period";
import type { AlertRecord, Alerts } from "../../ports/store";
import { decodeCursor, rowsToRead, toPage } from "../page";
import type { AlertTable } from "../schema";
import type { Scope } from "../transactions";
import { alertDeliveries } from "./alert-deliveries";
import { alertFigures } from "./alert-figures";
import { newDelivery, toAlertRecord } from "./alert-rows";
import { changeOne, countDeleted, findOne, hasUpdated } from "./statements";

/** Above every timestamp: added to an open alert's time, so that open alerts come first. */
const OPEN_FIRST = 4_000_000_000_000_000;

const listPosition = sql<number>`opened_at + case when resolved_at is null then ${sql.lit(OPEN_FIRST)} else 0 end`;
const listPositionOf = (row: AlertTable) => row.opened_at + (row.resolved_at === null ? OPEN_FIRST : 0);

const withSnooze = (delivery: AlertRecord["delivery"], isSnoozed: boolean): AlertRecord["delivery"] =>
  isSnoozed && delivery === "pending" ? "snoozed" : delivery;

/** Inserts an alert unless one of its kind and subject is open; a timed snooze of the previous one continues. */
function raise(scope: Scope, alert: Parameters<Alerts["raise"]>[0]): Promise<boolean> {
  return scope.write(async (db, touch) => {
    const snooze = await db
      .selectFrom("alerts")
      .select(["snoozed_by", "snoozed_until"])
      .where("kind", "=", alert.kind)
      .where("subject", "=", alert.subject)
      .orderBy("opened_at", "desc")
      .limit(1)
      .executeTakeFirst();
    const isSnoozed = (snooze?.snoozed_until ?? 0) > alert.openedAt;
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("alerts")
      .values({
        id: alert.id,
        kind: alert.kind,
        subject: alert.subject,
        detail: JSON.stringify(alert.detail),
        opened_at: alert.openedAt,
        held_at: alert.openedAt,
        resolved_at: null,
        seen_at: null,
        snoozed_by: isSnoozed ? (snooze?.snoozed_by ?? null) : null,
        snoozed_until: isSnoozed ? (snooze?.snoozed_until ?? null) : null,
        ...newDelivery(withSnooze(alert.delivery, isSnoozed), alert.openedAt),
        delivery_at: null,
      })
      .onConflict((conflict) =>
        conflict.columns(["kind", "subject"]).where("resolved_at", "is", null).doNothing(),
      )
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows !== 1n) return false;
    touch("alerts");
    return true;
  });
}

/** Resolves an open alert; false when it is resolved already, or another instance has held it meanwhile. */
function resolve(
  scope: Scope,
  { id, heldAt, detail }: Pick<AlertRecord, "id" | "heldAt" | "detail">,
  at: number,
  delivery: AlertRecord["delivery"],
): Promise<boolean> {
  return scope.write(async (db, touch) => {
    const row = await db
      .selectFrom("alerts")
      .select(["snoozed_by", "snoozed_until"])
      .where("id", "=", id)
      .executeTakeFirst();
    const isSnoozed = row !== undefined && row.snoozed_by !== null && (row.snoozed_until ?? at + 1) > at;
    const isResolved = await hasUpdated(
      db
        .updateTable("alerts")
        .set({
          resolved_at: at,
          detail: JSON.stringify(detail),
          ...newDelivery(withSnooze(delivery, isSnoozed), at),
        })
        .where("id", "=", id)
        .where("held_at", "=", heldAt)
        .where("resolved_at", "is", null),
    );
    if (isResolved) touch("alerts");
    return isResolved;
  });
}

/** Alerts from the first notice to their deletion. */
function lifecycle(scope: Scope): Pick<Alerts, "raise" | "hold" | "resolve" | "deleteResolved"> {
  return {
    raise: (alert) => raise(scope, alert),

    hold: (id, heldAt, detail) =>
      scope.writeOne(async (db) => {
        await db
          .updateTable("alerts")
          .set({ held_at: heldAt, detail: JSON.stringify(detail) })
          .where("id", "=", id)
          .where("resolved_at", "is", null)
          .execute();
      }),

    resolve: (read, at, delivery) => resolve(scope, read, at, delivery),

    deleteResolved: (before, limit) =>
      scope.write(async (db, touch) => {
        const old = db
          .selectFrom("alerts")
          .select("id")
          // Implied by the next condition; the index by age needs it.
          .where("opened_at", "<", before)
          .where("resolved_at", "<", before)
          .orderBy("opened_at")
          .limit(limit);
        const count = await countDeleted(db.deleteFrom("alerts").where("id", "in", old));
        if (count > 0) touch("alerts");
        return count;
      }),
  };
}

/** Snoozes: messages that are not sent. */
function snoozes(scope: Scope): Pick<Alerts, "snooze" | "endSnooze"> {
  return {
    snooze: (id, { by, until }) =>
      changeOne(scope, "alerts", toAlertRecord, (db) =>
        db
          .updateTable("alerts")
          .set({
            snoozed_by: by,
            snoozed_until: until,
            delivery: sql<
              AlertRecord["delivery"]
            >`case when delivery = 'pending' then 'snoozed' else delivery end`,
            delivery_due_at: null,
          })
          .where("id", "=", id)
          .where("resolved_at", "is", null)
          .returningAll(),
      ),

    endSnooze: (id, at, delivery) =>
      changeOne(scope, "alerts", toAlertRecord, (db) =>
        db
          .updateTable("alerts")
          .set({ snoozed_by: null, snoozed_until: null, ...newDelivery(delivery, at) })
          .where("id", "=", id)
          .where("resolved_at", "is", null)
          .where("snoozed_by", "is not", null)
          .returningAll(),
      ),
  };
}

function reading(scope: Scope): Pick<Alerts, "open" | "countOpen" | "find" | "list" | "markSeen"> {
  return {
    async open() {
      const rows = await scope.scan
        .selectFrom("alerts")
        .selectAll()
        .where("resolved_at", "is", null)
        // The sign keeps SQLite from reading every alert in the order of the index by age, instead of the open ones.
        .orderBy(sql`+opened_at`, "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.map(toAlertRecord);
    },

    async countOpen() {
      const { open, unseen } = await scope.scan
        .selectFrom("alerts as alert")
        .select([sql<number>`count(*)`.as("open"), sql<number>`count(*) - count(alert.seen_at)`.as("unseen")])
        .where("alert.resolved_at", "is", null)
        .where(
          sql<boolean>`not (alert.kind = 'budget_nearly_spent' and exists (select 1 from alerts as spent
            where spent.kind = 'budget_spent' and spent.subject = alert.subject and spent.resolved_at is null))`,
        )
        .executeTakeFirstOrThrow();
      return { open: Number(open), unseen: Number(unseen) };
    },

    find: (id) => findOne(scope.read.selectFrom("alerts").selectAll().where("id", "=", id), toAlertRecord),

    async list({ limit, cursor, isOpen }) {
      const query = { limit, cursor, q: null };
      let select = scope.scan.selectFrom("alerts").selectAll();
      if (isOpen !== null) select = select.where("resolved_at", isOpen ? "is" : "is not", null);
      if (cursor !== null) {
        const { at, id } = decodeCursor(cursor);
        select = select.where(sql<boolean>`(${listPosition}, id) < (${at}, ${id})`);
      }
      const rows = await select
        .orderBy(listPosition, "desc")
        .orderBy("id", "desc")
        .limit(rowsToRead(query))
        .execute();
      return toPage(query, rows, (row) => ({ at: listPositionOf(row), id: row.id }), toAlertRecord);
    },

    markSeen: (id, at) =>
      changeOne(scope, "alerts", toAlertRecord, (db) =>
        db
          .updateTable("alerts")
          .set({ seen_at: sql<number>`coalesce(seen_at, ${at})` })
          .where("id", "=", id)
          .returningAll(),
      ),
  };
}

export function alertsRepository(scope: Scope, periodsAt: (now: number) => BillingPeriod): Alerts {
  return {
    ...lifecycle(scope),
    ...reading(scope),
    ...snoozes(scope),
    ...alertDeliveries(scope),
    ...alertFigures(scope, periodsAt),
  };
}
