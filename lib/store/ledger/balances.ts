import type { Kysely } from "kysely";
import type { Spent } from "../../ports/store";
import type { Tables } from "../schema";

export type SubjectKind = "key" | "user";

/** Day (`2026-11-20`) and month (`2026-11`) of an instant in the instance's time zone. */
export interface Periods {
  day: string;
  month: string;
}

/** The period that never ends. */
export const TOTAL = "total";

/** Names periods in an IANA time zone. */
export function periodsIn(timeZone: string): (now: number) => Periods {
  // This locale writes dates the way ISO 8601 does.
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return (now) => {
    const day = format.format(now);
    return { day, month: day.slice(0, 7) };
  };
}

/** What a key or user has spent and reserved, by the periods a budget knows. */
export async function readSpent(
  db: Kysely<Tables>,
  kind: SubjectKind,
  id: string,
  periods: Periods,
): Promise<Spent> {
  const rows = await db
    .selectFrom("balances")
    .select(["period", "spent", "reserved"])
    .where("subject_kind", "=", kind)
    .where("subject_id", "=", id)
    .where("period", "in", [TOTAL, periods.day, periods.month])
    .execute();
  const used = new Map(rows.map((row) => [row.period, row.spent + row.reserved]));
  return {
    totalNano: used.get(TOTAL) ?? 0,
    dailyNano: used.get(periods.day) ?? 0,
    monthlyNano: used.get(periods.month) ?? 0,
  };
}
