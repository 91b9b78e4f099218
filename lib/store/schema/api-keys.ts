import type { BudgetColumns, CallLimitColumns, Flag } from "./columns";

export interface KeyTable extends BudgetColumns, CallLimitColumns {
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
