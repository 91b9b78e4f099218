import type { ErrorCode } from "../errors";
import type { CatalogEntry } from "../ports/catalog";
import type { CallOptions } from "../ports/speech-model";
import type { GatewayContext } from "./context";

/** What one gateway call is about, before it runs. */
export interface CallPlan {
  entry: CatalogEntry;
  operation: "speech" | "embeddings";
  /** The name the caller used; what the reply says. */
  askedModel: string;
  inputTokens: number;
  characters: number;
  /** Worst case, nano-dollars (DESIGN §5). */
  reservedNano: number;
  /** The caller's own `user` field. */
  user: string | null;
  /** Speech, or anything that streams: an open row is written even when the call is free. */
  leavesOpenRow: boolean;
  /** The words of the call, asked for only where they are kept. */
  words?: () => string;
  /** What `x-patchbay-cache` says; absent where the model has no cache. */
  cache?: "hit" | "miss" | "bypass";
}

/** What happened, when it is over. */
export interface CallOutcome {
  status: number;
  error: ErrorCode | null;
  inputTokens: number;
  outputTokens: number;
  audioMs: number;
  estimated: boolean;
  cached: boolean;
}

/** The books of one call: opened before the upstream is called, settled exactly once whatever happens. */
export interface Meter {
  /** Notes the attempt that begins: its channel, how many there were with it, and the id of the channel's key. */
  served(channelId: string, attempts: number, keyId: string | null): void;
  /** Notes the upstream's first byte of the running attempt; embeddings come whole with it. */
  answered(): void;
  /** Notes that the reply to the caller can begin: later than `answered` for one that is held until it is whole. */
  firstByte(): void;
  /** Notes how the running attempt failed. */
  failed(error: unknown): void;
  /**
   * Resolves when the entry is on disk; the last byte of a reply waits for it. A second call changes nothing and ends as
   * the first did. When it throws `storage_unavailable` the reply must fail with that error: the entry will say so.
   */
  settle(outcome: CallOutcome): Promise<void>;
  /** Runs `action` when the call is over: the channel's place is held as long as its stream runs. */
  whenSettled(action: (outcome: CallOutcome) => void): void;
  /** `x-patchbay-channel`, `-attempts`, `-overhead-ms`, `-cache` as known so far. */
  headers(): Record<string, string>;
}

/** One attempt's place: a channel that serves the model. */
export interface Target {
  channel: CatalogEntry["routes"][number]["channel"];
  upstreamName: string;
}

/** Finds the model, checks the key's rights to it. Throws `model_not_found`, `model_not_allowed`, `forbidden`, `invalid` (another kind of model). */
export type ResolveModel = (
  ctx: GatewayContext,
  name: string,
  operation: "speech" | "embeddings",
) => Promise<CatalogEntry>;
/** Takes tokens per minute and reserves the budget. Throws `rate_limited`, `insufficient_quota`, `storage_unavailable`. */
export type OpenMeter = (ctx: GatewayContext, plan: CallPlan) => Promise<Meter>;
/**
 * Runs `attempt` on one channel after another (DESIGN §4) until one gives a value; `attempt` resolves when the first
 * byte (or the whole reply) is there, so that nothing is retried after it. The options carry caller's signal and deadline.
 * `complete` goes on where nothing is sent before the whole reply is there: it runs without the limit for the first byte,
 * its time is not counted towards that of later attempts, and its failure is the attempt's.
 */
export type WithFailover = <T>(
  ctx: GatewayContext,
  plan: CallPlan,
  meter: Meter,
  attempt: (target: Target, options: CallOptions) => Promise<T>,
  complete?: (value: T) => Promise<T>,
) => Promise<T>;
