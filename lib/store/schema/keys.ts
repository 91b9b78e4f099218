import type { BudgetColumns, Flag } from "./columns";

export interface KeyTable extends BudgetColumns {
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
  rpm: number | null;
  tpm: number | null;
  concurrency: number | null;
  version: number;
}
