import type { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { ChannelRecord } from "../../ports/store";

/** Why a circuit is open, as the console tells it. */
export type OpenReason = "failures" | "error_rate" | "rate_limited" | "credentials" | "account";

export interface CircuitHealth {
  state: "closed" | "open" | "half_open";
  /** Wall-clock milliseconds; null while closed. */
  openedAt: number | null;
  reason: OpenReason | null;
  /** Monotonic milliseconds until the next probe may go; 0 when it may. */
  waitMs: number;
}

/** What one attempt tells the circuit of the place it went to. Exactly one of the three, once. */
export interface CircuitPass {
  /** The first byte is there; a probe closes the circuit with it. */
  answered(): void;
  /** The call ended well. */
  succeeded(): void;
  failed(error: AppError): void;
  /** Nothing was learned (the caller left, or was wrong). */
  unused(): void;
}

/** One circuit for each channel and key (DESIGN §4); one set per process. */
export interface Circuits {
  /** Whether a call may go there now. */
  isOpen(place: string): boolean;
  /** Counts an attempt in; in a half-open circuit it is the one probe. */
  enter(place: string): CircuitPass;
  health(place: string): CircuitHealth;
  /** The operator's word: closed, and everything forgotten. */
  close(place: string): void;
}

const FAILURES_IN_A_ROW = 5;
const RATE_WINDOW_MS = 10_000;
const RATE_LEAST_CALLS = 20;
const RATE_SHARE = 0.5;
/** After this long one call may look whether the place is well again. */
const PROBE_AFTER_MS = 30_000;
/** Bounds of an upstream's own `Retry-After` (RELIABILITY RB-7), and what counts when it tells none. */
const LEAST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 120_000;

interface Circuit {
  failuresInARow: number;
  /** Outcomes of the running window. */
  windowFrom: number;
  calls: number;
  failures: number;
  open: { openedAt: number; until: number; reason: OpenReason } | null;
  isProbing: boolean;
}

/** The place of a channel's key; channels without keys have one place. */
export function circuitPlace(channelId: string, keyId: string | null): string {
  return keyId === null ? channelId : `${channelId}/${keyId}`;
}

/** Every place of a channel. */
export function placesOf(channel: Pick<ChannelRecord, "id" | "keys">): string[] {
  if (channel.keys.length === 0) return [circuitPlace(channel.id, null)];
  return channel.keys.map((key) => circuitPlace(channel.id, key.id));
}

function fresh(): Circuit {
  return { failuresInARow: 0, windowFrom: 0, calls: 0, failures: 0, open: null, isProbing: false };
}

/** What opens a circuit at once, whatever went before. */
function gravest(error: AppError): { reason: OpenReason; waitMs: number } | null {
  const { upstreamStatus, retryAfterMs } = error.details;
  if (error.code === "upstream_rate_limited") {
    const waitMs = Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, retryAfterMs ?? LEAST_WAIT_MS));
    return { reason: "rate_limited", waitMs };
  }
  if (error.code !== "upstream_error") return null;
  if (upstreamStatus === 401 || upstreamStatus === 403)
    return { reason: "credentials", waitMs: PROBE_AFTER_MS };
  if (upstreamStatus === 402) return { reason: "account", waitMs: PROBE_AFTER_MS };
  return null;
}

/** `onChange` is told when a circuit opens or closes. */
export function createCircuits(
  clock: Clock,
  onChange: (place: string, health: CircuitHealth) => void = () => undefined,
): Circuits {
  const circuits = new Map<string, Circuit>();
  /** One fault of one upstream call may reach many callers whose texts travelled together; it counts once. */
  const seen = new WeakSet<AppError>();

  function circuitOf(place: string): Circuit {
    const known = circuits.get(place) ?? fresh();
    circuits.set(place, known);
    return known;
  }

  function count(circuit: Circuit, isFailure: boolean): void {
    const now = clock.monotonic();
    if (now - circuit.windowFrom >= RATE_WINDOW_MS) {
      circuit.windowFrom = now;
      circuit.calls = 0;
      circuit.failures = 0;
    }
    circuit.calls += 1;
    if (isFailure) circuit.failures += 1;
  }

  function health(place: string): CircuitHealth {
    const open = circuits.get(place)?.open ?? null;
    if (open === null) return { state: "closed", openedAt: null, reason: null, waitMs: 0 };
    const waitMs = Math.max(0, open.until - clock.monotonic());
    const state = waitMs > 0 ? "open" : "half_open";
    return { state, openedAt: open.openedAt, reason: open.reason, waitMs };
  }

  function open(place: string, circuit: Circuit, reason: OpenReason, waitMs: number): void {
    const openedAt = circuit.open?.openedAt ?? clock.now();
    circuit.open = { openedAt, until: clock.monotonic() + waitMs, reason };
    circuit.failuresInARow = 0;
    circuit.calls = 0;
    circuit.failures = 0;
    onChange(place, health(place));
  }

  function closeCircuit(place: string, circuit: Circuit): void {
    if (circuit.open === null) return;
    circuit.open = null;
    onChange(place, health(place));
  }

  function judge(place: string, circuit: Circuit, error: AppError, wasProbe: boolean): void {
    if (seen.has(error)) return;
    seen.add(error);
    count(circuit, true);
    circuit.failuresInARow += 1;
    const grave = gravest(error);
    if (grave !== null) open(place, circuit, grave.reason, grave.waitMs);
    else if (wasProbe) open(place, circuit, circuit.open?.reason ?? "failures", PROBE_AFTER_MS);
    // A call that began before the circuit opened tells nothing new.
    else if (circuit.open !== null) return;
    else if (circuit.failuresInARow >= FAILURES_IN_A_ROW) open(place, circuit, "failures", PROBE_AFTER_MS);
    else if (circuit.calls >= RATE_LEAST_CALLS && circuit.failures >= circuit.calls * RATE_SHARE)
      open(place, circuit, "error_rate", PROBE_AFTER_MS);
  }

  return {
    isOpen(place) {
      const circuit = circuits.get(place);
      if (circuit === undefined || circuit.open === null) return false;
      return circuit.isProbing || clock.monotonic() < circuit.open.until;
    },

    enter(place) {
      const circuit = circuitOf(place);
      const isProbe = circuit.open !== null && !circuit.isProbing;
      if (isProbe) circuit.isProbing = true;
      let isOver = false;
      const end = (): boolean => {
        if (isOver) return false;
        isOver = true;
        if (isProbe) circuit.isProbing = false;
        return true;
      };
      return {
        answered() {
          if (isProbe && !isOver) closeCircuit(place, circuit);
        },
        succeeded() {
          if (!end()) return;
          count(circuit, false);
          circuit.failuresInARow = 0;
          if (isProbe) closeCircuit(place, circuit);
        },
        failed(error) {
          if (end()) judge(place, circuit, error, isProbe);
        },
        unused: () => void end(),
      };
    },

    health,

    close(place) {
      const circuit = circuits.get(place);
      if (circuit !== undefined) closeCircuit(place, circuit);
      circuits.delete(place);
    },
  };
}

/** The health of a channel: its best key's, since that one serves. */
export function channelHealth(
  circuits: Circuits,
  channel: Pick<ChannelRecord, "id" | "keys">,
): CircuitHealth {
  const order = { closed: 0, half_open: 1, open: 2 } satisfies Record<CircuitHealth["state"], number>;
  const all = placesOf(channel).map((place) => circuits.health(place));
  return all.reduce((best, one) =>
    order[one.state] < order[best.state] || (one.state === best.state && one.waitMs < best.waitMs)
      ? one
      : best,
  );
}
