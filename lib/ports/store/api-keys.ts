import type { KeyLimit } from "../../contracts/console/api-keys";
import type { UserRecord } from "./accounts";
import type { Budget, CallLimits, Operation, Page, PageQuery, Role, Spent, Versioned } from "./common";

export interface KeyRecord extends CallLimits {
  id: string;
  /** SHA-256 of the whole key, base64url; unique. */
  digest: string;
  /** `sk-pb-ab…wxyz` */
  display: string;
  name: string;
  ownerId: string;
  /** A playground key is valid for 15 minutes at most, ends with its session and is never listed. */
  kind: "api" | "playground";
  sessionId: string | null;
  enabled: boolean;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  operations: Operation[];
  /** Empty: every model. */
  allowedModels: string[];
  /** Addresses or CIDRs; empty: any address. */
  allowedAddresses: string[];
  budget: Budget;
  /** Limits set by a user other than the owner, with that user's role. */
  limitsSetBy: Partial<Record<KeyLimit, Role>>;
  version: number;
}

/** A key as the gateway needs it, with its owner's state and limits. */
export interface KeyWithOwner {
  key: KeyRecord;
  owner: Pick<UserRecord, "id" | "role" | "enabled" | "budget" | keyof CallLimits>;
}

/** The API key and user that something is counted or stored for. */
export interface KeyAndOwnerIds {
  key: Pick<KeyWithOwner["key"], "id">;
  owner: Pick<KeyWithOwner["owner"], "id">;
}

export interface Keys {
  insert(key: KeyRecord): Promise<void>;
  findByDigest(digest: string): Promise<KeyWithOwner | null>;
  findById(id: string): Promise<KeyRecord | null>;
  /** API keys, newest first; of one owner, or of all when `ownerId` is null. */
  list(query: PageQuery & { ownerId: string | null }): Promise<Page<KeyRecord>>;
  /** Number of API keys of one owner that have not expired, including disabled ones. */
  countUnexpired(ownerId: string, now: number): Promise<number>;
  update(
    at: Versioned,
    patch: Partial<Omit<KeyRecord, "id" | "digest" | "createdAt" | "version">>,
  ): Promise<KeyRecord | null>;
  delete(id: string): Promise<boolean>;
  spent(id: string, now: number): Promise<Spent>;
  /**
   * Copies what other keys have spent (in total, and on the day and in the month of `now`) to a key without calls. Of
   * several other keys, which may be deleted, the greatest amount of each period counts. Reservations of running calls
   * stay with the other keys.
   */
  copySpent(fromIds: readonly string[], toId: string, now: number): Promise<void>;
  /** Batched by the caller; changes no topic. */
  touchLastUsed(used: ReadonlyMap<string, number>): Promise<void>;
  /** At most `limit`, by default all; returns how many. */
  deleteExpiredPlayground(now: number, limit?: number): Promise<number>;
  /** Deletes a session's playground keys, except the `keep` newest. */
  trimPlayground(sessionId: string, keep: number): Promise<number>;
}

/**
 * The prefix of playground key IDs. As a key ID it selects all playground keys, whose calls are summed as one key's:
 * the keys are deleted with their sessions, while the usage ledger keeps their IDs.
 */
export const PLAYGROUND_ID = "play";
export const PLAYGROUND_NAME = "Playground";

export const PLAYGROUND_PREFIX = `${PLAYGROUND_ID}_`;

export const isPlaygroundId = (id: string): boolean =>
  id === PLAYGROUND_ID || id.startsWith(PLAYGROUND_PREFIX);
