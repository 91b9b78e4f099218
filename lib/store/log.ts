/** The log functions that the store uses. */
export interface StoreLog {
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

export const SILENT: StoreLog = { warn() {}, error() {} };
