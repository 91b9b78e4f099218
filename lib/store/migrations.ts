import { FIRST_LATENCIES, firstMigration } from "./first-migration";
import { PARTITION_USAGE } from "./postgres/partitions";
import type { Kind, Tables } from "./schema";

/** Statements from one schema version to the next. Never edit a migration that was released. */
type Migration = (kind: Kind) => readonly string[];

/** The sums of roll-ups in the first releases. Fixed here, because the ledger's own list may grow. */
const FIRST_SUMS = [
  ...["calls", "errors", "input_tokens", "output_tokens", "characters", "audio_ms", "cost_nano"],
  ...["latency_sum_ms", "first_byte_sum_ms", "first_byte_calls"],
  ...FIRST_LATENCIES,
];

const consoleTables = [
  `alter table usage add column trace text`,
  `create index usage_failed on usage (at, id) where error is not null`,
  // Failed calls and calls with several attempts; for the latest errors of a channel.
  `create index usage_troubled on usage (at, id) where error is not null or attempts > 1`,
  `create table prompts (usage_id text primary key, at bigint not null, input text not null)`,
  `create index usage_by_request on usage (request_id)`,
  `create index usage_by_end_user on usage (end_user, at, id) where end_user is not null`,
  // Includes the tags, so that a search by tag reads only the index.
  `create index usage_tagged on usage (at, id, tags) where tags is not null`,
  `create table daily_rollups (
    hour bigint not null, key_id text not null, user_id text not null, model text not null,
    channel_id text not null, operation text not null, ${FIRST_SUMS.map((sum) => `${sum} bigint not null`).join(", ")},
    primary key (hour, key_id, user_id, model, channel_id, operation))`,
  `insert into daily_rollups (hour, key_id, user_id, model, channel_id, operation, ${FIRST_SUMS.join(", ")})
   select hour - hour % 86400000, key_id, user_id, model, channel_id, operation,
     ${FIRST_SUMS.map((sum) => `cast(sum(${sum}) as bigint)`).join(", ")}
   from rollups group by 1, 2, 3, 4, 5, 6`,
  `create index prompts_by_age on prompts (at)`,
  `create table invites (
    id text primary key, kind text not null, digest text not null unique, role text not null, email text,
    user_id text references users (id) on delete cascade, password_version bigint, made_by text not null,
    created_at bigint not null, expires_at bigint not null, used_at bigint)`,
  `create index invites_by_age on invites (created_at, id)`,
  `alter table users add column last_seen_at bigint`,
  `create table alerts (
    id text primary key, kind text not null, subject text not null, detail text not null, opened_at bigint not null,
    held_at bigint not null, resolved_at bigint, seen_at bigint, delivery text not null,
    delivery_attempts bigint not null, delivery_due_at bigint, delivery_error text, delivery_at bigint)`,
  `create index alerts_by_age on alerts (opened_at, id)`,
  `create index alerts_due on alerts (delivery_due_at) where delivery = 'pending'`,
  `create index alerts_tried on alerts (delivery_at) where delivery_at is not null`,
  `create unique index alerts_open on alerts (kind, subject) where resolved_at is null`,
];

/** SQL that is true where a key has the limit, by the limit's name. */
const KEY_LIMITS: Readonly<Record<string, string>> = {
  enabled: "enabled = 0",
  expires_at: "expires_at is not null",
  operations: `operations not like '%"speech"%' or operations not like '%"embeddings"%'`,
  allowed_models: "allowed_models <> '[]'",
  allowed_addresses: "allowed_addresses <> '[]'",
  rpm: "rpm is not null",
  tpm: "tpm is not null",
  concurrency: "concurrency is not null",
  "budget.total_usd": "budget_total is not null",
  "budget.daily_usd": "budget_daily is not null",
  "budget.monthly_usd": "budget_monthly is not null",
};

/** JSON of the key's limits with the role that set them: only a higher role can change another user's key. */
function limitAuthorsOf(kind: Kind): string {
  const setter = `(select case users.role when 'member' then 'admin' else 'owner' end
    from users where users.id = keys.owner_id)`;
  const fields = Object.entries(KEY_LIMITS)
    .map(([name, isSet]) => `'${name}', case when ${isSet} then ${setter} end`)
    .join(", ");
  return kind === "sqlite"
    ? `json_patch('{}', json_object(${fields}))`
    : `cast(json_strip_nulls(json_build_object(${fields})) as text)`;
}

/** Limits over all keys of a user, and the role that set each limit of a key. */
const userLimits: Migration = (kind) => [
  ...["rpm", "tpm", "concurrency"].map((limit) => `alter table users add column ${limit} bigint`),
  `alter table keys add column limits_set_by text not null default '{}'`,
  // The audit log says who changed a key, or a key that it replaced. Where only the key's owner did, the owner set the
  // limits.
  `with recursive rotations (old_id, new_id) as materialized (
     select target, ${kind === "sqlite" ? "json_extract(detail, '$.replaced_by')" : "cast(detail as json) ->> 'replaced_by'"}
     from audit where action = 'key.rotate'),
   changes (key_id, actor) as (
     select target, actor from audit where action in ('key.create', 'key.update')
     union select rotations.new_id, changes.actor from changes join rotations on rotations.old_id = changes.key_id)
   update keys set limits_set_by = ${limitAuthorsOf(kind)} where id in (
     select keys.id from changes join keys on keys.id = changes.key_id where changes.actor <> keys.owner_id)`,
];

/**
 * The keyed audit chain: its head, and a trigger that refuses rows without a key, so that a process of an earlier
 * version that is still running cannot break the chain (lib/store/audit-chain.ts).
 */
