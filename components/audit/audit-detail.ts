import { isRecord } from "@/lib/contracts/is-record";

/** The `detail` of an audit row: changed fields and further values. */
interface AuditDetail {
  changes: AuditChange[];
  /** The remaining values of `detail`, one per field. */
  facts: { field: string; value: unknown }[];
  address: string | null;
  request: string | null;
  /** The API key with `manage` permission that made the request. */
  key: string | null;
}

export interface AuditChange {
  /** Dotted path (`budget.dailyNano`). */
  field: string;
  /** `undefined`: no value, or not recorded. */
  before: unknown;
  after: unknown;
}

type Fields = Record<string, unknown>;

const asFields = (value: unknown): Fields | null => (isRecord(value) ? value : null);

/** `{a: {b: 1}}` → `[["a.b", 1]]`. Arrays are values. */
function leavesOf(value: unknown, path = ""): [string, unknown][] {
  const fields = asFields(value);
  if (fields === null || (path !== "" && Object.keys(fields).length === 0)) return [[path, value]];
  return Object.entries(fields).flatMap(([name, one]) =>
    leavesOf(one, path === "" ? name : `${path}.${name}`),
  );
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The fields that differ. `change` holds only the fields that were sent, so missing ones are unchanged; `after` is
 * complete, so missing ones were removed.
 */
function changesOf(detail: Fields): AuditChange[] {
  const isComplete = detail.after !== undefined;
  const [beforeFields, afterFields] = [
    asFields(detail.before),
    asFields(isComplete ? detail.after : detail.change),
  ];
  if (beforeFields === null && afterFields === null) return [];
  const [before, after] = [new Map(leavesOf(beforeFields ?? {})), new Map(leavesOf(afterFields ?? {}))];
  const fields =
    isComplete || afterFields === null ? new Set([...before.keys(), ...after.keys()]) : after.keys();
  return [...fields]
    .map((field) => ({ field, before: before.get(field), after: after.get(field) }))
    .filter((one) => !isSame(one.before, one.after));
}

/** True for an ID such as `chn_5NilO1FY…`, which may be part of a field's path. */
const isOpaqueId = (part: string): boolean => /^[a-z0-9]{2,6}_[0-9A-Za-z]{22}$/.test(part);

/**
 * Display name of a field: `budget.dailyNano` → `budget.daily` (the value carries the unit), otherwise in snake case as
 * in the API. IDs in the path (`chn_5NilO1FY…` of an order) are unchanged.
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
const SEPARATE_FIELDS = new Set(["before", "after", "change", "address", "request", "key"]);

/** Parses the `detail` of a row of `GET /api/audit`. */
export function readAuditDetail(detail: Fields): AuditDetail {
  return {
    changes: changesOf(detail),
    facts: Object.entries(detail)
      .filter(([name]) => !SEPARATE_FIELDS.has(name))
      .flatMap(([name, value]) => leavesOf({ [name]: value }))
      .map(([field, value]) => ({ field, value })),
    address: text(detail.address),
    request: text(detail.request),
    key: text(detail.key),
  };
}
