/** Fills a store's usage ledger with generated calls: rows and their roll-ups. */
import Database from "libsql";

const LATENCY_BOUNDS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];
const BATCH_ROWS = 50;

const COLUMNS = [
  "id",
  "request_id",
  "at",
  "key_id",
  "user_id",
  "model",
  "channel_id",
  "operation",
  "attempts",
  "input_tokens",
  "output_tokens",
  "characters",
  "audio_ms",
  "cost_nano",
  "reserved_nano",
  "status",
  "error",
  "state",
  "cached",
  "estimated",
  "overrun",
  "end_user",
  "tags",
  "latency_ms",
  "first_byte_ms",
  "owner",
  "day",
  "month",
  "trace",
];

/** A seeded generator of numbers in [0, 1) (mulberry32). */
function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = (list, number) => list[Math.floor(number * number * list.length)];
const range = (count, prefix) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Default distribution: 20 keys of 5 users, 8 models on 6 channels, 40 tags, 1,000 end users. */
export const POPULATION = {
  keys: range(20, "key_").map((id, index) => ({ id, user: `usr_${index % 5}` })),
  models: range(8, "model-").map((name, index) => ({ name, operation: index % 2 ? "embeddings" : "speech" })),
  channels: range(6, "chn_"),
  tags: [...range(40, "team-"), "team-1,batch", "team-2,batch"],
  endUsers: range(1_000, "caller-"),
};

const ERRORS = [
  [502, "upstream_error"],
  [504, "upstream_timeout"],
  [499, "caller_left"],
  [429, "upstream_rate_limited"],
];

/**
 * `count` rows from `from` to `to`, oldest first, as lists of cells. `when(share)` maps 0–1 to 0–1 to distribute them
 * over time.
 */
export function* rowsOf({ count, from, to, population = POPULATION, seed = 1, when = (share) => share }) {
  const random = seededRandom(seed);
  for (let index = 0; index < count; index++) {
    const at = Math.floor(from + (to - from) * when(index / count));
    const key = pick(population.keys, random());
    const { name, operation } = pick(population.models, random());
    const channel = pick(population.channels, random());
    const isSpeech = operation === "speech";
    const [status, error] = random() < 0.02 ? pick(ERRORS, random()) : [200, null];
    const characters = 20 + Math.floor(random() * 400);
    const tokens = Math.ceil(characters / 4);
    const audio = isSpeech && error === null ? characters * 60 : 0;
    const first = Math.floor(20 + random() * 180);
    const latency = first + (isSpeech ? Math.floor(audio / 12) : Math.floor(random() * 60));
    const day = new Date(at).toISOString().slice(0, 10);
    const number = Math.floor(random() * 2 ** 32).toString(36);
    const trace = [1, 0.4, latency, [[channel, "k1", 0.6, error ? null : first, latency, error, null]]];
    yield [
      `usg_${at}${index.toString(36).padStart(6, "0")}${number}`,
      `req_${number}_${index}`,
      at,
      key.id,
      key.user,
      name,
      channel,
      operation,
      error ? 2 : 1,
      tokens,
      Math.ceil(audio / 40),
      characters,
      audio,
      error ? 0 : characters * (isSpeech ? 15_000 : 20),
      0,
      status,
      error,
      "settled",
      0,
      0,
      0,
      random() < 0.7 ? pick(population.endUsers, random()) : null,
      random() < 0.5 ? pick(population.tags, random()) : null,
      latency,
      error ? null : first,
      "seed",
      day,
      day.slice(0, 7),
      JSON.stringify(trace),
    ];
  }
}

const buckets = ["-1", ...LATENCY_BOUNDS].map((above, index) => {
  const upTo = LATENCY_BOUNDS[index];
  const fits =
    upTo === undefined ? `latency_ms > ${above}` : `latency_ms > ${above} and latency_ms <= ${upTo}`;
  return { column: `latency_${upTo ?? "more"}`, sum: `sum(case when ${fits} then 1 else 0 end)` };
});

const SUMS = [
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
  ...buckets.map((one) => one.column),
];

/** SQL for the hourly sums of each combination, in order of time, as calls write them; the same on both databases. */
const ROLL_UP = `
  insert into rollups (hour, key_id, user_id, model, channel_id, operation, calls, errors, input_tokens, output_tokens,
    characters, audio_ms, cost_nano, latency_sum_ms, first_byte_sum_ms, first_byte_calls,
    ${buckets.map((one) => one.column).join(", ")})
  select at - at % 3600000, key_id, user_id, model, coalesce(channel_id, ''), operation, count(*),
    sum(case when error is null then 0 else 1 end), sum(input_tokens), sum(output_tokens), sum(characters),
    sum(audio_ms), sum(cost_nano), sum(latency_ms), coalesce(sum(first_byte_ms), 0), count(first_byte_ms),
    ${buckets.map((one) => one.sum).join(", ")}
  from usage where owner = 'seed' group by 1, 2, 3, 4, 5, 6 order by 1`;

/** SQL for daily sums of the hourly ones. */
const DAILY = `
  insert into daily_rollups (hour, key_id, user_id, model, channel_id, operation, ${SUMS.join(", ")})
  select hour - hour % 86400000, key_id, user_id, model, channel_id, operation,
    ${SUMS.map((name) => `cast(sum(${name}) as bigint)`).join(", ")}
  from rollups group by 1, 2, 3, 4, 5, 6 order by 1
  on conflict (hour, key_id, user_id, model, channel_id, operation) do nothing`;

