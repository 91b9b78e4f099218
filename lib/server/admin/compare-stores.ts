import type { KeyTable, TwoFactorTable, UserTable } from "../../store/schema";
import type { AccountRows } from "../../store/sqlite/inspect-file";

/** What a restored store brings back that the store before it had ended. */
export interface Revived {
  /** TOTP steps accepted since the backup. */
  steps: { userId: string; enrolmentId: string; step: number }[];
  /** Backup codes spent, or replaced by new ones, since the backup. */
  codes: { userId: string; digest: string }[];
  /** User names whose backup codes could not be compared: a spent one may work again. */
  uncomparedCodes: string[];
  /** User names all of whose backup codes are spent or were replaced. */
  withoutCodes: string[];
  /** API keys that work again, or allow more than they did, and why. */
  keys: { row: KeyTable; reason: string }[];
  /** Users that can sign in again, or have more rights than they had, and why. */
  users: { row: UserTable; reason: string }[];
}

const RIGHTS = ["member", "admin", "owner"];
const LIMITS = [
  "rpm",
  "tpm",
  "concurrency",
  "budget_total",
  "budget_daily",
  "budget_monthly",
] as const satisfies readonly (keyof KeyTable)[];
const LISTS = [
  "operations",
  "allowed_models",
  "allowed_addresses",
] as const satisfies readonly (keyof KeyTable)[];

/** True when both are states of one instance, so that differences are changes since the backup. */
export function isSameInstance(before: AccountRows, restored: AccountRows): boolean {
  return before.setup !== "[]" && before.setup === restored.setup;
}

/**
 * Compares a backup with the store that it replaces; `before` is null where that cannot be read or is another
 * instance's. `step`: the newest TOTP step that a code can have been accepted for by now.
 */
export function compareStores(
  before: AccountRows | null,
  restored: AccountRows,
  at: { now: number; step: number },
): Revived {
  const revived: Revived = {
    steps: [],
    codes: [],
    uncomparedCodes: [],
    withoutCodes: [],
    keys: [],
    users: [],
  };
  for (const row of restored.twoFactors.values()) compareFactor(before, restored, row, at.step, revived);
  if (before === null) return revived;
  for (const row of restored.users.values()) {
    const reason = whyUser(row, before.users.get(row.id));
    if (reason !== null) revived.users.push({ row, reason });
  }
  for (const row of restored.keys.values()) {
    const hasEnded = row.expires_at !== null && row.expires_at <= at.now;
    if (row.enabled === 0 || hasEnded || restored.users.get(row.owner_id)?.enabled !== 1) continue;
    const reason = whyKey(row, before.keys.get(row.id), before.users.get(row.owner_id));
    if (reason !== null) revived.keys.push({ row, reason });
  }
  return revived;
}

function compareFactor(
  before: AccountRows | null,
  restored: AccountRows,
  row: TwoFactorTable,
  step: number,
  revived: Revived,
): void {
  const { user_id: userId, enrolment_id: enrolmentId } = row;
  const codes = [...(restored.backupCodes.get(userId) ?? [])];
  const name = restored.users.get(userId)?.username ?? userId;
  const later = before?.twoFactors.get(userId);
  if (before === null || later?.enrolment_id !== enrolmentId) {
    revived.steps.push({ userId, enrolmentId, step });
    if (codes.length > 0) revived.uncomparedCodes.push(name);
    return;
  }
  revived.steps.push({ userId, enrolmentId, step: later.last_step });
  const spent = codes.filter((digest) => !before.backupCodes.get(userId)?.has(digest));
  revived.codes.push(...spent.map((digest) => ({ userId, digest })));
  if (codes.length > 0 && spent.length === codes.length) revived.withoutCodes.push(name);
}

function whyUser(row: UserTable, later: UserTable | undefined): string | null {
  if (row.enabled === 0) return null;
  if (later === undefined) return "deleted since the backup";
  if (later.enabled === 0) return "disabled since the backup";
  if (RIGHTS.indexOf(row.role) > RIGHTS.indexOf(later.role)) return `${row.role} again, was ${later.role}`;
  if (later.password_version > row.password_version) return "has the password from before its change again";
  const wider = LIMITS.filter((name) => allowsMore(row[name], later[name]));
  return wider.length > 0 ? `limited since the backup: ${wider.join(", ")}` : null;
}

function whyKey(row: KeyTable, later: KeyTable | undefined, owner: UserTable | undefined): string | null {
  if (later === undefined) return "deleted since the backup";
  if (later.digest !== row.digest) return "replaced since the backup";
  if (later.enabled === 0) return "disabled since the backup";
  if (owner?.enabled === 0) return "its owner was disabled since the backup";
  if (allowsMore(row.expires_at, later.expires_at)) return "rotated or given an earlier end since the backup";
  const wider = [
    ...LISTS.filter((name) => listsMore(row[name], later[name])),
    ...LIMITS.filter((name) => allowsMore(row[name], later[name])),
  ];
  return wider.length > 0 ? `narrowed since the backup: ${wider.join(", ")}` : null;
}

/** Of a limit or an end; null is none, and so is a column that the store's version did not have. */
function allowsMore(restored: number | null | undefined, later: number | null | undefined): boolean {
  return typeof later === "number" && (typeof restored !== "number" || restored > later);
}

/** Of two JSON lists of names; an empty one allows everything. */
function listsMore(restored: string, later: string): boolean {
  // Columns that the store writes as lists of text.
  const [wide, narrow] = [JSON.parse(restored) as string[], JSON.parse(later) as string[]];
  return narrow.length > 0 && (wide.length === 0 || wide.some((one) => !narrow.includes(one)));
}
