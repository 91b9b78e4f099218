import { DEFAULT_LIMITS } from "../../contracts/limits";
import { AppError } from "../../errors";
import type { Instance } from "../../ports/instance";
import type { Metrics } from "../../ports/metrics";

/** Limits and counters that body memory works by. */
interface BodyServices {
  instance: Instance;
  metrics: Metrics;
}

/** Bytes of one request's body, counted against what its key and all keys may have in memory at once. */
export interface HeldBody {
  /**
   * Counts `bytes` more: the announced length before the body is asked for, or a chunk as it comes in. Throws
   * `rate_limited` above the key's share, `overloaded` above that of all; nothing of `bytes` is counted then.
   */
  take(bytes: number): void;
  /** Gives all back; once. */
  release(): void;
}

export interface BodyMemory {
  /** Begins to count a body of this key, by the limits of `services`. */
  hold(services: BodyServices, keyId: string): HeldBody;
  /** Bytes held for all keys. */
  readonly bytes: number;
}

const RETRY_MS = 1_000;

/**
 * The bodies that are being read or worked on, in bytes as they were sent; one per process. Parsing needs several times
 * as much for a moment, and one body at a time is parsed. A body that is alone is never refused, so that a limit below
 * that of one body's size does not shut it out.
 */
export function createBodyMemory(): BodyMemory {
  const byKey = new Map<string, number>();
  let all = 0;
  return {
    get bytes() {
      return all;
    },
    hold(services, keyId) {
      let own = 0;
      let isHeld = true;
      return {
        take(bytes) {
          const { keyBodiesBytes, allBodiesBytes } = services.instance.limits ?? DEFAULT_LIMITS;
          const ofKey = byKey.get(keyId) ?? 0;
          if (ofKey > own && ofKey + bytes > keyBodiesBytes) {
            services.metrics.count("rate_limited");
            throw new AppError(
              "rate_limited",
              `This key may have ${keyBodiesBytes} bytes of request bodies in progress at once. Wait for one to end.`,
              { retryAfterMs: RETRY_MS },
            );
          }
          if (all > own && all + bytes > allBodiesBytes) {
            throw new AppError(
              "overloaded",
              "The server has too many request bodies in progress. Try again.",
              {
                retryAfterMs: RETRY_MS,
              },
            );
          }
          own += bytes;
          all += bytes;
          byKey.set(keyId, ofKey + bytes);
        },
        release() {
          if (!isHeld) return;
          isHeld = false;
          all -= own;
          const left = (byKey.get(keyId) ?? 0) - own;
          if (left > 0) byKey.set(keyId, left);
          else byKey.delete(keyId);
        },
      };
    },
  };
}
