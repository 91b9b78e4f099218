import type { ImportStep } from "../../../contracts/console/settings-file";
import type { ChannelRecord, Repositories, UserRecord } from "../../../ports/store";
import type { ConsoleContext } from "../../context";
import type { ModelNames } from "../../models/model-names";

/** The context of an import step: the transaction it is part of, and the user who asked for it. */
export interface Importing {
  tx: Repositories;
  ctx: ConsoleContext;
  user: UserRecord;
  /** The models of this instance so far, read once: a file has thousands of entries. */
  models: ModelNames;
  channels: Map<string, ChannelRecord>;
  /** IDs of the channels whose circuits close once the import is stored. */
  reset: string[];
}

type Named = Pick<ImportStep, "kind" | "name">;

export const created = (one: Named): ImportStep => ({ ...one, action: "create", fields: [], reason: null });
export const skipped = (one: Named, reason: string): ImportStep => ({
  ...one,
  action: "skip",
  fields: [],
  reason,
});
/** `change`, or `same` when no field differs. */
export const changed = (one: Named, fields: string[]): ImportStep => ({
  ...one,
  action: fields.length === 0 ? "same" : "change",
  fields,
  reason: null,
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}

/** True when both are the same JSON, ignoring key order. */
function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** The fields of `patch` that differ from those of `before`. */
export function differing<Patch extends object>(before: object, patch: Patch): Partial<Patch> {
  const present = new Map<string, unknown>(Object.entries(before));
  const entries = Object.entries(patch).filter(([name, value]) => !isSameJson(present.get(name), value));
  // A part of the patch's own entries.
  return Object.fromEntries(entries) as Partial<Patch>;
}
