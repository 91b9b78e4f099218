import type { AccountTables } from "./schema/accounts";
import type { CatalogueTables } from "./schema/catalogue";
import type { LedgerTables } from "./schema/ledger";
import type { RecordTables } from "./schema/records";

export type * from "./schema/accounts";
export type * from "./schema/catalogue";
export type * from "./schema/ledger";
export type * from "./schema/records";

export type Kind = "sqlite" | "postgres";

/**
 * The tables as queries see them, the same on both databases: integers (`bigint`) and text only; a flag is 0 or 1, JSON
 * is text. A row is the same JavaScript object from either.
 */
export interface Tables extends AccountTables, CatalogueTables, LedgerTables, RecordTables {}
