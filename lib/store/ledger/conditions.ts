import { type RawBuilder, sql } from "kysely";
import { codePoints } from "../../contracts/code-points";
import type { UsageFilter, UsageOutcome } from "../../ports/store";
import { PLAYGROUND_ID, PLAYGROUND_NAME, PLAYGROUND_PREFIX } from "../../ports/store/api-keys";
import { matches } from "../page";

const SEARCHED = ["request_id", "model", "error", "end_user", "tags"] as const;

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

/** Matches `q` in one of the columns, or in the name of the row's key. Throws AppError `invalid` (too short). */
export function matchesOrOfKey(q: string, columns: readonly string[]): RawBuilder<boolean> {
  const ofKey = sql`key_id in (select id from keys where ${matches(q, ["name"])})`;
  // Playground keys are deleted with their sessions, so that `ofKey` does not find the calls of earlier sessions.
  const isPlayground = PLAYGROUND_NAME.toLowerCase().includes(q.toLowerCase());
  const ofPlayground = isPlayground ? sql` or ${isOfKey(PLAYGROUND_ID)}` : sql``;
  return sql<boolean>`(${matches(q, columns)} or ${ofKey}${ofPlayground})`;
}

/** Selects the rows of a key; `PLAYGROUND_ID`: of all playground keys. */
export function isOfKey(id: string): RawBuilder<boolean> {
  return id === PLAYGROUND_ID
    ? sql<boolean>`substr(key_id, 1, ${PLAYGROUND_PREFIX.length}) = ${PLAYGROUND_PREFIX}`
    : sql<boolean>`key_id = ${id}`;
}

/** PostgreSQL indexes end users of up to 512 characters whole, longer ones by their first 256. */
const WHOLE_END_USER = 512;
const END_USER_START = 256;

/** Selects the rows of an end user, with the condition of one of PostgreSQL's two indexes: short names or long ones. */
export function isOfEndUser(endUser: string): RawBuilder<boolean> {
  const limit = sql.lit(WHOLE_END_USER);
  if (codePoints(endUser) <= WHOLE_END_USER)
    return sql<boolean>`(end_user = ${endUser} and length(end_user) <= ${limit})`;
  const start = [...endUser].slice(0, END_USER_START).join("");
  return sql<boolean>`(end_user = ${endUser} and length(end_user) > ${limit}
    and substr(end_user, 1, ${sql.lit(END_USER_START)}) = ${start})`;
}

/** Conditions on columns that the roll-ups also have. */
export function rolledConditions(filter: UsageFilter): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = [];
  if (filter.userId !== undefined) conditions.push(sql<boolean>`user_id = ${filter.userId}`);
  if (filter.keyId !== undefined) conditions.push(isOfKey(filter.keyId));
  if (filter.keyIds !== undefined) conditions.push(sql<boolean>`key_id in (${sql.join(filter.keyIds)})`);
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
  if (filter.endUser !== undefined) conditions.push(isOfEndUser(filter.endUser));
  if (filter.requestId !== undefined) conditions.push(sql<boolean>`request_id = ${filter.requestId}`);
  if (filter.q !== undefined && filter.q !== null) conditions.push(matchesOrOfKey(filter.q, SEARCHED));
  return conditions;
}
