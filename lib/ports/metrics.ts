import type { CalledChannel } from "./tracing";

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
  | "usage_commits"
  | "upstream_batches"
  | "batched_texts"
  | "idempotent_repeats"
  | "redis_fallbacks"
  | "redis_outages";
