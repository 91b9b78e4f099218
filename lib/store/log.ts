/** What the store tells the log; the product's own log fits. */
export interface StoreLog {
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

export const SILENT: StoreLog = { warn() {}, error() {} };
