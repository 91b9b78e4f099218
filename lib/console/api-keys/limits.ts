import { KeyLimit, type LimitAuthors, PER_KEY_LIMITS } from "../../contracts/console/api-keys";
import { nanoToUsd } from "../../contracts/money";
import { isHigherRole } from "../../contracts/rank";
import { toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import { createAddressList } from "../../gateway/admission/address-list";
import type { KeyRecord, Operation, Role } from "../../ports/store";
import type { ConsoleContext } from "../context";

/** The fields of a key that decide what it may do. */
export type KeyReach = Pick<
  KeyRecord,
  | "enabled"
  | "expiresAt"
  | "operations"
  | "allowedModels"
  | "allowedAddresses"
  | "rpm"
  | "tpm"
  | "concurrency"
  | "budget"
>;

const ALL_OPERATIONS: Operation[] = ["speech", "embeddings", "manage"];

/** A key without any limit, for a user of this role: members' keys never manage. */
export function unlimitedReach(owner: Role): KeyReach {
  return {
    enabled: true,
    expiresAt: null,
    operations: ALL_OPERATIONS.filter((one) => one !== "manage" || owner !== "member"),
    allowedModels: [],
    allowedAddresses: [],
    rpm: null,
    tpm: null,
    concurrency: null,
    budget: { totalNano: null, dailyNano: null, monthlyNano: null },
  };
}

interface LimitRule {
  /** The limit's value as the API shows it. */
  shown(reach: KeyReach): unknown;
  /** True when `after` allows something that `before` does not. */
  isLooser(after: KeyReach, before: KeyReach): boolean;
}

/** A limit by number; null: no limit. */
function ceiling(
  read: (reach: KeyReach) => number | null,
  show: (value: number) => unknown = (value) => value,
): LimitRule {
  return {
    shown(reach) {
      const value = read(reach);
      return value === null ? null : show(value);
    },
    isLooser(after, before) {
      const [value, limit] = [read(after), read(before)];
      return limit !== null && (value === null || value > limit);
    },
  };
}

/** A limit by allow-list; empty: everything is allowed. `covers`: the entry `inner` lies within the entry `outer`. */
function allowList(
  read: (reach: KeyReach) => readonly string[],
  covers: (outer: string, inner: string) => boolean,
): LimitRule {
  return {
    shown: read,
    isLooser(after, before) {
      const [entries, allowed] = [read(after), read(before)];
      if (allowed.length === 0) return false;
      return entries.length === 0 || !entries.every((entry) => allowed.some((one) => covers(one, entry)));
    },
  };
}

/** True when every address of the range `inner` is in the range `outer`; an address is a range of one. */
function containsRange(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  const [base = "", bits] = inner.split("/");
  const [outerBase = "", outerBits] = outer.split("/");
  const isSameFamily = base.includes(":") === outerBase.includes(":");
  if (!isSameFamily || !createAddressList([outer])(base)) return false;
  const whole = base.includes(":") ? 128 : 32;
  return Number(bits ?? whole) >= Number(outerBits ?? whole);
}

const RULES = {
  enabled: {
    shown: (reach) => reach.enabled,
    isLooser: (after, before) => after.enabled && !before.enabled,
  },
  expires_at: ceiling((reach) => reach.expiresAt, toTimestamp),
  operations: {
    shown: (reach) => reach.operations,
    isLooser: (after, before) => after.operations.some((one) => !before.operations.includes(one)),
  },
  allowed_models: allowList(
    (reach) => reach.allowedModels,
    (allowed, name) => allowed === name,
  ),
  allowed_addresses: allowList((reach) => reach.allowedAddresses, containsRange),
  rpm: ceiling((reach) => reach.rpm),
  tpm: ceiling((reach) => reach.tpm),
  concurrency: ceiling((reach) => reach.concurrency),
  "budget.total_usd": ceiling((reach) => reach.budget.totalNano, nanoToUsd),
  "budget.daily_usd": ceiling((reach) => reach.budget.dailyNano, nanoToUsd),
  "budget.monthly_usd": ceiling((reach) => reach.budget.monthlyNano, nanoToUsd),
} as const satisfies Record<KeyLimit, LimitRule>;

/**
 * The limits in which `after` allows something that `before` does not. Two allow-lists of which neither contains the
 * other are each looser than the other.
 */
export function looserLimits(after: KeyReach, before: KeyReach): KeyLimit[] {
  return KeyLimit.options.filter((name) => RULES[name].isLooser(after, before));
}

function refuse(field: KeyLimit, message: string): AppError {
  return new AppError("forbidden", `${field}: ${message}`, { issues: [{ path: field, message }] });
}

const AUTHOR_NAMES = { owner: "the owner of this instance", admin: "an administrator", member: "a member" };

/** Throws `forbidden` when `after` loosens a limit that a higher role than `actor` set, naming the first such limit. */
export function requireMayLoosen(
  actor: Role,
  before: KeyReach & { limitsSetBy: LimitAuthors },
  after: KeyReach,
): void {
  for (const name of looserLimits(after, before)) {
    const setBy = before.limitsSetBy[name];
    if (setBy === undefined || !isHigherRole(setBy, actor)) continue;
    const { shown } = RULES[name];
    throw refuse(
      name,
      `Set to ${JSON.stringify(shown(before))} by ${AUTHOR_NAMES[setBy]}. You may tighten this limit, not loosen it; ` +
        `got ${JSON.stringify(shown(after))}.`,
    );
  }
}

/**
 * Which role set each limit of a key after a user of role `actor` changed it from `before` to `after`. Only roles above
 * the owner's are recorded, since owners may change what they set on their own keys. A limit that a lower role tightens
 * keeps its author; a removed limit has none.
 */
export function limitAuthors(
  actor: Role,
  owner: Role,
  before: KeyReach & { limitsSetBy: LimitAuthors },
  after: KeyReach,
): LimitAuthors {
  const authors: LimitAuthors = {};
  for (const name of looserLimits(unlimitedReach(owner), after)) {
    const known = before.limitsSetBy[name];
    const { isLooser } = RULES[name];
    const isKept =
      (!isLooser(after, before) && !isLooser(before, after)) ||
      (known !== undefined && isHigherRole(known, actor));
    const author = isKept ? known : isHigherRole(actor, owner) ? actor : undefined;
    if (author !== undefined) authors[name] = author;
  }
  return authors;
}

/**
 * `given` with the expiry, models and addresses of the calling management key where `given` limits none. Unchanged for
 * sessions, which have no such limits.
 */
export function inheritLimits(ctx: Pick<ConsoleContext, "caller">, given: KeyReach): KeyReach {
  if (ctx.caller.kind !== "manage-key") return given;
  const { key } = ctx.caller;
  return {
    ...given,
    expiresAt: given.expiresAt ?? key.expiresAt,
    allowedModels: given.allowedModels.length === 0 ? key.allowedModels : given.allowedModels,
    allowedAddresses: given.allowedAddresses.length === 0 ? key.allowedAddresses : given.allowedAddresses,
  };
}

/**
 * Throws `forbidden` when a management key would grant more than it has itself, naming the first limit that is too
 * wide.
 */
export function requireWithinCaller(ctx: Pick<ConsoleContext, "caller">, wanted: KeyReach): void {
  if (ctx.caller.kind !== "manage-key") return;
  const own: KeyReach = { ...ctx.caller.key, enabled: true, operations: ALL_OPERATIONS };
  const [tooWide] = looserLimits(wanted, own);
  if (tooWide === undefined) return;
  throw refuse(
    tooWide,
    `Must be within the limit of the calling management key, ${JSON.stringify(RULES[tooWide].shown(own))}; ` +
      `got ${JSON.stringify(RULES[tooWide].shown(wanted))}.`,
  );
}

/**
 * Throws `forbidden` when a management key with a rate limit, a concurrency limit or a budget creates or loosens
 * another key: limits count per key, so together the keys would exceed it. `act`: the refused action, such as "create
 * keys".
 */
export function requireNoPerKeyLimits(ctx: Pick<ConsoleContext, "caller">, act: string): void {
  if (ctx.caller.kind !== "manage-key") return;
  const { key } = ctx.caller;
  const set = looserLimits(unlimitedReach("owner"), key).find((name) =>
    PER_KEY_LIMITS.some((one) => one === name),
  );
  if (set === undefined) return;
  throw new AppError(
    "forbidden",
    `This management key is limited (${set}: ${JSON.stringify(RULES[set].shown(key))}) and cannot ${act}: ` +
      "limits count per key, so together the keys would exceed it. Use a management key without rpm, tpm, " +
      "concurrency and budget, or sign in.",
    { param: set },
  );
}
