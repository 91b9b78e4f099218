/** What an audit row says, taken apart for people: which fields changed, and what else is known. */
export interface AuditDetail {
  changes: AuditChange[];
  /** The rest of what was noted, field by field. */
  facts: { field: string; value: unknown }[];
  address: string | null;
  request: string | null;
  /** The manage key that acted in its owner's stead. */
  key: string | null;
}

export interface AuditChange {
  /** Dotted path (`budget.dailyNano`). */
  field: string;
  /** `undefined`: there was none, or it was not noted. */
  before: unknown;
  after: unknown;
}

type Fields = Record<string, unknown>;

function asFields(value: unknown): Fields | null {
  // What is an object and no list has fields.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** `{a: {b: 1}}` → `a.b`: 1. Lists are values. */
function leavesOf(value: unknown, path = ""): [string, unknown][] {
  const fields = asFields(value);
  if (fields === null || (path !== "" && Object.keys(fields).length === 0)) return [[path, value]];
  return Object.entries(fields).flatMap(([name, one]) =>
    leavesOf(one, path === "" ? name : `${path}.${name}`),
  );
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The fields that differ. A `change` names only what was sent, so what it does not name stayed; an `after` is whole,
 * so what it lacks is gone.
 */
function changesOf(detail: Fields): AuditChange[] {
  const isWhole = detail.after !== undefined;
  const [beforeFields, afterFields] = [
    asFields(detail.before),
    asFields(isWhole ? detail.after : detail.change),
  ];
  if (beforeFields === null && afterFields === null) return [];
  const [before, after] = [new Map(leavesOf(beforeFields ?? {})), new Map(leavesOf(afterFields ?? {}))];
  const fields =
    isWhole || afterFields === null ? new Set([...before.keys(), ...after.keys()]) : after.keys();
  return [...fields]
    .map((field) => ({ field, before: before.get(field), after: after.get(field) }))
    .filter((one) => !isSame(one.before, one.after));
}

/** An id of ours such as `chn_5NilO1FY…`; also as a part of a field's path. */
export const isOpaqueId = (part: string): boolean => /^[a-z0-9]{2,6}_[0-9A-Za-z]{22}$/.test(part);

/**
 * A field as people read it: `budget.dailyNano` → `budget.daily`, since the money's unit is told with the value; else
 * as the API names it. Ids among its parts (`chn_5NilO1FY…` of an order) stay as they are.
 */
export function fieldName(field: string): string {
  return field
    .split(".")
    .map((part) =>
      isOpaqueId(part)
        ? part
        : part.replace(/Nano$/, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    )
    .join(".");
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const TOLD_APART = new Set(["before", "after", "change", "address", "request", "key"]);

/** Takes the `detail` of a row of `GET /api/audit` apart. */
export function readAuditDetail(detail: Fields): AuditDetail {
  return {
    changes: changesOf(detail),
    facts: Object.entries(detail)
      .filter(([name]) => !TOLD_APART.has(name))
      .flatMap(([name, value]) => leavesOf({ [name]: value }))
      .map(([field, value]) => ({ field, value })),
    address: text(detail.address),
    request: text(detail.request),
    key: text(detail.key),
  };
}
