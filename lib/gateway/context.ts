import type { AudioEncoder } from "../ports/audio-encoder";
import type { Catalog } from "../ports/catalog";
import type { Providers } from "../ports/channel-probe";
import type { Clock, Random } from "../ports/clock";
import type { Instance } from "../ports/instance";
import type { RateLimiter, SharedStateHealth } from "../ports/shared-state";
import type { StopSignal } from "../ports/stop-signal";
import type { KeyWithOwner, Store, UsageRecord } from "../ports/store";
import type { Log, Metrics, RequestTrace, Tracing } from "../ports/telemetry";
import type { GatewayState } from "./state";

/** Everything a gateway verb may reach, built once by lib/server/process/container.ts. */
export interface GatewayServices {
  store: Store;
  clock: Clock;
  /** State that outlives a request: caches, circuits, traffic. */
  state: GatewayState;
  random: Random;
  log: Log;
  instance: Instance;
  catalog: Catalog;
  providers: Providers;
  limiter: RateLimiter;
  /** Text tokens as cl100k_base counts them; may stop above `limit` and return some number above it. */
  countTokens(text: string, limit?: number): number;
  /** Like `countTokens`, in steps of about a millisecond, so that other work runs while a long text is counted. */
  countTokensInSteps(text: string, limit?: number): Generator<void, number, void>;
  /**
   * Speech as mp3, opus, … : `createAudioEncoder({ workerFile: workerFile("encode") })` of lib/audio/encode/create.ts.
   */
  encoder: AudioEncoder;
  /** Numbers for /metrics. */
  metrics: Metrics;
  /** Absent where no state is shared with other instances. */
  sharedStateHealth?(): SharedStateHealth;
  /** Absent where traces are not exported to a collector. */
  tracing?: Tracing;
}

/** A call with a ledger entry. */
export interface OpenedCall {
  /**
   * `x-patchbay-channel`, `-attempts`, `-overhead-ms`, `-cache` with their current values, and the headers of the token
   * limits.
   */
  headers(): Record<string, string>;
  /** What the log says of a failed call; `channel`: the ID of the last attempt's channel. */
  logFields(): { model: string; channel: string | undefined };
}

/** One authenticated request to the gateway. */
export interface GatewayContext {
  services: GatewayServices;
  caller: KeyWithOwner;
  requestId: string;
  trace?: RequestTrace;
  /** `x-patchbay-tags` */
  tags: string | null;
  /** `cache-control: no-store`: neither answered from a cache nor stored in one. */
  isNoStore?: boolean;
  /** Called when the ledger entry is open; `call` describes channel and attempts, also of a reply that fails. */
  onOpened?(call: OpenedCall): void;
  /** Called with each usage row of the request once it is in the ledger. */
  onRecorded?: (row: UsageRecord) => void;
  /** Aborted when the caller leaves. */
  signal: StopSignal;
  /** Monotonic milliseconds at arrival. */
  receivedAt: number;
}
