export type Role = "owner" | "admin" | "member";

export type Operation = "speech" | "embeddings" | "manage";

/** What a commit has changed: the change feed names topics, not rows. */
export type Topic = "setup" | "users" | "sessions" | "keys" | "channels" | "models" | "settings" | "alerts";

export interface Budget {
  totalNano: number | null;
  dailyNano: number | null;
  monthlyNano: number | null;
}

export type BudgetPeriod = "total" | "daily" | "monthly";

/** Requests and input tokens per 60 seconds, and concurrent calls; null: no limit. */
export interface CallLimits {
  rpm: number | null;
  tpm: number | null;
  concurrency: number | null;
}

/** Settled plus reserved spending, by budget period. */
export interface Spent {
  totalNano: number;
  dailyNano: number;
  monthlyNano: number;
}

export interface Page<T> {
  items: T[];
  /** Opaque; null at the end. */
  nextCursor: string | null;
}

export interface PageQuery {
  /** 1–100. */
  limit: number;
  cursor: string | null;
  /** At least two characters, matched anywhere, LIKE-escaped; null: all. */
  q: string | null;
}

/** A patch applies to the row whose version is `version`, and raises it; null: no such row, or a stale version. */
export interface Versioned {
  id: string;
  version: number;
}
