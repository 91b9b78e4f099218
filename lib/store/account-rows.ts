import type { BillingPeriod } from "../ports/billing-period";
import { type SubjectKind, TOTAL } from "./ledger/balances";
import type { KeyTable, TwoFactorTable, UserTable } from "./schema";

/** The rows by which a restore recognises an earlier state of the same instance, and finds what differs. */
export interface AccountRows {
  /** The row of the initial setup; empty before that. */
  setup: string;
  users: Map<string, UserTable>;
  twoFactors: Map<string, TwoFactorTable>;
  /** Digests of unspent backup codes by user id. */
  backupCodes: Map<string, Set<string>>;
  keys: Map<string, KeyTable>;
  /** Nano-dollars spent or reserved of a total, daily or monthly budget in its present period, by `budgetId`. */
  spent: Map<string, number>;
  /** Number and hash of the newest audit row; null without rows. */
  auditEnd: { seq: number; hash: string } | null;
}

type BudgetColumn = "budget_total" | "budget_daily" | "budget_monthly";

interface AccountResults {
  setup: { claimed_at: number; owner_id: string | null }[];
  users: UserTable[];
  twoFactors: TwoFactorTable[];
  backupCodes: { user_id: string; digest: string }[];
  keys: KeyTable[];
  spent: { kind: SubjectKind; id: string; budget: BudgetColumn; nano: number }[];
  auditEnd: { seq: number; hash: string }[];
}

/** Identifies a budget by kind and ID of its subject, and the subject's column. */
export function budgetId(kind: SubjectKind, id: string, budget: BudgetColumn): string {
  return `${kind}/${id}/${budget}`;
}

/** The queries of `AccountRows`, valid for every schema version; `day` and `month`: the current budget periods. */
export function accountQueries({ day, month }: BillingPeriod): Record<keyof AccountResults, string> {
  return {
    setup: "select claimed_at, owner_id from setup",
    users: "select * from users",
    twoFactors: "select * from two_factors",
    backupCodes: "select user_id, digest from backup_codes",
    keys: "select * from keys where kind = 'api'",
    spent: `select subject_kind as kind, subject_id as id, spent + reserved as nano, case period
        when '${day}' then 'budget_daily' when '${month}' then 'budget_monthly' else 'budget_total' end as budget
      from balances where period in ('${TOTAL}', '${day}', '${month}')`,
    auditEnd: "select seq, hash from audit order by seq desc limit 1",
  };
}

/** The rows from the results of `accountQueries`. */
export function toAccountRows(rows: Readonly<Record<string, unknown[]>>): AccountRows {
  // The queries return these columns.
  const results = rows as unknown as AccountResults;
  const backupCodes = new Map<string, Set<string>>();
  for (const { user_id, digest } of results.backupCodes) {
    backupCodes.set(user_id, (backupCodes.get(user_id) ?? new Set()).add(digest));
  }
  const [auditEnd = null] = results.auditEnd;
  return {
    setup: JSON.stringify(results.setup),
    users: new Map(results.users.map((row) => [row.id, row])),
    twoFactors: new Map(results.twoFactors.map((row) => [row.user_id, row])),
    backupCodes,
    keys: new Map(results.keys.map((row) => [row.id, row])),
    spent: new Map(results.spent.map(({ kind, id, budget, nano }) => [budgetId(kind, id, budget), nano])),
    auditEnd,
  };
}
