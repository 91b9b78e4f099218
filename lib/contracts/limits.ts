import { z } from "zod";

const count = (fallback: number) => z.int().min(1).max(1_000_000).default(fallback);
const bytes = (fallback: number) => z.int().min(1).max(1_073_741_824).default(fallback);
const duration = (fallback: number) => z.int().min(1).max(86_400_000).default(fallback);

/** The limits of CONTRACT §9 with their defaults; `PATCHBAY_LIMITS` replaces single ones. */
export const Limits = z.strictObject({
  /** Body of a gateway call, in bytes. */
  jsonBodyBytes: bytes(4 * 1024 * 1024),
  embeddingsBodyBytes: bytes(16 * 1024 * 1024),
  consoleBodyBytes: bytes(64 * 1024),
  /** Bodies of gateway calls in memory at once, as sent: of one key, and of all; one owner may hold half of the latter. */
  keyBodiesBytes: bytes(64 * 1024 * 1024),
  allBodiesBytes: bytes(256 * 1024 * 1024),
  /** Request line and headers whole. */
  headersTimeoutMs: duration(10_000),
  /** Body whole, from the headers' arrival. */
  consoleUploadMs: duration(30_000),
  gatewayUploadMs: duration(60_000),
  /** Open sockets of one address that is no trusted proxy. */
  connectionsPerAddress: count(2_048),
  wrongKeysPerMinute: count(120),
  loginAttemptsPerMinute: count(10),
  wrongSetupTokensPerMinute: count(10),
  setupReadsPerMinute: count(30),
  /** Channels tried for one call at most (DESIGN §4). */
  attemptsPerCall: z.int().min(1).max(5).default(3),
  upstreamConnectMs: duration(5_000),
  upstreamTlsMs: duration(5_000),
  speechFirstByteMs: duration(60_000),
  embeddingsFirstByteMs: duration(30_000),
  idleMs: duration(30_000),
  callMs: duration(600_000),
  /**
   * A streamed gateway reply of which nothing is taken for so long is ended. The system's own buffers may hold megabytes:
   * a caller who reads 1 KB/s shows it only every twenty minutes.
   */
  readerIdleMs: duration(1_800_000),
});
export type Limits = z.output<typeof Limits>;

export const DEFAULT_LIMITS: Limits = Limits.parse({});

type Unit = "bytes" | "milliseconds" | "count";

/** What an operator may set a limit to while the server runs; the floors keep them from shutting themselves out. */
export interface LimitRule {
  unit: Unit;
  least: number;
  most: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const DAY_MS = 86_400_000;

/** Limits that Settings changes; those of set-up are left out, since set-up is over by then. */
export const LIMIT_RULES = {
  jsonBodyBytes: { unit: "bytes", least: 64 * KIB, most: 1024 * MIB },
  embeddingsBodyBytes: { unit: "bytes", least: 64 * KIB, most: 1024 * MIB },
  consoleBodyBytes: { unit: "bytes", least: 16 * KIB, most: 64 * MIB },
  keyBodiesBytes: { unit: "bytes", least: 1024 * KIB, most: 1024 * MIB },
  allBodiesBytes: { unit: "bytes", least: 1024 * KIB, most: 1024 * MIB },
  headersTimeoutMs: { unit: "milliseconds", least: 1_000, most: 600_000 },
  consoleUploadMs: { unit: "milliseconds", least: 1_000, most: DAY_MS },
  gatewayUploadMs: { unit: "milliseconds", least: 1_000, most: DAY_MS },
  connectionsPerAddress: { unit: "count", least: 16, most: 1_000_000 },
  wrongKeysPerMinute: { unit: "count", least: 1, most: 1_000_000 },
  loginAttemptsPerMinute: { unit: "count", least: 3, most: 1_000_000 },
  attemptsPerCall: { unit: "count", least: 1, most: 5 },
  upstreamConnectMs: { unit: "milliseconds", least: 100, most: DAY_MS },
  upstreamTlsMs: { unit: "milliseconds", least: 100, most: DAY_MS },
  speechFirstByteMs: { unit: "milliseconds", least: 100, most: DAY_MS },
  embeddingsFirstByteMs: { unit: "milliseconds", least: 100, most: DAY_MS },
  idleMs: { unit: "milliseconds", least: 100, most: DAY_MS },
  callMs: { unit: "milliseconds", least: 1_000, most: DAY_MS },
  readerIdleMs: { unit: "milliseconds", least: 1_000, most: DAY_MS },
} as const satisfies Partial<Record<keyof Limits, LimitRule>>;
export type LimitName = keyof typeof LIMIT_RULES;

// The table's own names.
export const LIMIT_NAMES = Object.keys(LIMIT_RULES) as LimitName[];

function overrideOf(name: LimitName) {
  const { least, most } = LIMIT_RULES[name];
  return z
    .int("Must be a whole number.")
    .min(least, `Must be ${least} or more.`)
    .max(most, `Must be ${most} or less.`)
    .optional();
}

/** Limits set in the console, over those of the environment; absent: the environment's. */
export const LimitOverrides = z.strictObject(
  // One schema for each of the table's names.
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, overrideOf(name)])) as Record<
    LimitName,
    ReturnType<typeof overrideOf>
  >,
);
export type LimitOverrides = z.output<typeof LimitOverrides>;
