import type {
  BackupCodeTable,
  FlowTable,
  InviteTable,
  KeyTable,
  SessionTable,
  SetupTable,
  SignInThrottleTable,
  TwoFactorTable,
  UserTable,
} from "./schema/accounts";
import type { ChannelTable, ModelNameTable, ModelTable } from "./schema/catalogue";
import type {
  BalanceTable,
  FailoverTable,
  PromptTable,
  RejectionTable,
  RollUpTable,
  UsageTable,
} from "./schema/ledger";
import type {
  AlertTable,
  AuditHeadTable,
  AuditTable,
  InstanceTable,
  RevisionTable,
  SettingTable,
} from "./schema/records";

export type * from "./schema/accounts";
export type * from "./schema/catalogue";
export type { Flag } from "./schema/columns";
export type * from "./schema/ledger";
export type * from "./schema/records";

export type Kind = "sqlite" | "postgres";

/**
 * The tables as queries see them, the same on both databases: integers (`bigint`) and text only; a flag is 0 or 1, JSON
 * is text. A row is the same JavaScript object from either.
 */
export interface Tables {
  setup: SetupTable;
  users: UserTable;
  two_factors: TwoFactorTable;
  backup_codes: BackupCodeTable;
  sessions: SessionTable;
  flows: FlowTable;
  login_throttles: SignInThrottleTable;
  keys: KeyTable;
  channels: ChannelTable;
  models: ModelTable;
  model_names: ModelNameTable;
  settings: SettingTable;
  audit: AuditTable;
  audit_head: AuditHeadTable;
  revisions: RevisionTable;
  instances: InstanceTable;
  usage: UsageTable;
  balances: BalanceTable;
  rollups: RollUpTable;
  /** The same sums by day (UTC): `hour` is the first of the day. */
  daily_rollups: RollUpTable;
  failovers: FailoverTable;
  prompts: PromptTable;
  invites: InviteTable;
  alerts: AlertTable;
  rejections: RejectionTable;
}
