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
});
export type Limits = z.output<typeof Limits>;

export const DEFAULT_LIMITS: Limits = Limits.parse({});
