/** Why a circuit is open; the console shows it. */
export type OpenReason = "failures" | "error_rate" | "rate_limited" | "credentials" | "account";

export interface CircuitHealth {
  state: "closed" | "open" | "half_open";
  /** Wall-clock milliseconds; null while closed. */
  openedAt: number | null;
  reason: OpenReason | null;
  /** Milliseconds until the next probe is allowed; 0 when it is. */
  waitMs: number;
}

/** Names one circuit; `model` null: the circuit of the upstream key. */
export interface BreakerKey {
  channelId: string;
  keyId: string | null;
  model: string | null;
}

/**
 * Shares circuits between all instances. No method throws; while the shared state does not answer, each instance uses
 * its own.
 */
export interface CircuitSharing {
  /** A circuit of this instance opened or closed. */
  changed(key: BreakerKey, health: CircuitHealth): void;
  /** Claims the only probe of half-open circuits over all instances: that of all these circuits, or of none. */
  claimProbe(keys: readonly BreakerKey[]): Promise<boolean>;
  /** The probe of this instance has ended. */
  releaseProbe(key: BreakerKey): void;
}