const auditChain: Record<Kind, readonly string[]> = {
  sqlite: [
    `create table audit_head (
      id bigint primary key check (id = 1), seq bigint not null, hash text not null, mac text not null)`,
    `create trigger audit_only_keyed before insert on audit when substr(new.hash, 1, 3) <> 'v2.'
     begin select raise(abort, 'the store was upgraded: restart this Patchbay'); end`,
  ],
  postgres: [
    `create table audit_head (
      id bigint primary key check (id = 1), seq bigint not null, hash text not null, mac text not null)`,
    `create function refuse_unkeyed_audit() returns trigger language plpgsql as
     $$ begin raise exception 'the store was upgraded: restart this Patchbay'; end $$`,
    `create trigger audit_only_keyed before insert on audit
     for each row when (substr(new.hash, 1, 3) <> 'v2.') execute function refuse_unkeyed_audit()`,
  ],
};

const rejections = [
  `create table rejections (
    id text primary key, minute bigint not null, key_id text, user_id text, model text, error text not null,
    limit_hit text, calls bigint not null, at bigint not null, request_id text not null, status bigint not null,
    message text not null, retry_after_s bigint, address text)`,
  `create index rejections_by_age on rejections (at, id)`,
  `create index rejections_by_minute on rejections (minute)`,
  `create index rejections_by_key on rejections (key_id, at, id) where key_id is not null`,
  `create index rejections_by_user on rejections (user_id, at, id) where user_id is not null`,
];

/** The attempts of the entry `usage`, as a table `attempt` whose `value` is one attempt of its trace. */
const attemptsOf: Record<Kind, { table: string; cell(index: number): string }> = {
  sqlite: {
    table: "json_each(usage.trace, '$[3]') as attempt",
    cell: (index) => `json_extract(attempt.value, '$[${index}]')`,
  },
  postgres: {
    table: "json_array_elements(cast(usage.trace as json) -> 3) as attempt",
    cell: (index) => `(attempt.value ->> ${index})`,
  },
};

/** Counts of failovers (lib/store/ledger/roll-ups.ts), including the calls from before this migration. */
const failovers: Migration = (kind) => {
  const { table, cell } = attemptsOf[kind];
  return [
    `create table failovers (
      minute bigint not null, model text not null, channel_id text not null, attempts bigint not null,
      primary key (minute, model, channel_id))`,
    `insert into failovers (minute, model, channel_id, attempts)
     select usage.at - usage.at % 60000, usage.model, ${cell(0)}, count(*)
     from usage, ${table}
     where (usage.error is not null or usage.attempts > 1) and usage.attempts > 1 and usage.state = 'settled'
       and ${cell(5)} is not null and ${cell(0)} <> coalesce(usage.channel_id, '')
     group by 1, 2, 3`,
  ];
};

/** What each instance reports about itself; null before its first report, and of admin commands. */
const instanceReports = [
  ...["server", "host", "address", "version"].map((name) => `alter table instances add column ${name} text`),
  ...[
    "pid",
    "started_at",
    "draining",
    "in_flight",
    "requests_per_minute",
    "cpu_percent",
    "memory_bytes",
    "change_lag_ms",
  ].map((name) => `alter table instances add column ${name} bigint`),
];

/** Snoozes of alerts, and which of several webhooks have accepted an alert's message. */
const alertSnoozes = [
  `alter table alerts add column delivered_to text not null default ''`,
  `alter table alerts add column delivery_webhook text`,
  `alter table alerts add column snoozed_by text`,
  `alter table alerts add column snoozed_until bigint`,
  `create index alerts_by_subject on alerts (kind, subject, opened_at)`,
];

/**
 * Percent of a page that PostgreSQL fills, in tables whose rows are updated often: an update then stays on its page.
 */
const FILL_FACTORS = {
  balances: 50,
  instances: 50,
  revisions: 50,
  rollups: 75,
  daily_rollups: 75,
  failovers: 75,
  keys: 75,
  sessions: 75,
  users: 75,
} as const satisfies Partial<Record<keyof Tables, number>>;

/** Partitions of the usage ledger by month, and room for updates; SQLite has neither. */
const partitions: Record<Kind, readonly string[]> = {
  sqlite: [],
  postgres: [
    ...PARTITION_USAGE,
    ...Object.entries(FILL_FACTORS).map(
      ([table, percent]) => `alter table ${table} set (fillfactor = ${percent})`,
    ),
  ],
};

/**
 * A row of a PostgreSQL index has at most 2,704 bytes, but the name of an end user up to 1,024 characters of four
 * bytes: names longer than 512 characters are indexed by their first 256.
 */
const endUserIndexes: Record<Kind, readonly string[]> = {
  sqlite: [],
  postgres: [
    `drop index usage_by_end_user`,
    `create index usage_by_end_user on usage (end_user, at, id) where length(end_user) <= 512`,
    `create index usage_by_long_end_user on usage (substr(end_user, 1, 256), at, id) where length(end_user) > 512`,
  ],
};

export const MIGRATIONS: readonly Migration[] = [
  firstMigration,
  () => consoleTables,
  userLimits,
  (kind) => auditChain[kind],
  () => rejections,
  failovers,
  () => instanceReports,
  () => alertSnoozes,
  (kind) => partitions[kind],
  (kind) => endUserIndexes[kind],
];

/** The error message for a store that a newer Patchbay has migrated. */
export function newerSchemaMessage(found: number): string {
  return (
    `The store has schema version ${found}, but this version of Patchbay supports up to ${MIGRATIONS.length}: ` +
    "it was used by a newer Patchbay. Run that version, or restore a backup made before the upgrade."
  );
}
