import { type Kysely, sql } from "kysely";
import { MINUTE_MS } from "../../contracts/durations";
import type { AlertRecord, Alerts, BudgetShare } from "../../ports/store";
import { fromJson, json } from "../columns";
import { type Periods, TOTAL } from "../ledger/balances";
import { decodeCursor, rowsToRead, toPage } from "../page";
import type { AlertTable, Tables } from "../schema";
import type { Scope } from "../transactions";

/** Above every timestamp: added to an open alert's time, so that open alerts come first. */
const OPEN_FIRST = 4_000_000_000_000_000;
/** From this status on the caller did not cause the error. */
const FIRST_FAULT = 500;

const listPosition = sql<number>`opened_at + case when resolved_at is null then ${sql.lit(OPEN_FIRST)} else 0 end`;
const listPositionOf = (row: AlertTable) => row.opened_at + (row.resolved_at === null ? OPEN_FIRST : 0);

function toRecord(row: AlertTable): AlertRecord {
  return {
    id: row.id,
    // The row is written from an AlertRecord only.
    kind: row.kind as AlertRecord["kind"],
    subject: row.subject,
    detail: fromJson<Record<string, unknown>>(row.detail),
    openedAt: row.opened_at,
    heldAt: row.held_at,
    resolvedAt: row.resolved_at,
    seenAt: row.seen_at,
    delivery: row.delivery as AlertRecord["delivery"],
    deliveryAttempts: row.delivery_attempts,
    deliveryDueAt: row.delivery_due_at,
    deliveryError: row.delivery_error,
    deliveryAt: row.delivery_at,
  };
}

/** The delivery columns of a message without an attempt. */
const newDelivery = (delivery: AlertRecord["delivery"], at: number) => ({
  delivery,
  delivery_attempts: 0,
  delivery_due_at: delivery === "pending" ? at : null,
  delivery_error: null,
  delivery_at: null,
});

const SUBJECTS = {
  key: {
    table: "keys",
    name: "name",
    mayCall: (now: number) =>
      sql`(o.expires_at is null or o.expires_at > ${now})
        and exists (select 1 from users u where u.id = o.owner_id and u.enabled = 1)`,
  },
  user: { table: "users", name: "username", mayCall: () => sql`1 = 1` },
} as const;

/** The number of messages that were sent, or failed, since a time. */
async function countDeliveries(db: Kysely<Tables>, since: number): Promise<number> {
  const { count } = await db
    .selectFrom("alerts")
    .select(sql<number>`count(*)`.as("count"))
    .where("delivery_at", ">", since)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Budgets of keys or of users over one period; the index of balances finds each sum. */
async function budgetsOf(
  db: Kysely<Tables>,
  owner: BudgetShare["owner"],
  [period, periodName]: readonly [BudgetShare["period"], string],
  percent: number,
  now: number,
): Promise<BudgetShare[]> {
  const { table, name, mayCall } = SUBJECTS[owner];
  const limit = sql.ref(`o.budget_${period}`);
  const { rows } = await sql<{ id: string; name: string; spent: number; most: number }>`
    select o.id as id, ${sql.ref(`o.${name}`)} as name, b.spent as spent, ${limit} as most
    from ${sql.table(table)} o
    join balances b on b.subject_kind = ${owner} and b.subject_id = o.id and b.period = ${periodName}
    where o.enabled = 1 and ${limit} > 0 and b.spent * 100 >= ${limit} * ${percent} and ${mayCall(now)}`.execute(
    db,
  );
  return rows.map((row) => ({
    owner,
    id: row.id,
    name: row.name,
    period,
    spentNano: row.spent,
    limitNano: row.most,
  }));
}

async function countFrom(db: Kysely<Tables>, since: number, isFailure: boolean): Promise<number> {
  let select = db.selectFrom("usage").select(sql<number>`count(*)`.as("count")).where("at", ">=", since);
  // The text of the partial index `usage_failed`, so that it is used.
  if (isFailure) select = select.where("error", "is not", null).where("status", ">=", FIRST_FAULT);
  return Number((await select.executeTakeFirstOrThrow()).count);
}

/** Alerts from the first notice to their deletion. */
function lifecycle(scope: Scope): Pick<Alerts, "raise" | "hold" | "resolve" | "deleteResolved"> {
  return {
    raise: (alert) =>
      scope.write(async (db, touch) => {
        const { numInsertedOrUpdatedRows } = await db
          .insertInto("alerts")
          .values({
            id: alert.id,
            kind: alert.kind,
            subject: alert.subject,
            detail: json(alert.detail),
            opened_at: alert.openedAt,
            held_at: alert.openedAt,
            resolved_at: null,
            seen_at: null,
            ...newDelivery(alert.delivery, alert.openedAt),
          })
          .onConflict((conflict) =>
            conflict.columns(["kind", "subject"]).where("resolved_at", "is", null).doNothing(),
          )
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows !== 1n) return false;
        touch("alerts");
        return true;
      }),

    hold: (id, heldAt, detail) =>
      scope.write(async (db) => {
        await db
          .updateTable("alerts")
          .set({ held_at: heldAt, detail: json(detail) })
          .where("id", "=", id)
          .where("resolved_at", "is", null)
          .execute();
      }),

    resolve: (id, at, delivery) =>
      scope.write(async (db, touch) => {
        const { numUpdatedRows } = await db
          .updateTable("alerts")
          .set({ resolved_at: at, ...newDelivery(delivery, at) })
          .where("id", "=", id)
          .where("resolved_at", "is", null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows !== 1n) return false;
        touch("alerts");
        return true;
      }),

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
        const { numDeletedRows } = await db
          .deleteFrom("alerts")
          .where("id", "in", old)
          .executeTakeFirstOrThrow();
        if (numDeletedRows > 0n) touch("alerts");
        return Number(numDeletedRows);
      }),
  };
}

