import { type Kysely, type RawBuilder, sql } from "kysely";
import type { UsageFilter } from "../../ports/store";
import { PLAYGROUND_ID } from "../../ports/store/api-keys";
import type { Tables } from "../schema";
import { isOfEndUser } from "./conditions";

/** The most entries that one sum or one list reads, whatever the size of the ledger. */
const MAX_ROWS_READ = 100_000;
/** The same for a search (`q`), which reads the texts of each entry. */
const MAX_ROWS_SEARCHED = 50_000;

/** The filter's condition whose index by time has the fewest entries; undefined: only the range has an index. */
function indexedCondition({
  requestId,
  endUser,
  keyId,
  outcome,
  userId,
}: UsageFilter): RawBuilder<boolean> | undefined {
  if (requestId !== undefined) return sql<boolean>`request_id = ${requestId}`;
  if (endUser !== undefined) return isOfEndUser(endUser);
  // The playground's keys have no index of their own.
  if (keyId !== undefined && keyId !== PLAYGROUND_ID) return sql<boolean>`key_id = ${keyId}`;
  if (outcome?.kind === "failed" || outcome?.kind === "error") return sql<boolean>`error is not null`;
  if (userId !== undefined) return sql<boolean>`user_id = ${userId}`;
  return undefined;
}

/**
 * The earliest time from which a query with this filter reads at most `MAX_ROWS_READ` (with `q`: `MAX_ROWS_SEARCHED`)
 * entries; null when it can read the whole range. Counts the entries that one index finds, including those that the
 * filter's other conditions leave out.
 */
export async function findCut(
  db: Kysely<Tables>,
  filter: UsageFilter,
  range: readonly RawBuilder<boolean>[],
): Promise<number | null> {
  const indexed = indexedCondition(filter);
  let select = db.selectFrom("usage").select("at");
  for (const condition of indexed === undefined ? range : [indexed, ...range])
    select = select.where(condition);
  const [row] = await select
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .offset(filter.q === undefined || filter.q === null ? MAX_ROWS_READ : MAX_ROWS_SEARCHED)
    .limit(1)
    .execute();
  return row === undefined ? null : row.at + 1;
}
