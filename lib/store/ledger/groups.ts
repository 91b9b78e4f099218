import { sql } from "kysely";
import type { UsageGroup, UsageSummary, UsageSummaryQuery } from "../../ports/store";
import { addSums, byAmount, eachSum, NO_SUMS, type Sums } from "../../ports/store/usage-query";
import { LATENCY_COLUMNS } from "./latency";

/** A sum as a bigint on both databases: PostgreSQL's sum of bigints has type `numeric`. */
export const total = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;

/** Model and channel as one name; the channel is empty for calls that reached none. */
export const routeName = sql<string | null>`model || ${sql.lit("\n")} || coalesce(channel_id, '')`;

/** A group as selected from roll-ups and from entries; sums that were not selected are 0. */
export function toGroup(row: Record<string, unknown>): UsageGroup {
  // The columns that summary.ts selects: numbers, except the group's name.
  const read = row as unknown as Partial<Omit<Sums, "latency">> &
    Record<string, number | undefined> & { hour?: number; name?: string | null };
  const { hour, name, ...sums } = read;
  return {
    hour: hour === undefined ? null : Number(hour),
    name: name === undefined || name === "" ? null : name,
    ...eachSum((sum) => sums[sum] ?? 0),
    latencyMaxMs: sums.latencyMaxMs ?? null,
    latency: LATENCY_COLUMNS.map((column) => Number(sums[column] ?? 0)),
  };
}

/** Merges groups of the same name; for groups without hours. */
export function mergeGroups(groups: readonly UsageGroup[]): UsageGroup[] {
  const merged = new Map<string | null, UsageGroup>();
  for (const group of groups) {
    const known = merged.get(group.name);
    merged.set(group.name, known === undefined ? group : { ...known, ...addSums(known, group) });
  }
  return [...merged.values()];
}

/** The largest groups, at most `maxGroups`, and the sums of all; without `maxGroups` all groups, as they are. */
export function largest(
  groups: UsageGroup[],
  { maxGroups, order }: Pick<UsageSummaryQuery, "maxGroups" | "order">,
): Pick<UsageSummary, "groups" | "total"> {
  if (maxGroups === undefined) return { groups };
  const sorted = groups.toSorted(byAmount(order));
  return { groups: sorted.slice(0, maxGroups), total: groups.reduce<Sums>(addSums, NO_SUMS) };
}