/** What the console shows. */
function reading(scope: Scope): Pick<Alerts, "open" | "find" | "list" | "markSeen"> {
  return {
    async open() {
      const rows = await scope.read
        .selectFrom("alerts")
        .selectAll()
        .where("resolved_at", "is", null)
        .orderBy("opened_at", "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.map(toRecord);
    },

    async find(id) {
      const row = await scope.read.selectFrom("alerts").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toRecord(row);
    },

    async list({ limit, cursor, isOpen }) {
      const query = { limit, cursor, q: null };
      let select = scope.scan.selectFrom("alerts").selectAll();
      if (isOpen !== null) select = select.where("resolved_at", isOpen ? "is" : "is not", null);
      if (cursor !== null) {
        const { at, id } = decodeCursor(cursor);
        select = select.where(sql<boolean>`(${listPosition}, id) < (${at}, ${String(id)})`);
      }
      const rows = await select
        .orderBy(listPosition, "desc")
        .orderBy("id", "desc")
        .limit(rowsToRead(query))
        .execute();
      return toPage(query, rows, (row) => ({ at: listPositionOf(row), id: row.id }), toRecord);
    },

    markSeen: (id, at) =>
      scope.write(async (db, touch) => {
        const row = await db
          .updateTable("alerts")
          .set({ seen_at: sql<number>`coalesce(seen_at, ${at})` })
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return null;
        touch("alerts");
        return toRecord(row);
      }),
  };
}

/** Messages to the webhook: each is leased to one process at a time. */
function deliveries(scope: Scope): Pick<Alerts, "claimDeliveries" | "finishDelivery"> {
  return {
    claimDeliveries: (now, leaseMs, { atOnce, perMinute }) =>
      scope.write(async (db) => {
        const limit = Math.min(atOnce, perMinute - (await countDeliveries(db, now - MINUTE_MS)));
        if (limit <= 0) return [];
        const due = await db
          .selectFrom("alerts")
          .select("id")
          .where("delivery", "=", "pending")
          .where("delivery_due_at", "<=", now)
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
            delivery_attempts: sql<number>`delivery_attempts + 1`,
          })
          .where(
            "id",
            "in",
            due.map((one) => one.id),
          )
          .where("delivery", "=", "pending")
          .where("delivery_due_at", "<=", now)
          .returningAll()
          .execute();
        return rows.map(toRecord);
      }),

    finishDelivery: ({ id, resolvedAt, deliveryAttempts }, outcome) =>
      scope.write(async (db, touch) => {
        const { numUpdatedRows } = await db
          .updateTable("alerts")
          .set({
            delivery: outcome.delivery,
            delivery_due_at: outcome.deliveryDueAt,
            delivery_error: outcome.deliveryError,
            delivery_at: outcome.deliveryAt,
          })
          .where("id", "=", id)
          .where("resolved_at", resolvedAt === null ? "is" : "=", resolvedAt)
          .where("delivery", "=", "pending")
          .where("delivery_attempts", "=", deliveryAttempts)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows !== 1n) return false;
        touch("alerts");
        return true;
      }),
  };
}

/** The figures that alerts are raised from. */
function figures(
  scope: Scope,
  periodsAt: (now: number) => Periods,
): Pick<Alerts, "budgetsAbove" | "callsSince"> {
  return {
    async budgetsAbove(percent, now) {
      const { day, month } = periodsAt(now);
      const found: BudgetShare[] = [];
      const periods = [
        ["total", TOTAL],
        ["daily", day],
        ["monthly", month],
      ] as const;
      for (const owner of ["key", "user"] as const)
        for (const period of periods)
          found.push(...(await budgetsOf(scope.scan, owner, period, percent, now)));
      return found;
    },

    async callsSince(since) {
      const calls = await countFrom(scope.scan, since, false);
      return { calls, failures: calls === 0 ? 0 : await countFrom(scope.scan, since, true) };
    },
  };
}

export function alertsRepository(scope: Scope, periodsAt: (now: number) => Periods): Alerts {
  return { ...lifecycle(scope), ...reading(scope), ...deliveries(scope), ...figures(scope, periodsAt) };
}
