import { isIP } from "node:net";
import { totpStep } from "../../console/auth/totp";
import { nanoToUsd } from "../../contracts/money";
import { createAddressList } from "../../gateway/admission/address-list";
import { type BillingPeriod, billingPeriod } from "../../ports/billing-period";
import { type AccountRows, budgetId } from "../../store/account-rows";
import type { SubjectKind } from "../../store/ledger/balances";
import type { KeyTable, TwoFactorTable, UserTable } from "../../store/schema";

/** Access that restoring a backup brings back, although it has ended in the current store. */
export interface Revived {
  /**
   * The store before the restore; null when it was not read or belongs to another instance, so nothing was compared.
   */
  before: AccountRows | null;
  /** For each enrolment, the newest TOTP step that may have been used since the backup. */
  steps: { userId: string; enrolmentId: string; step: number }[];
  /** Backup codes spent, or replaced by new ones, since the backup. */
  codes: { userId: string; digest: string }[];
  /** User names whose backup codes could not be compared: a spent one may work again. */
  uncomparedCodes: string[];
  /** User names all of whose backup codes are spent or were replaced. */
  withoutCodes: string[];
  /** API keys that work again, or allow more than they did, and why. */
  keys: { row: KeyTable; reason: string }[];
  /** Users that can sign in again, or have more rights or budget than they had, and why. */
  users: { row: UserTable; reason: string }[];
}

const ROLES_ASCENDING = ["member", "admin", "owner"];
const BUDGETS = ["budget_total", "budget_daily", "budget_monthly"] as const;
const LIMITS = ["rpm", "tpm", "concurrency", ...BUDGETS] as const satisfies readonly (keyof KeyTable)[];
const NAME_LISTS = ["operations", "allowed_models"] as const satisfies readonly (keyof KeyTable)[];

/** The day and month whose budgets are compared at `now`, in this machine's time zone. */
export function periodsAt(now: number): BillingPeriod {
  return billingPeriod(Intl.DateTimeFormat().resolvedOptions().timeZone, now);
}

/** True when both are states of one instance, so that differences are changes since the backup. */
function isSameInstance(before: AccountRows, restored: AccountRows): boolean {
  return before.setup !== "[]" && before.setup === restored.setup;
}

/** Compares a backup with the store before the restore; `previous` is null when that store cannot be read. */
export function compareStores(previous: AccountRows | null, restored: AccountRows, now: number): Revived {
  const before = previous !== null && isSameInstance(previous, restored) ? previous : null;
  const revived: Revived = {
    before,
    steps: [],
    codes: [],
    uncomparedCodes: [],
    withoutCodes: [],
    keys: [],
    users: [],
  };
  // The newest step that a code can have been accepted for: sign-in also accepts codes of one step ahead.
  const step = totpStep(now) + 1;
  for (const row of restored.twoFactors.values()) compareTwoFactor(before, restored, row, step, revived);
  if (before === null) return revived;
  for (const row of restored.users.values()) {
    if (row.enabled === 0) continue;
    addReasons(revived.users, row, [
      userReason(row, before.users.get(row.id)) ?? twoFactorReason(row.id, before, restored),
      budgetReason("user", row, before, restored),
    ]);
  }
  for (const row of restored.keys.values()) {
    const isExpired = row.expires_at !== null && row.expires_at <= now;
    if (row.enabled === 0 || isExpired || restored.users.get(row.owner_id)?.enabled !== 1) continue;
    addReasons(revived.keys, row, [
      keyReason(row, before.keys.get(row.id), before.users.get(row.owner_id)),
      budgetReason("key", row, before, restored),
    ]);
  }
  return revived;
}

/** Adds the row to the list when there is a reason. */
function addReasons<T>(
  list: { row: T; reason: string }[],
  row: T,
  reasons: readonly (string | null)[],
): void {
  const reason = reasons.filter((one) => one !== null).join("; ");
  if (reason !== "") list.push({ row, reason });
}

