import type { Kind } from "./schema";

const budget = "budget_total bigint, budget_daily bigint, budget_monthly bigint";

/** The buckets of the latency histogram in the first release. */
export const FIRST_LATENCIES = [
  ...["latency_5", "latency_10", "latency_25", "latency_50", "latency_100", "latency_250", "latency_500"],
  ...["latency_1000", "latency_2500", "latency_5000", "latency_10000", "latency_30000", "latency_more"],
];

const tables = [
  `create table setup (id bigint primary key check (id = 1), claimed_at bigint not null, owner_id text not null)`,
  `create table users (
    id text primary key, username text not null, username_key text not null unique, display_name text not null,
    email text, email_key text unique, role text not null, enabled bigint not null, password_hash text not null,
    password_version bigint not null, locale text, ${budget}, created_at bigint not null, version bigint not null)`,
  `create index users_by_age on users (created_at, id)`,
  `create table two_factors (
    user_id text primary key references users (id) on delete cascade, enrolment_id text not null,
    secret_sealed text not null, state text not null, last_step bigint not null, failures bigint not null,
    locks bigint not null, locked_until bigint, created_at bigint not null)`,
  `create table backup_codes (
    user_id text not null references users (id) on delete cascade, digest text not null,
    primary key (user_id, digest))`,
  `create table sessions (
    id text primary key, user_id text not null references users (id) on delete cascade,
    authenticated_at bigint not null, last_seen_at bigint not null, expires_at bigint not null,
    device text not null, address text not null, method text not null, password_version bigint not null)`,
  `create index sessions_by_user on sessions (user_id)`,
  `create index sessions_by_expiry on sessions (expires_at)`,
  `create table flows (
    digest text primary key, kind text not null, user_id text not null references users (id) on delete cascade,
    password_version bigint not null, enrolment_id text, attempts_left bigint not null, expires_at bigint not null)`,
  `create index flows_by_user on flows (user_id)`,
  `create index flows_by_expiry on flows (expires_at)`,
  `create table login_throttles (
    name_digest text primary key, failures bigint not null, delayed_until bigint, updated_at bigint not null)`,
  `create table keys (
    id text primary key, digest text not null unique, display text not null, name text not null,
    owner_id text not null references users (id) on delete cascade, kind text not null,
    session_id text references sessions (id) on delete cascade, enabled bigint not null,
    created_at bigint not null, expires_at bigint, last_used_at bigint, operations text not null,
    allowed_models text not null, allowed_addresses text not null, rpm bigint, tpm bigint, concurrency bigint,
    ${budget}, version bigint not null)`,
  `create index keys_by_age on keys (created_at, id)`,
  `create index keys_by_owner on keys (owner_id, created_at, id)`,
  `create index keys_by_session on keys (session_id)`,
  `create table channels (
    id text primary key, name text not null, provider text not null, base_url text, keys text not null,
    models text not null, priority bigint not null, weight bigint not null, rpm bigint, concurrency bigint,
    timeouts text not null, headers text not null, options text not null, enabled bigint not null,
    embedded bigint not null, created_at bigint not null, version bigint not null)`,
  `create table models (
    name text primary key, aliases text not null, operation text not null, description text not null,
    prices text not null, max_characters bigint, max_audio_seconds bigint, dimensions bigint,
    can_shorten bigint not null, max_input_tokens bigint, default_voice text, cacheable bigint not null,
    coalescing bigint not null, enabled bigint not null, created_at bigint not null, version bigint not null)`,
  `create table model_names (name text primary key, model text not null)`,
  `create index model_names_by_model on model_names (model)`,
  `create table settings (name text primary key, value text not null)`,
  `create table audit (
    seq bigint primary key, at bigint not null, actor text not null, action text not null, target text not null,
    detail text not null, previous_hash text not null, hash text not null)`,
  `create table revisions (topic text primary key, revision bigint not null)`,
  `create table instances (id text primary key, heartbeat_at bigint not null)`,
  `create table usage (
    id text primary key, request_id text not null, at bigint not null, key_id text not null,
    user_id text not null, model text not null, channel_id text, operation text not null,
    attempts bigint not null, input_tokens bigint not null, output_tokens bigint not null,
    characters bigint not null, audio_ms bigint not null, cost_nano bigint not null,
    reserved_nano bigint not null, status bigint not null, error text, state text not null,
    cached bigint not null, estimated bigint not null, overrun bigint not null, end_user text, tags text,
    latency_ms bigint not null, first_byte_ms bigint, owner text not null, day text not null, month text not null)`,
  `create index usage_by_age on usage (at, id)`,
  `create index usage_by_user on usage (user_id, at, id)`,
  `create index usage_by_key on usage (key_id, at, id)`,
  `create index usage_open on usage (owner) where state = 'open'`,
  `create table balances (
    subject_kind text not null, subject_id text not null, period text not null, spent bigint not null,
    reserved bigint not null, primary key (subject_kind, subject_id, period))`,
  `create table rollups (
    hour bigint not null, key_id text not null, user_id text not null, model text not null,
    channel_id text not null, operation text not null, calls bigint not null, errors bigint not null,
    input_tokens bigint not null, output_tokens bigint not null, characters bigint not null,
    audio_ms bigint not null, cost_nano bigint not null, latency_sum_ms bigint not null,
    first_byte_sum_ms bigint not null, first_byte_calls bigint not null,
    ${FIRST_LATENCIES.map((column) => `${column} bigint not null`).join(", ")},
    primary key (hour, key_id, user_id, model, channel_id, operation))`,
];

/** Audit rows can be inserted and read; the database itself refuses updates and deletes. */
const auditGuards: Record<Kind, readonly string[]> = {
  sqlite: ["update", "delete"].map(
    (verb) =>
      `create trigger audit_no_${verb} before ${verb} on audit
       begin select raise(abort, 'audit rows are append-only'); end`,
  ),
  postgres: [
    `create function refuse_audit_change() returns trigger language plpgsql as
     $$ begin raise exception 'audit rows are append-only'; end $$`,
    `create trigger audit_append_only before update or delete or truncate on audit
     for each statement execute function refuse_audit_change()`,
  ],
};

/** The tables of the first release. Never edit them: existing stores have them. */
export function firstMigration(kind: Kind): readonly string[] {
  return [...tables, ...auditGuards[kind]];
}
