import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type KeyReach,
  limitAuthors,
  looserLimits,
  requireMayLoosen,
  unlimitedReach,
} from "../../../lib/console/api-keys/limits";
import type { LimitAuthors } from "../../../lib/contracts/console/api-keys";
import { createAddressList } from "../../../lib/gateway/admission/address-list";
import type { Operation, Role } from "../../../lib/ports/store";

const ceiling = fc.option(fc.integer({ min: 0, max: 6 }), { nil: null });
const ADDRESSES = [
  "10.0.0.0",
  "10.0.0.1",
  "10.128.0.1",
  "11.0.0.1",
  "2001:db8::",
  "2001:db8::1",
  "::ffff:10.0.0.1",
];
const range = fc
  .tuple(fc.constantFrom(...ADDRESSES), fc.option(fc.integer({ min: 0, max: 32 }), { nil: null }))
  .map(([base, bits]) => (bits === null ? base : `${base}/${base.includes(":") ? bits * 4 : bits}`));
const OPERATIONS: Operation[] = ["speech", "embeddings", "manage"];
const MODELS = ["a", "b", "c"];

const reach: fc.Arbitrary<KeyReach> = fc.record({
  enabled: fc.boolean(),
  expiresAt: ceiling,
  operations: fc.subarray(OPERATIONS, { minLength: 1 }),
  allowedModels: fc.subarray(MODELS),
  allowedAddresses: fc.array(range, { maxLength: 3 }),
  rpm: ceiling,
  tpm: ceiling,
  concurrency: ceiling,
  budget: fc.record({ totalNano: ceiling, dailyNano: ceiling, monthlyNano: ceiling }),
});

/** Some fields of a key. */
const patch = reach.chain((full) =>
  fc.subarray(Object.keys(full) as (keyof KeyReach)[]).map((names) => {
    const part: Partial<KeyReach> = {};
    for (const name of names) Object.assign(part, { [name]: full[name] });
    return part;
  }),
);

/** Names of the calls that a key allows, within the values of this test, so that two keys can be compared. */
function allowed(key: KeyReach): Set<string> {
  const calls = new Set<string>();
  const upTo = (what: string, limit: number | null) => {
    for (let amount = 0; amount <= (limit ?? 7); amount++) calls.add(`${what} ${amount}`);
  };
  if (!key.enabled) return calls;
  upTo("expires", key.expiresAt);
  upTo("rpm", key.rpm);
  upTo("tpm", key.tpm);
  upTo("concurrency", key.concurrency);
  upTo("total", key.budget.totalNano);
  upTo("daily", key.budget.dailyNano);
  upTo("monthly", key.budget.monthlyNano);
  for (const operation of key.operations) calls.add(operation);
  for (const model of key.allowedModels.length === 0 ? [...MODELS, "d"] : key.allowedModels)
    calls.add(`model ${model}`);
  const allows = key.allowedAddresses.length === 0 ? () => true : createAddressList(key.allowedAddresses);
  for (const address of [...ADDRESSES, "9.9.9.9", "::2"]) if (allows(address)) calls.add(address);
  return calls;
}

const isWithin = (inner: Set<string>, outer: Set<string>) => [...inner].every((call) => outer.has(call));

describe("looserLimits", () => {
  test("finds no looser limit in a key compared with itself or with an unlimited key", () => {
    fc.assert(
      fc.property(reach, (key) => {
        expect(looserLimits(key, key)).toEqual([]);
        expect(looserLimits(key, unlimitedReach("owner"))).toEqual([]);
      }),
    );
  });

  test("names every limit that allows a call which was refused before", () => {
    // Two random keys rarely contain each other; two that differ in a few fields often do.
    fc.assert(
      fc.property(reach, patch, (before, changed) => {
        const after = { ...before, ...changed };
        fc.pre(looserLimits(after, before).length === 0);
        expect(isWithin(allowed(after), allowed(before))).toBe(true);
      }),
      { numRuns: 1_000, maxSkipsPerRun: 1_000 },
    );
    fc.assert(
      fc.property(reach, reach, (a, b) => {
        // The second key has one field of another key: that limit is named when it allows more.
        for (const name of ["rpm", "expiresAt", "operations", "allowedModels", "allowedAddresses"] as const) {
          const [before, after] = [
            { ...a, enabled: true },
            { ...a, enabled: true, [name]: b[name] },
          ];
          if (!isWithin(allowed(after), allowed(before))) expect(looserLimits(after, before)).toHaveLength(1);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

/** A key that users of different roles change; a change that is not allowed has no effect. */
class Key {
  reach: KeyReach & { limitsSetBy: LimitAuthors };
  constructor(start: KeyReach) {
    this.reach = { ...start, limitsSetBy: {} };
  }
  change(actor: Role, patch: Partial<KeyReach>): void {
    const after = { ...this.reach, ...patch };
    try {
      requireMayLoosen(actor, this.reach, after);
    } catch {
      return;
    }
    this.reach = { ...after, limitsSetBy: limitAuthors(actor, "member", this.reach, after) };
  }
}

test("no sequence of changes by lower roles exceeds the limits of a higher role", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<[Role, Role[]]>(["admin", ["member"]], ["owner", ["member", "admin"]]),
      fc.array(patch, { maxLength: 4 }),
      patch,
      fc.array(fc.tuple(fc.nat(), patch), { maxLength: 12 }),
      ([higher, lower], earlier, limits, later) => {
        const key = new Key(unlimitedReach("member"));
        for (const one of earlier) key.change("member", one);
        key.change(higher, limits);
        const set = { ...key.reach };
        for (const [who, one] of later) key.change(lower[who % lower.length] ?? "member", one);
        const exceeded = looserLimits(key.reach, set).filter((name) => set.limitsSetBy[name] === higher);
        expect(exceeded).toEqual([]);
      },
    ),
    { numRuns: 1_000 },
  );
});
