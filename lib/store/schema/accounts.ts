import type {
  FlowRecord,
  InviteRecord,
  KeyRecord,
  SessionRecord,
  TwoFactorRecord,
  UserRecord,
} from "../../ports/store";
import { type BudgetColumns, columnsOf, type RowOf } from "../columns";

export interface SetupTable {
  id: number;
  claimed_at: number;
  owner_id: string;
}

export const USER = columnsOf<Omit<UserRecord, "budget">>()({
  id: "id",
  username: "username",
  usernameKey: "username_key",
  displayName: "display_name",
  email: "email",
  emailKey: "email_key",
  role: "role",
  enabled: { flag: "enabled" },
  passwordHash: "password_hash",
  passwordVersion: "password_version",
  locale: "locale",
  rpm: "rpm",
  tpm: "tpm",
  concurrency: "concurrency",
  createdAt: "created_at",
  version: "version",
});

export interface UserTable extends BudgetColumns, RowOf<typeof USER> {
  /** When one of the user's sessions was last used; outlives the session. */
  last_seen_at: number | null;
}

export const TWO_FACTOR = columnsOf<TwoFactorRecord>()({
  userId: "user_id",
  enrolmentId: "enrolment_id",
  encryptedSecret: "secret_sealed",
  state: "state",
  lastStep: "last_step",
  failures: "failures",
  locks: "locks",
  lockedUntil: "locked_until",
  createdAt: "created_at",
});

export type TwoFactorTable = RowOf<typeof TWO_FACTOR>;

export interface BackupCodeTable {
  user_id: string;
  digest: string;
}

export const SESSION = columnsOf<SessionRecord>()({
  id: "id",
  userId: "user_id",
  authenticatedAt: "authenticated_at",
  lastSeenAt: "last_seen_at",
  expiresAt: "expires_at",
  device: "device",
  address: "address",
  method: "method",
  passwordVersion: "password_version",
});

export type SessionTable = RowOf<typeof SESSION>;

export const FLOW = columnsOf<FlowRecord>()({
  digest: "digest",
  userId: "user_id",
  passwordVersion: "password_version",
  enrolmentId: "enrolment_id",
  attemptsLeft: "attempts_left",
  expiresAt: "expires_at",
});

export interface FlowTable extends RowOf<typeof FLOW> {
  kind: string;
}

export interface SignInThrottleTable {
  name_digest: string;
  failures: number;
  delayed_until: number | null;
  updated_at: number;
}

export const INVITE = columnsOf<InviteRecord>()({
  id: "id",
  kind: "kind",
  digest: "digest",
  role: "role",
  email: "email",
  userId: "user_id",
  passwordVersion: "password_version",
  madeBy: "made_by",
  createdAt: "created_at",
  expiresAt: "expires_at",
  usedAt: "used_at",
});

export type InviteTable = RowOf<typeof INVITE>;

export const KEY = columnsOf<Omit<KeyRecord, "budget">>()({
  id: "id",
  digest: "digest",
  display: "display",
  name: "name",
  ownerId: "owner_id",
  kind: "kind",
  sessionId: "session_id",
  enabled: { flag: "enabled" },
  createdAt: "created_at",
  expiresAt: "expires_at",
  lastUsedAt: "last_used_at",
  operations: { json: "operations" },
  allowedModels: { json: "allowed_models" },
  allowedAddresses: { json: "allowed_addresses" },
  rpm: "rpm",
  tpm: "tpm",
  concurrency: "concurrency",
  limitsSetBy: { json: "limits_set_by" },
  version: "version",
});

export interface KeyTable extends BudgetColumns, RowOf<typeof KEY> {}

export interface AccountTables {
  setup: SetupTable;
  users: UserTable;
  two_factors: TwoFactorTable;
  backup_codes: BackupCodeTable;
  sessions: SessionTable;
  flows: FlowTable;
  login_throttles: SignInThrottleTable;
  invites: InviteTable;
  keys: KeyTable;
}
