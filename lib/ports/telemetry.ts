import type { UsageRecord } from "./store";

/** Structured log; fields pass an allow-list and redaction before they are written. */
export interface Log {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

export interface Metrics {
  observeCall(call: {
    operation: string;
    model: string;
    /** The channel of the last attempt; null: no attempt. */
    channel: CalledChannel | null;
    status: number;
    /** The error's code; null: the call succeeded. */
    error: string | null;
    seconds: number;
    firstByteSeconds: number | null;
  }): void;
  /** Counts a gateway call that failed before any channel was chosen. `code`: an `ErrorCode`. */
  countRejection(surface: string, code: string): void;
  count(name: MetricName, value?: number): void;
  /** Contents of /metrics; absent where nothing is collected. */
  exposition?: {
    /** `PATCHBAY_METRICS_TOKEN`; null: only loopback may read. */
    token: string | null;
    contentType: string;
    render(): Promise<string>;
  };
}

export type MetricName =
  | "login_failures"
  | "rate_limited"
  | "cache_hits"
  | "cache_misses"
  | "shared_cache_hits"
  | "shared_cache_misses"
  | "usage_rows"
  | "upstream_batches"
  | "batched_texts"
  | "idempotent_repeats"
  | "redis_fallbacks"
  | "redis_outages";

/** Distributed traces of gateway requests (W3C Trace Context). Absent where no collector is configured. */
export interface Tracing {
  /** Begins the trace of a request. `parent`: the caller's `traceparent`; one that is not valid starts a new trace. */
  begin(parent: string | undefined): RequestTrace;
}

export interface CalledChannel {
  name: string;
  /** A name of lib/providers/registry.ts. */
  provider: string;
  upstreamModel: string;
}

export interface RequestTrace {
  /** 32 hex digits. */
  readonly traceId: string;
  /**
   * Begins the next attempt; returns the `traceparent` header by which its upstream continues the trace. Called once for
   * each attempt in the ledger entry, whatever its channel: `settled` matches them by their order.
   */
  nextAttempt(): string;
  /** Ends the trace of a request that was refused before any channel was chosen. */
  refused(model: string | null, status: number, error: string): void;
  /** Ends the trace with the request's ledger entry. `channelOf` finds a channel by its ID. */
  settled(entry: UsageRecord, channelOf: (id: string) => CalledChannel | null): void;
}