function* batches(rows) {
  let batch = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const into = (count, mark) =>
  `insert into usage (${COLUMNS.join(", ")}) values ${Array.from({ length: count }, (_, row) => `(${COLUMNS.map((_, column) => mark(row * COLUMNS.length + column + 1)).join(", ")})`).join(", ")}`;

/** Drops the ledger's SQLite indexes for `insert`: creating them afterwards, sorted, takes a tenth of the time. */
function withoutIndexes(database, insert) {
  const indexes = database
    .prepare(
      "select name, sql from sqlite_master where type = 'index' and tbl_name = 'usage' and sql is not null",
    )
    .all();
  for (const { name } of indexes) database.exec(`drop index ${name}`);
  insert();
  for (const { sql } of indexes) database.exec(sql);
}

/** From this many calls on, each generated call is stored ten times with different IDs, which is faster. */
const MULTIPLIED_FROM = 2_000_000;
const COPIES = 10;

/** SQL that stores the rows of the table `seed`, in order of time, as often as `numbers` (SQL) has rows. */
const multiplied = (numbers) => {
  const cells = COLUMNS.map((name) =>
    /^(request_)?id$/.test(name) ? `seed.${name} || '-' || copy.number` : `seed.${name}`,
  );
  return `insert into usage (${COLUMNS.join(", ")}) select ${cells.join(", ")} from seed cross join ${numbers}`;
};

/** Seeds the SQLite file of a store that was opened once before. No other process may write meanwhile. */
export function seedSqlite(file, options) {
  const database = new Database(file);
  try {
    database.exec("pragma busy_timeout = 30000");
    database.exec("pragma synchronous = off");
    database.exec("pragma cache_size = -400000");
    database.exec("begin immediate");
    const isMultiplied = options.count >= MULTIPLIED_FROM;
    const text = (count) =>
      into(count, () => "?").replace("into usage", isMultiplied ? "into seed" : "into usage");
    withoutIndexes(database, () => {
      if (isMultiplied) database.exec("create temp table seed as select * from usage where 0");
      const whole = database.prepare(text(BATCH_ROWS));
      const count = isMultiplied ? options.count / COPIES : options.count;
      for (const batch of batches(rowsOf({ ...options, count }))) {
        const statement = batch.length === BATCH_ROWS ? whole : database.prepare(text(batch.length));
        statement.run(batch.flat());
      }
      if (!isMultiplied) return;
      const numbers = Array.from({ length: COPIES }, (_, number) => `select ${number} as number`);
      database.exec(multiplied(`(${numbers.join(" union all ")}) as copy`));
      database.exec("drop table seed");
    });
    database.exec(ROLL_UP);
    database.exec(DAILY);
    database.exec("commit");
    database.exec("pragma wal_checkpoint(truncate)");
  } finally {
    database.close();
  }
}

/** A cell in PostgreSQL's text format of COPY. */
const cellText = (cell) =>
  cell === null
    ? "\\N"
    : typeof cell === "number"
      ? String(cell)
      : cell.replace(/[\\\n\r\t]/g, (one) => `\\${{ "\n": "n", "\r": "r", "\t": "t" }[one] ?? one}`);

const COPY_BYTES = 1 << 18;

/** Sends rows by COPY, with the methods that `pg` needs of a query object. */
function copyRows(client, text, rows) {
  return new Promise((resolve, reject) => {
    let failure = null;
    const send = async (connection) => {
      let chunk = "";
      for (const row of rows) {
        chunk += `${row.map(cellText).join("\t")}\n`;
        if (chunk.length < COPY_BYTES) continue;
        connection.sendCopyFromChunk(Buffer.from(chunk));
        chunk = "";
        if (connection.stream.writableNeedDrain)
          await new Promise((drained) => connection.stream.once("drain", drained));
      }
      connection.sendCopyFromChunk(Buffer.from(chunk));
      connection.endCopyFrom();
    };
    client.query({
      submit: (connection) => connection.query(text),
      handleCopyInResponse: (connection) => void send(connection).catch(reject),
      handleCommandComplete() {},
      handleError(error) {
        failure = error;
      },
      handleReadyForQuery: () => (failure === null ? resolve() : reject(failure)),
    });
  });
}

/** Seeds a PostgreSQL store through a `pg` client. The months of the entries must have partitions. */
export async function seedPostgres(client, options) {
  const { rows: indexes } = await client.query(
    `select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as sql from pg_indexes
     where tablename = 'usage' and indexname <> 'usage_pkey'`,
  );
  await client.query("begin");
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  const isMultiplied = options.count >= MULTIPLIED_FROM;
  const count = isMultiplied ? options.count / COPIES : options.count;
  if (isMultiplied) await client.query("create temp table seed (like usage) on commit drop");
  const table = isMultiplied ? "seed" : "usage";
  await copyRows(client, `copy ${table} (${COLUMNS.join(", ")}) from stdin`, rowsOf({ ...options, count }));
  if (isMultiplied)
    await client.query(multiplied(`(select generate_series(0, ${COPIES - 1}) as number) as copy`));
  for (const { sql } of indexes) await client.query(sql);
  await client.query(ROLL_UP);
  await client.query(DAILY);
  await client.query("commit");
  await client.query("vacuum analyze");
}
