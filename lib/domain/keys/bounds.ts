import { AppError } from "../../errors";
import type { KeyRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { createAddressList } from "../gateway/address-list";

/** The part of a key that says how far it reaches. */
export type KeyReach = Pick<
  KeyRecord,
  "expiresAt" | "allowedModels" | "allowedAddresses" | "rpm" | "tpm" | "concurrency" | "budget"
>;

/** `given`'s reach with the caller's own bounds wherever `given` names none; a session has no bounds. */
export function inheritBounds(ctx: Pick<ConsoleContext, "caller">, given: KeyReach): KeyReach {
  if (ctx.caller.kind !== "manage-key") return given;
  const { key } = ctx.caller;
  return {
    expiresAt: given.expiresAt ?? key.expiresAt,
    allowedModels: given.allowedModels.length === 0 ? key.allowedModels : given.allowedModels,
    allowedAddresses: given.allowedAddresses.length === 0 ? key.allowedAddresses : given.allowedAddresses,
    rpm: given.rpm ?? key.rpm,
    tpm: given.tpm ?? key.tpm,
    concurrency: given.concurrency ?? key.concurrency,
    budget: {
      totalNano: given.budget.totalNano ?? key.budget.totalNano,
      dailyNano: given.budget.dailyNano ?? key.budget.dailyNano,
      monthlyNano: given.budget.monthlyNano ?? key.budget.monthlyNano,
    },
  };
}

/** `null` and the empty list stand for no bound. */
function isAbove(value: number | null, bound: number | null): boolean {
  return bound !== null && (value === null || value > bound);
}

function isOutside(names: readonly string[], bound: readonly string[]): boolean {
  return bound.length > 0 && (names.length === 0 || names.some((name) => !bound.includes(name)));
}

/** True when some address of `entries` is in none of `bound`'s; a range must lie within one of them or be named there. */
function isOutsideAddresses(entries: readonly string[], bound: readonly string[]): boolean {
  if (bound.length === 0) return false;
  return entries.length === 0 || !entries.every((entry) => bound.some((one) => contains(one, entry)));
}

/** An address counts as a range of itself alone. */
function contains(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  const [base = "", bits] = inner.split("/");
  const [outerBase = "", outerBits] = outer.split("/");
  const isSameFamily = base.includes(":") === outerBase.includes(":");
  if (!isSameFamily || !createAddressList([outer])(base)) return false;
  const whole = base.includes(":") ? 128 : 32;
  return Number(bits ?? whole) >= Number(outerBits ?? whole);
}

/**
 * A key that manages makes no key that reaches further than itself, or it could shake its own bounds off.
 * Throws `forbidden`, naming the first field that is too wide.
 */
export function requireWithinCaller(ctx: Pick<ConsoleContext, "caller">, wanted: KeyReach): void {
  if (ctx.caller.kind !== "manage-key") return;
  const { key } = ctx.caller;
  const checks: [string, boolean][] = [
    ["expires_at", isAbove(wanted.expiresAt, key.expiresAt)],
    ["allowed_models", isOutside(wanted.allowedModels, key.allowedModels)],
    ["allowed_addresses", isOutsideAddresses(wanted.allowedAddresses, key.allowedAddresses)],
    ["rpm", isAbove(wanted.rpm, key.rpm)],
    ["tpm", isAbove(wanted.tpm, key.tpm)],
    ["concurrency", isAbove(wanted.concurrency, key.concurrency)],
    ["budget.total_usd", isAbove(wanted.budget.totalNano, key.budget.totalNano)],
    ["budget.daily_usd", isAbove(wanted.budget.dailyNano, key.budget.dailyNano)],
    ["budget.monthly_usd", isAbove(wanted.budget.monthlyNano, key.budget.monthlyNano)],
  ];
  const tooWide = checks.find(([, isWider]) => isWider);
  if (tooWide === undefined) return;
  const [field] = tooWide;
  throw new AppError("forbidden", `${field}: A key gives no other key more than it has itself.`, {
    param: field,
    issues: [{ path: field, message: "Must be within the bounds of the key that asks." }],
  });
}

/**
 * A member lowers the limits of a key that stands, or keeps them: who set them is not on record, and it may have been
 * an administrator. Throws `forbidden`, naming the first limit that would rise.
 */
export function requireNoRaise(ctx: Pick<ConsoleContext, "caller">, before: KeyReach, after: KeyReach): void {
  if (ctx.caller.kind !== "session" || ctx.caller.user.role !== "member") return;
  const checks: [string, boolean][] = [
    ["rpm", isAbove(after.rpm, before.rpm)],
    ["tpm", isAbove(after.tpm, before.tpm)],
    ["concurrency", isAbove(after.concurrency, before.concurrency)],
    ["budget.total_usd", isAbove(after.budget.totalNano, before.budget.totalNano)],
    ["budget.daily_usd", isAbove(after.budget.dailyNano, before.budget.dailyNano)],
    ["budget.monthly_usd", isAbove(after.budget.monthlyNano, before.budget.monthlyNano)],
  ];
  const raised = checks.find(([, isRaised]) => isRaised);
  if (raised === undefined) return;
  const [field] = raised;
  throw new AppError("forbidden", `${field}: Only an administrator raises or removes a key's limit.`, {
    param: field,
    issues: [{ path: field, message: "May be lowered, not raised." }],
  });
}
