import { expect } from "vitest";
import type { Store, UsageFilter, UsageRecord } from "../../../lib/ports/store";
import type { TestDatabase } from "./test-database";

/** All ledger entries of a store, newest first. */
export async function allUsage(store: Store, filter: UsageFilter = {}): Promise<UsageRecord[]> {
  const rows: UsageRecord[] = [];
  let cursor: string | null = null;
  do {
    const page = await store.ledger.list({ limit: 100, cursor, ...filter, q: null });
    rows.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

const SUMMED = ["input_tokens", "output_tokens", "characters", "audio_ms", "cost_nano"];
const LATENCY_BUCKETS = [
  "5",
  "10",
  "25",
  "50",
  "100",
  "250",
  "500",
  "1000",
  "2500",
  "5000",
  "10000",
  "30000",
  "more",
];

/** Expects entries, roll-ups and balances to have equal sums: by key and user, by period, and over all. */
export async function expectLedgerSumsToMatch(database: TestDatabase): Promise<void> {
  for (const [kind, column] of [
    ["key", "key_id"],
    ["user", "user_id"],
  ]) {
    for (const period of ["'total'", "day", "month"]) {
      const rows = await database.raw(
        `select ${column}, ${period}, cast(sum(cost_nano) as bigint),
           cast(sum(case when state = 'open' then reserved_nano else 0 end) as bigint)
         from usage group by 1, 2
         having sum(cost_nano) <> 0 or sum(case when state = 'open' then reserved_nano else 0 end) <> 0`,
      );
      const balances = await database.raw(
        `select subject_id, period, spent, reserved from balances
         where subject_kind = '${kind}' and (spent <> 0 or reserved <> 0)
           and ${period === "'total'" ? "period = 'total'" : `length(period) = ${period === "day" ? 10 : 7}`}`,
      );
      expect(balances.map(String).sort()).toEqual(rows.map(String).sort());
    }
  }
  const sums = (table: string, count: string, rest: string): Promise<unknown[][]> =>
    database.raw(
      `select key_id, user_id, model, coalesce(channel_id, ''), operation, cast(${count} as bigint),
         ${SUMMED.map((column) => `cast(sum(${column}) as bigint)`).join(", ")}
       from ${table} ${rest} group by 1, 2, 3, 4, 5
       having ${[count, ...SUMMED.map((column) => `sum(${column})`)].map((sum) => `${sum} <> 0`).join(" or ")}`,
    );
  const ofRows = await sums("usage", "count(*)", "where state = 'settled'");
  for (const table of ["rollups", "daily_rollups"]) {
    const ofRollUps = await sums(table, "sum(calls)", "");
    expect(ofRollUps.map(String).sort()).toEqual(ofRows.map(String).sort());
  }
  expect(await failoversOf(database)).toEqual(await failoversInTraces(database));
  const buckets = LATENCY_BUCKETS.map((bound) => `sum(latency_${bound})`).join(" + ");
  const [counts] = await database.raw(
    `select coalesce(${buckets}, 0) - coalesce(sum(calls), 0) from rollups`,
  );
  expect(Number(counts?.[0])).toBe(0);
}

async function failoversOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.raw(
    "select minute, model, channel_id, attempts from failovers where attempts <> 0",
  );
  return rows.map(String).sort();
}

/** Failovers counted in the entries' traces: [version, admitted, settled, [[channel, …, error at index 5], …]]. */
async function failoversInTraces(database: TestDatabase): Promise<string[]> {
  const counts = new Map<string, number>();
  const rows = await database.raw(
    "select at, model, channel_id, trace from usage where state = 'settled' and attempts > 1 and trace is not null",
  );
  for (const [at, model, channelId, trace] of rows) {
    const [, , , attempts]: [number, number, number, unknown[][]] = JSON.parse(String(trace));
    for (const attempt of attempts) {
      if (attempt[5] === null || attempt[0] === channelId) continue;
      const name = `${Number(at) - (Number(at) % 60_000)},${model},${attempt[0]}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].map(([name, count]) => `${name},${count}`).sort();
}
