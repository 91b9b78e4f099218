import { z } from "zod";
import { DAY_MS } from "./durations";
import { wholeNumber } from "./whole-number";

const count = (fallback: number) => z.int().min(1).max(1_000_000).default(fallback);
const bytes = (fallback: number) => z.int().min(1).max(1_073_741_824).default(fallback);
const duration = (fallback: number) => z.int().min(1).max(DAY_MS).default(fallback);

/** All limits with their defaults; `PATCHBAY_LIMITS` overrides individual ones. */
export const Limits = z.strictObject({
  /** Largest request bodies: of speech and other gateway calls, of embeddings calls, and of console requests. */
  jsonBodyBytes: bytes(4 * 1024 * 1024),
  embeddingsBodyBytes: bytes(16 * 1024 * 1024),
  consoleBodyBytes: bytes(64 * 1024),
  /**
   * Gateway request bodies in memory at once, as sent: per key, and in total. The keys of one user together may use
   * half of the total.
   */
  keyBodiesBytes: bytes(64 * 1024 * 1024),
  allBodiesBytes: bytes(256 * 1024 * 1024),
  /** Until the request line and all headers have arrived. */
  headersTimeoutMs: duration(10_000),
  /** From the arrival of the headers until the whole body has arrived. */
  consoleUploadMs: duration(30_000),
  gatewayUploadMs: duration(60_000),
  /** Open sockets per client address, except trusted proxies. */
  connectionsPerAddress: count(2_048),
  wrongKeysPerMinute: count(120),
  loginAttemptsPerMinute: count(10),
  wrongSetupTokensPerMinute: count(10),
  setupReadsPerMinute: count(30),
  /** Most attempts per call, on different channels. */
  attemptsPerCall: z.int().min(1).max(5).default(3),
  upstreamConnectMs: duration(5_000),
  upstreamTlsMs: duration(5_000),
  speechFirstByteMs: duration(60_000),
  embeddingsFirstByteMs: duration(30_000),
  idleMs: duration(30_000),
  callMs: duration(600_000),
  /**
   * A streamed gateway reply is aborted when the caller reads nothing for this long. System buffers may hold megabytes,
   * so the reads of a caller at 1 KB/s may become visible only every twenty minutes.
   */
  readerIdleMs: duration(1_800_000),
});
export type Limits = z.output<typeof Limits>;

export const DEFAULT_LIMITS: Limits = Limits.parse({});

type Unit = "bytes" | "milliseconds" | "count";

/** The range that an operator may set a limit to at runtime; the minimums prevent a lock-out from the console. */
export interface LimitRule {
  unit: Unit;
  min: number;
  max: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits that can be changed in Settings. Those of the initial setup are left out: setup is complete by then. */
export const LIMIT_RULES = {
  jsonBodyBytes: { unit: "bytes", min: 64 * KIB, max: 1024 * MIB },
  embeddingsBodyBytes: { unit: "bytes", min: 64 * KIB, max: 1024 * MIB },
  consoleBodyBytes: { unit: "bytes", min: 16 * KIB, max: 64 * MIB },
  keyBodiesBytes: { unit: "bytes", min: 1024 * KIB, max: 1024 * MIB },
  allBodiesBytes: { unit: "bytes", min: 1024 * KIB, max: 1024 * MIB },
  headersTimeoutMs: { unit: "milliseconds", min: 1_000, max: 600_000 },
  consoleUploadMs: { unit: "milliseconds", min: 1_000, max: DAY_MS },
  gatewayUploadMs: { unit: "milliseconds", min: 1_000, max: DAY_MS },
  connectionsPerAddress: { unit: "count", min: 16, max: 1_000_000 },
  wrongKeysPerMinute: { unit: "count", min: 1, max: 1_000_000 },
  loginAttemptsPerMinute: { unit: "count", min: 3, max: 1_000_000 },
  attemptsPerCall: { unit: "count", min: 1, max: 5 },
  upstreamConnectMs: { unit: "milliseconds", min: 100, max: DAY_MS },
  upstreamTlsMs: { unit: "milliseconds", min: 100, max: DAY_MS },
  speechFirstByteMs: { unit: "milliseconds", min: 100, max: DAY_MS },
  embeddingsFirstByteMs: { unit: "milliseconds", min: 100, max: DAY_MS },
  idleMs: { unit: "milliseconds", min: 100, max: DAY_MS },
  callMs: { unit: "milliseconds", min: 1_000, max: DAY_MS },
  readerIdleMs: { unit: "milliseconds", min: 1_000, max: DAY_MS },
} as const satisfies Partial<Record<keyof Limits, LimitRule>>;
export type LimitName = keyof typeof LIMIT_RULES;

// Object.keys is typed as string[].
const LIMIT_NAMES = Object.keys(LIMIT_RULES) as LimitName[];

function overrideOf(name: LimitName) {
  const { min, max } = LIMIT_RULES[name];
  return wholeNumber(min, max).optional();
}

/** Limits set in the console, which override those of the environment. */
export const LimitOverrides = z.strictObject(
  // Cast: Object.fromEntries loses the names.
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, overrideOf(name)])) as Record<
    LimitName,
    ReturnType<typeof overrideOf>
  >,
);
