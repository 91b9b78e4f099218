import { type Kysely, sql } from "kysely";
import type { BillingPeriod } from "../../ports/billing-period";
import type { Spent } from "../../ports/store";
import type { Tables } from "../schema";

export type SubjectKind = "key" | "user";

/** The period of budgets without a reset. */
export const TOTAL = "total";

/** Spent plus reserved amounts of a key or user, by budget period. */
export async function readSpent(
  db: Kysely<Tables>,
  kind: SubjectKind,
  id: string,
  periods: BillingPeriod,
): Promise<Spent> {
  const found = await readSpentOf(db, kind, [id], periods);
  return found.get(id) ?? { totalNano: 0, dailyNano: 0, monthlyNano: 0 };
}

/** The same for many subjects at once, by ID; subjects without a balance are left out. */
export async function readSpentOf(
  db: Kysely<Tables>,
  kind: SubjectKind,
  ids: readonly string[],
  periods: BillingPeriod,
): Promise<Map<string, Spent>> {
  const rows = await db
    .selectFrom("balances")
    .select(["subject_id", "period", "spent", "reserved"])
    .where("subject_kind", "=", kind)
    .where("subject_id", "in", ids)
    .where("period", "in", [TOTAL, periods.day, periods.month])
    .execute();
  const found = new Map<string, Spent>();
  for (const row of rows) {
    const spent = found.get(row.subject_id) ?? { totalNano: 0, dailyNano: 0, monthlyNano: 0 };
    const used = row.spent + row.reserved;
    if (row.period === TOTAL) spent.totalNano = used;
    if (row.period === periods.day) spent.dailyNano = used;
    if (row.period === periods.month) spent.monthlyNano = used;
    found.set(row.subject_id, spent);
  }
  return found;
}

/**
 * Copies what several subjects have spent (in total and in `periods`; of each period the greatest amount) to a subject
 * of the same kind that has no balances.
 */
export async function copySpent(
  db: Kysely<Tables>,
  kind: SubjectKind,
  { from, to }: { from: readonly string[]; to: string },
  periods: BillingPeriod,
): Promise<void> {
  await db
    .insertInto("balances")
    .columns(["subject_kind", "subject_id", "period", "spent", "reserved"])
    .expression((build) =>
      build
        .selectFrom("balances")
        .select([
          sql<string>`cast(${kind} as text)`.as("subject_kind"),
          sql<string>`cast(${to} as text)`.as("subject_id"),
          "period",
          sql<number>`max(spent)`.as("spent"),
          sql<number>`0`.as("reserved"),
        ])
        .where("subject_kind", "=", kind)
        .where("subject_id", "in", from)
        .where("period", "in", [TOTAL, periods.day, periods.month])
        .where("spent", "<>", 0)
        .groupBy("period"),
    )
    .execute();
}
