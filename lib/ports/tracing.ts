import type { UsageRecord } from "./store";

/** Distributed traces of gateway requests (W3C Trace Context). Absent where no collector is configured. */
export interface Tracing {
  /** Begins the trace of a request. `parent`: the caller's `traceparent`; one that is not valid starts a new trace. */
  begin(parent: string | undefined): RequestTrace;
}

/** The channel of an attempt. */
export interface CalledChannel {
  name: string;
  /** A name of lib/providers/registry.ts. */
  provider: string;
  /** The model as its upstream names it. */
  upstreamModel: string;
}

export interface RequestTrace {
  /** 32 hex digits. */
  readonly traceId: string;
  /** Begins the next attempt; returns the `traceparent` header by which its upstream continues the trace. */
  nextAttempt(): string;
  /** Ends the trace of a request that was refused before any channel was chosen. */
  refused(model: string | null, status: number, error: string): void;
  /** Ends the trace with the request's ledger entry. `channelOf` finds a channel by its ID. `status`: as answered. */
  settled(entry: UsageRecord, status: number, channelOf: (id: string) => CalledChannel | null): void;
}
