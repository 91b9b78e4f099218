import type { CallLimits } from "../../ports/store";
import type { BudgetColumns, Flag } from "./columns";

export interface SetupTable {
  id: number;
  claimed_at: number;
  owner_id: string;
}

export interface UserTable extends BudgetColumns, CallLimits {
  id: string;
  username: string;
  username_key: string;
  display_name: string;
  email: string | null;
  email_key: string | null;
  role: string;
  enabled: Flag;
  password_hash: string;
  password_version: number;
  locale: string | null;
  created_at: number;
  /** When one of the user's sessions was last used; outlives the session. */
  last_seen_at: number | null;
  version: number;
}

export interface TwoFactorTable {
  user_id: string;
  enrolment_id: string;
  secret_sealed: string;
  state: string;
  last_step: number;
  failures: number;
  locks: number;
  locked_until: number | null;
  created_at: number;
}

export interface BackupCodeTable {
  user_id: string;
  digest: string;
}

export interface SessionTable {
  id: string;
  user_id: string;
  authenticated_at: number;
  last_seen_at: number;
  expires_at: number;
  device: string;
  address: string;
  method: string;
  password_version: number;
}

export interface FlowTable {
  digest: string;
  kind: string;
  user_id: string;
  password_version: number;
  enrolment_id: string | null;
  attempts_left: number;
  expires_at: number;
}

export interface SignInThrottleTable {
  name_digest: string;
  failures: number;
  delayed_until: number | null;
  updated_at: number;
}

/** A link that creates an account or sets a new password. */
export interface InviteTable {
  id: string;
  kind: string;
  digest: string;
  role: string;
  email: string | null;
  user_id: string | null;
  password_version: number | null;
  made_by: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

export interface KeyTable extends BudgetColumns, CallLimits {
  id: string;
  digest: string;
  display: string;
  name: string;
  owner_id: string;
  kind: string;
  session_id: string | null;
  enabled: Flag;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  operations: string;
  allowed_models: string;
  allowed_addresses: string;
  /** JSON: the role that set a limit, by the limit's name. */
  limits_set_by: string;
  version: number;
}
