import { LATENCY_COLUMNS } from "./latency";
import { type Cell, SETTLED_COLUMNS, USAGE_COLUMNS } from "./rows";

/** One statement of a group commit. `?` marks a parameter on both databases; rows are lists of cells. */
export interface Statement {
  sql: string;
  parameters: Cell[];
}

/** Most rows of a statement. Their number is a power of two, so that few SQL texts are prepared and each is reused. */
const MAX_ROWS = 64;

const ROLLUP_KEY = ["hour", "key_id", "user_id", "model", "channel_id", "operation"] as const;
/** The columns of roll-ups besides their key. */
export const ROLLUP_SUMS = [
  "calls",
  "errors",
  "input_tokens",
  "output_tokens",
  "characters",
  "audio_ms",
  "cost_nano",
  "latency_sum_ms",
  "first_byte_sum_ms",
  "first_byte_calls",
  ...LATENCY_COLUMNS,
] as const;

const tuple = (width: number): string => `(${Array(width).fill("?").join(", ")})`;
const tuples = (width: number, count: number): string => Array(count).fill(tuple(width)).join(", ");

const texts = new Map<string, string>();

function textOf(name: string, count: number, make: () => string): string {
  const key = `${name}/${count}`;
  let text = texts.get(key);
  if (text === undefined) {
    text = make();
    texts.set(key, text);
  }
  return text;
}

function* chunks<T>(items: readonly T[]): Generator<T[]> {
  let start = 0;
  while (start < items.length) {
    const size = Math.min(MAX_ROWS, 2 ** Math.floor(Math.log2(items.length - start)));
    yield items.slice(start, start + size);
    start += size;
  }
}

/** Inserts rows in bulk; `tail` follows the values. */
function* insertAll(
  name: string,
  into: string,
  columns: readonly string[],
  tail: string,
  rows: readonly Cell[][],
): Generator<Statement> {
  for (const some of chunks(rows)) {
    yield {
      sql: textOf(
        name,
        some.length,
        () =>
          `insert into ${into} (${columns.join(", ")}) values ${tuples(columns.length, some.length)} ${tail}`,
      ),
      parameters: some.flat(),
    };
  }
}

/** Statements that read or delete rows by key; the last key is repeated to fill a chunk. */
function* byKeys(
  name: string,
  keys: readonly Cell[][],
  make: (values: string) => string,
): Generator<Statement> {
  for (let start = 0; start < keys.length; start += MAX_ROWS) {
    const some = keys.slice(start, start + MAX_ROWS);
    const size = 2 ** Math.ceil(Math.log2(some.length));
    while (some.length < size) some.push(some[some.length - 1] ?? []);
    yield {
      sql: textOf(name, size, () => make(tuples(some[0]?.length ?? 0, size))),
      parameters: some.flat(),
    };
  }
}

/** `lock` is `for update` where rows are locked one by one, empty where the whole store is locked. */
export const selectUsage = (ids: readonly string[], lock: string): Generator<Statement> =>
  byKeys(
    "usage",
    ids.map((id) => [id]),
    (values) =>
      `select id, state, reserved_nano, key_id, user_id, day, month from usage where id in (values ${values}) order by id ${lock}`,
  );

/** Whole entries, in the order of `USAGE_COLUMNS`. */
export const readUsage = (ids: readonly string[]): Generator<Statement> =>
  byKeys(
    "read",
    ids.map((id) => [id]),
    (values) => `select ${USAGE_COLUMNS.join(", ")} from usage where id in (values ${values})`,
  );

export const selectBalances = (keys: readonly Cell[][], lock: string): Generator<Statement> =>
  byKeys(
    "balances",
    keys,
    (values) =>
      `select subject_kind, subject_id, period, spent + reserved from balances
       where (subject_kind, subject_id, period) in (values ${values}) order by subject_kind, subject_id, period ${lock}`,
  );

const BALANCE_KEY = ["subject_kind", "subject_id", "period"] as const;
const BALANCE = [...BALANCE_KEY, "spent", "reserved"] as const;

/** Inserts missing balances, so that there is a row to lock. */
export const ensureBalances = (keys: readonly Cell[][]): Generator<Statement> =>
  insertAll(
    "ensure",
    "balances",
    BALANCE,
    "on conflict do nothing",
    keys.map((key) => [...key, 0, 0]),
  );

export const addToBalances = (rows: readonly Cell[][]): Generator<Statement> =>
  insertAll(
    "add",
    "balances",
    BALANCE,
    `on conflict (${BALANCE_KEY.join(", ")}) do update
     set spent = balances.spent + excluded.spent, reserved = balances.reserved + excluded.reserved`,
    rows,
  );

const SET_SETTLED = `set ${SETTLED_COLUMNS.map((column) => `${column} = excluded.${column}`).join(", ")}`;

/** Inserts entries, or settles those that are open. */
export const writeUsage = (rows: readonly Cell[][]): Generator<Statement> =>
  insertAll(
    "write",
    "usage",
    USAGE_COLUMNS,
    `on conflict (id) do update ${SET_SETTLED} where usage.state = 'open'`,
    rows,
  );

/** Inserts entries, or overwrites existing ones, settled or not. */
export const replaceUsage = (rows: readonly Cell[][]): Generator<Statement> =>
  insertAll("replace", "usage", USAGE_COLUMNS, `on conflict (id) do update ${SET_SETTLED}`, rows);

/** Inserts entries that do not exist; waits for a transaction that is inserting one of them. */
export const ensureUsage = (rows: readonly Cell[][]): Generator<Statement> =>
  insertAll("ensure-usage", "usage", USAGE_COLUMNS, "on conflict do nothing", rows);

/** Inserts new entries; an existing ID is an error. */
export const insertUsage = (rows: readonly Cell[][]): Generator<Statement> =>
  insertAll("insert", "usage", USAGE_COLUMNS, "", rows);

/** Input texts of calls, in their own table. */
export const keepPrompts = (rows: readonly Cell[][]): Generator<Statement> =>
  insertAll("prompts", "prompts", ["usage_id", "at", "input"], "on conflict do nothing", rows);

export const deleteUsage = (ids: readonly string[]): Generator<Statement> =>
  byKeys(
    "delete",
    ids.map((id) => [id]),
    (values) => `delete from usage where id in (values ${values})`,
  );

/** Adds the sums of an hour, or of a day, to the roll-ups. */
export const addToRollUps = (
  table: "rollups" | "daily_rollups",
  rows: readonly Cell[][],
): Generator<Statement> =>
  insertAll(
    table,
    table,
    [...ROLLUP_KEY, ...ROLLUP_SUMS],
    `on conflict (${ROLLUP_KEY.join(", ")}) do update
     set ${ROLLUP_SUMS.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(", ")}`,
    rows,
  );

const FAILOVER_KEY = ["minute", "model", "channel_id"] as const;

/** Adds counts of failed attempts to those of their minute, model and channel. */
export const addToFailovers = (rows: readonly Cell[][]): Generator<Statement> =>
  insertAll(
    "failovers",
    "failovers",
    [...FAILOVER_KEY, "attempts"],
    `on conflict (${FAILOVER_KEY.join(", ")}) do update
     set attempts = failovers.attempts + excluded.attempts`,
    rows,
  );

/** The number of cells of a roll-up row. */
export const ROLLUP_WIDTH = { key: ROLLUP_KEY.length, sums: ROLLUP_SUMS.length } as const;