function compareTwoFactor(
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

function userReason(row: UserTable, later: UserTable | undefined): string | null {
  if (later === undefined) return "deleted since the backup";
  if (later.enabled === 0) return "disabled since the backup";
  if (ROLES_ASCENDING.indexOf(row.role) > ROLES_ASCENDING.indexOf(later.role))
    return `${row.role} again, was ${later.role}`;
  if (later.password_version > row.password_version) return "has an earlier password again";
  const wider = LIMITS.filter((name) => allowsMore(row[name], later[name]));
  return wider.length > 0 ? `limited since the backup: ${wider.join(", ")}` : null;
}

/** Whether a user who set up 2FA since the backup signs in without it, or with the TOTP secret from before it. */
function twoFactorReason(userId: string, before: AccountRows, restored: AccountRows): string | null {
  const later = before.twoFactors.get(userId);
  if (later?.state !== "enabled") return null;
  const row = restored.twoFactors.get(userId);
  if (row?.state !== "enabled") return "signs in without the 2FA set up since the backup";
  return row.enrolment_id === later.enrolment_id ? null : "has an earlier 2FA setup again";
}

function keyReason(row: KeyTable, later: KeyTable | undefined, owner: UserTable | undefined): string | null {
  if (later === undefined) return "deleted since the backup";
  if (later.digest !== row.digest) return "replaced since the backup";
  if (later.enabled === 0) return "disabled since the backup";
  if (owner?.enabled === 0) return "its owner was disabled since the backup";
  if (allowsMore(row.expires_at, later.expires_at))
    return "rotated or given an earlier expiry since the backup";
  const wider = [
    ...NAME_LISTS.filter((name) => listsMore(row[name], later[name], (one, names) => names.includes(one))),
    ...(listsMore(row.allowed_addresses, later.allowed_addresses, isWithin) ? ["allowed_addresses"] : []),
    ...LIMITS.filter((name) => allowsMore(row[name], later[name])),
  ];
  if (wider.length > 0) return `restricted since the backup: ${wider.join(", ")}`;
  const lifted = liftedLimits(row, later);
  return lifted.length > 0
    ? `its owner may change limits that others set since the backup: ${lifted.join(", ")}`
    : null;
}

/** The amounts of the restored budgets that are spent in the later store, but not in the restored one. */
function budgetReason(
  kind: SubjectKind,
  row: UserTable | KeyTable,
  before: AccountRows,
  restored: AccountRows,
): string | null {
  const amounts = BUDGETS.flatMap((column) => {
    // A column missing in an older version means unlimited.
    const budget = row[column] ?? null;
    if (budget === null) return [];
    const spentIn = ({ spent }: AccountRows) =>
      Math.min(budget, spent.get(budgetId(kind, row.id, column)) ?? 0);
    const nano = spentIn(before) - spentIn(restored);
    if (nano <= 0) return [];
    const usd = nanoToUsd(nano).replace(/0{1,7}$/, "");
    return [`$${usd} of the ${column.replace("budget_", "")} budget`];
  });
  return amounts.length > 0 ? `has ${amounts.join(", ")} again` : null;
}

/** True when a restored limit or expiry allows more; null and a column missing in an older version mean unlimited. */
function allowsMore(restored: number | null | undefined, later: number | null | undefined): boolean {
  return typeof later === "number" && (typeof restored !== "number" || restored > later);
}

/**
 * Limits set by a higher role in the later store than in the backup. Without a recorded role, the key's owner set them.
 */
function liftedLimits(restored: KeyTable, later: KeyTable): string[] {
  // The store writes this JSON; an older version did not have the column.
  const [old, now] = [restored, later].map(
    (row) => JSON.parse(row.limits_set_by ?? "{}") as Record<string, string>,
  );
  return Object.entries(now ?? {}).flatMap(([limit, role]) =>
    ROLES_ASCENDING.indexOf(role) > ROLES_ASCENDING.indexOf(old?.[limit] ?? "") ? [limit] : [],
  );
}

/** True when one of these addresses or CIDRs contains all of `entry`, in any notation. */
function isWithin(entry: string, list: readonly string[]): boolean {
  const [address = ""] = entry.split("/");
  return list.some((one) => prefixBits(one) <= prefixBits(entry) && createAddressList([one])(address));
}

/** The prefix length of an address or CIDR; IPv4 counts as IPv4-mapped IPv6: 96 plus its own. */
function prefixBits(entry: string): number {
  const [address = "", bits] = entry.split("/");
  const before = isIP(address) === 4 ? 96 : 0;
  return bits === undefined ? 128 : before + Number(bits);
}

/**
 * True when the restored JSON list allows more; an empty list allows everything. `isAllowed`: whether a list allows an
 * entry.
 */
function listsMore(
  restored: string,
  later: string,
  isAllowed: (one: string, list: readonly string[]) => boolean,
): boolean {
  // The store writes these columns as JSON lists of strings.
  const [wide, narrow] = [JSON.parse(restored) as string[], JSON.parse(later) as string[]];
  return narrow.length > 0 && (wide.length === 0 || wide.some((one) => !isAllowed(one, narrow)));
}
