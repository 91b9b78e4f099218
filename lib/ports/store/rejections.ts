import type { RefusedLimit } from "../../contracts/console/rejections";
import type { Page, PageQuery } from "./common";
import type { UsageOutcome } from "./usage-query";

/** The fields by which rejected requests are grouped. */
export interface RejectionGroup {
  /** Start of the minute (UTC). */
  minute: number;
  /** The API key and its owner; null: the request had no valid key. */
  keyId: string | null;
  userId: string | null;
  /** As the request named it; null: none, or not recorded. */
  model: string | null;
  /** The error's code. */
  error: string;
  limit: RefusedLimit | null;
}

/** Rejected requests of one group, with the latest of them as an example. */
export interface RejectionRecord extends RejectionGroup {
  calls: number;
  /** Of the latest request, as are the fields below. */
  at: number;
  requestId: string;
  status: number;
  message: string;
  /** Seconds of its `Retry-After`; null: it had none. */
  retryAfterS: number | null;
  /** The caller's address; null: unknown. */
  address: string | null;
}

export interface RejectionFilter {
  userId?: string;
  keyId?: string;
  /** Any of these names, as the requests sent them. */
  models?: readonly string[];
  /** The error's code, or the HTTP status. */
  outcome?: Extract<UsageOutcome, { kind: "error" | "status" }>;
  /** Of the latest request of a group. */
  requestId?: string;
  /** Part of the request ID, model, error, message or the present name of the key; case is ignored. */
  q?: string | null;
  /** The range is half open and covers whole minutes: that of `from` and that of the last millisecond before `to`. */
  from?: number;
  to?: number;
}

/** Requests that were refused before a channel was called; they have no ledger entry. */
export interface Rejections {
  /**
   * Adds the calls of each record, unique by group, to those stored; the later example is kept. Concurrent additions of
   * several instances add up. False when the commit got no answer, so that they may be stored or not.
   */
  add(records: readonly RejectionRecord[]): Promise<boolean>;
  /** Latest first. */
  list(query: PageQuery & RejectionFilter): Promise<Page<RejectionRecord & { id: string }>>;
  count(filter: RejectionFilter): Promise<number>;
  /** The record with the latest request of each key; keys without one are missing. */
  latest(keyIds: readonly string[]): Promise<Map<string, RejectionRecord>>;
  /**
   * Removes at most `limit` rows, oldest minute first: those of minutes before `before`, and of minutes that have a row
   * beyond the `maxRows` newest. Returns how many.
   */
  sweep(before: number, maxRows: number, limit: number): Promise<number>;
}
