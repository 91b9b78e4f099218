import { type Kysely, sql } from "kysely";
import { MINUTE_MS } from "../../contracts/durations";
import type { BillingPeriod } from "../../ports/billing-period";
import type { Alerts, BudgetShare } from "../../ports/store";
import { TOTAL } from "../ledger/balances";
import type { Tables } from "../schema";
import type { Scope } from "../transactions";

/**
 * Of calls with an error, selects those that the caller did not cause. Includes two codes whose status is below 500: an
 * upstream's rate limit is 429 to the caller, and an orphan's entry (`internal`) has no status.
 */
const isOurFailure = sql<boolean>`(status >= 500 or error in ('internal', 'upstream_rate_limited'))`;

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
  const { rows } = await sql<{ id: string; name: string; spent: number; budget: number }>`
    select o.id as id, ${sql.ref(`o.${name}`)} as name, b.spent as spent, ${limit} as budget
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
    limitNano: row.budget,
  }));
}

/**
 * Selects calls from `since` on. Times up to a minute after `now` count, since the clocks of instances differ a little;
 * later ones do not: the clock was set back after them.
 */
const isSince = (since: number, now: number, at = sql`at`) =>
  sql<boolean>`(${at} >= ${since} and ${at} <= ${now + MINUTE_MS})`;

/** Settled calls: all entries less the open ones, which are few and have an index; the range's index has no states. */
async function countSettled(db: Kysely<Tables>, since: number, now: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from usage where ${isSince(since, now)})
      - (select count(*) from usage where state = 'open' and ${isSince(since, now, sql`+at`)}) as count`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0);
}

async function countFailures(db: Kysely<Tables>, since: number, now: number): Promise<number> {
  const { count } = await db
    .selectFrom("usage")
    .select(sql<number>`count(*)`.as("count"))
    .where(isSince(since, now))
    // The text of the partial index `usage_failed`, so that it is used.
    .where("error", "is not", null)
    .where(isOurFailure)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function alertFigures(
  scope: Scope,
  periodsAt: (now: number) => BillingPeriod,
): Pick<Alerts, "budgetsAbove" | "callsSince" | "callsBy"> {
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

    async callsSince(since, now) {
      const calls = await countSettled(scope.scan, since, now);
      return { calls, failures: calls === 0 ? 0 : await countFailures(scope.scan, since, now) };
    },

    async callsBy(scopeKind, subjects, since, now) {
      if (subjects.length === 0) return new Map();
      const subject = sql.ref(scopeKind === "model" ? "model" : "key_id");
      const rows = await scope.scan
        .selectFrom("usage")
        .select([
          sql<string>`${subject}`.as("subject"),
          sql<number>`count(*)`.as("calls"),
          sql<number>`sum(case when error is not null and ${isOurFailure} then 1 else 0 end)`.as("failures"),
        ])
        .where(isSince(since, now))
        .where("state", "=", "settled")
        .where(sql<string>`${subject}`, "in", subjects)
        .groupBy(subject)
        .execute();
      return new Map(
        rows.map((row) => [row.subject, { calls: Number(row.calls), failures: Number(row.failures) }]),
      );
    },
  };
}
