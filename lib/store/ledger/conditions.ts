import { type RawBuilder, sql } from "kysely";
import type { UsageFilter, UsageOutcome } from "../../ports/store";

function outcomeIs(outcome: UsageOutcome): RawBuilder<boolean> {
  switch (outcome.kind) {
    case "ok":
      return sql<boolean>`(error is null and state = 'settled')`;
    case "failed":
      return sql<boolean>`error is not null`;
    case "error":
      return sql<boolean>`error = ${outcome.code}`;
    case "status":
      return sql<boolean>`status = ${outcome.status}`;
  }
}

/**
 * True when the comma-separated list (with or without a space after a comma) contains the tag, in SQL that works on
 * both databases.
 */
function isTagged(tag: string): RawBuilder<boolean> {
  const list = sql`(',' || replace(tags, ', ', ',') || ',')`;
  return sql<boolean>`(tags is not null and replace(${list}, ${`,${tag},`}, '') <> ${list})`;
}

/** Conditions on columns that the roll-ups also have. */
export function rolledConditions(filter: UsageFilter): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = [];
  if (filter.userId !== undefined) conditions.push(sql<boolean>`user_id = ${filter.userId}`);
  if (filter.keyId !== undefined) conditions.push(sql<boolean>`key_id = ${filter.keyId}`);
  if (filter.model !== undefined) conditions.push(sql<boolean>`model = ${filter.model}`);
  if (filter.channelId !== undefined) conditions.push(sql<boolean>`channel_id = ${filter.channelId}`);
  if (filter.operation !== undefined) conditions.push(sql<boolean>`operation = ${filter.operation}`);
  return conditions;
}

/** Conditions that only ledger entries can answer. */
export function rowConditions(filter: UsageFilter): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = [];
  if (filter.outcome !== undefined) conditions.push(outcomeIs(filter.outcome));
  if (filter.tag !== undefined) conditions.push(isTagged(filter.tag));
  if (filter.endUser !== undefined) conditions.push(sql<boolean>`end_user = ${filter.endUser}`);
  if (filter.requestId !== undefined) conditions.push(sql<boolean>`request_id = ${filter.requestId}`);
  return conditions;
}

/** All conditions of a list of entries; the range is half open. */
export function listConditions(filter: UsageFilter): RawBuilder<boolean>[] {
  const conditions = [...rolledConditions(filter), ...rowConditions(filter)];
  if (filter.from !== undefined) conditions.push(sql<boolean>`at >= ${filter.from}`);
  if (filter.to !== undefined) conditions.push(sql<boolean>`at < ${filter.to}`);
  return conditions;
}
