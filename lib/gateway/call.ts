import type { ErrorCode } from "../errors";
import type { CatalogEntry } from "../ports/catalog";
import type { CallParameters, SkippedChannel } from "../ports/store";
import type { OpenedCall } from "./context";

/** One gateway call before it runs. */
export interface CallPlan {
  entry: CatalogEntry;
  /** The model name as sent; the reply repeats it. */
  requestedModel: string;
  inputTokens: number;
  characters: number;
  /** Milliseconds of the first-byte limit that were spent on waiting for an upstream's list of voices. */
  voiceListWaitMs?: number;
  /** The call's highest possible cost in nano-dollars, reserved in its budgets. */
  reservedNano: number;
  /** The caller's own `user` field. */
  endUser: string | null;
  /** True for speech that a channel generates: an entry is opened in the ledger even when the call is free. */
  alwaysOpensEntry: boolean;
  parameters?: CallParameters;
  /** No reply of an upstream is streamed to the caller: all channels need memory for it. */
  isBuffered?: boolean;
  /** The text of the call; called only where prompts are stored. */
  promptText?: () => string;
  /** Value of `x-patchbay-cache`; absent for a model without a cache. */
  cache?: "hit" | "miss" | "bypass";
}

/** The result of a call. */
export interface CallOutcome {
  status: number;
  error: ErrorCode | null;
  /** The error's `isCausedByRequest`. */
  isCausedByRequest?: boolean;
  /** The message of the attempt that was running (`attemptMessage`). */
  message?: string | null;
  inputTokens: number;
  /** Absent: the characters of the plan. */
  characters?: number;
  /** What of the tokens and characters is free: texts from the cache. */
  free?: { inputTokens: number; characters: number };
  outputTokens: number;
  audioMs: number;
  estimated: boolean;
  cached: boolean;
}

/** The ledger entry of one call: opened before the upstream is called, settled exactly once in every case. */
export interface Meter extends OpenedCall {
  /** Records the start of an attempt: its channel, its number from 1, and the ID of the upstream key. */
  attemptStarted(channelId: string, attemptNumber: number, keyId: string | null): void;
  /** Records the upstream's first byte of the running attempt; for embeddings, the whole reply. */
  answered(): void;
  /** Records that the reply to the caller can begin: later than `answered` for a buffered reply. */
  firstByte(): void;
  /** Records the error of the running attempt. */
  failed(error: unknown): void;
  /** Records the model's channels that a failed request did not try; those with an attempt are left out. */
  skipped(channels: readonly SkippedChannel[]): void;
  /**
   * Resolves when the entry is on disk; the last byte of a reply waits for it. Later calls have no effect and return
   * the first result. When it throws `storage_unavailable`, the reply must fail with that error, because the entry will
   * record it.
   */
  settle(outcome: CallOutcome): Promise<void>;
  /** Runs `action` when the call has ended: a channel's slot is held as long as its stream runs. */
  whenSettled(action: (outcome: CallOutcome) => void): void;
}
