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

/** The fields of a request that have a value; an absent field leaves the stored one unchanged. */
export function sentFields<Fields extends object>(fields: Fields): Partial<Fields> {
  // Cast: these are some of the fields' own entries.
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}

/** The fields of `patch` that differ from those of `before`. */
export function differing<Patch extends object>(before: object, patch: Patch): Partial<Patch> {
  const present = new Map<string, unknown>(Object.entries(before));
  const entries = Object.entries(patch).filter(([name, value]) => !isSameJson(present.get(name), value));
  // Cast: these are some of the patch's own entries.
  return Object.fromEntries(entries) as Partial<Patch>;
}
