import type { RefusedLimit } from "../../contracts/console/rejections";
import { AppError } from "../../errors";
import type { Instance } from "../../ports/instance";
import type { KeyAndOwnerIds } from "../../ports/store";
import type { Metrics } from "../../ports/telemetry";
import { type EnforcedByteLimit, MemoryQuota, ownerShareBytes } from "./memory-quota";

/** The limits of body memory and the counter of refusals. */
interface BodyServices {
  instance: Instance;
  metrics: Metrics;
}

/** The memory of one request body, counted against the limits of its key, its owner and the process. */
export interface TrackedBody {
  /**
   * Checks that a body of `bytes` would not exceed a limit now. Counts nothing, because an announced body may never
   * arrive. Throws `rate_limited` above the limit of the key or its owner, `overloaded` above that of the process.
   */
  check(bytes: number): void;
  /** Counts `bytes` that arrived. Throws like `check`, and then counts none of them. */
  take(bytes: number): void;
  /** Releases all of it; later calls do nothing. */
  release(): void;
}

export interface BodyMemory {
  /** Starts to count a body of this caller against the limits of `services`. */
  track(services: BodyServices, caller: KeyAndOwnerIds): TrackedBody;
  /** Bytes counted for all keys; only tests read it, to see leaks. */
  readonly bytes: number;
}

const RETRY_MS = 1_000;
const ALL = "all";

/** The limits that a body is counted against, in the order of `names`: its key, its owner, the process. */
function limitsOf(
  { instance, metrics }: BodyServices,
  [keyName, ownerName, processName]: readonly [string, string, string],
): EnforcedByteLimit[] {
  const { keyBodiesBytes, allBodiesBytes } = instance.limits;
  const ownerBytes = ownerShareBytes(allBodiesBytes);
  const limited = (limit: RefusedLimit, subject: string, maxBytes: number) => (): AppError => {
    metrics.count("rate_limited");
    const message = `${subject} ${maxBytes} bytes of request bodies in progress at once. Wait for one to finish.`;
    return new AppError("rate_limited", message, { retryAfterMs: RETRY_MS, limit });
  };
  return [
    {
      name: keyName,
      maxBytes: keyBodiesBytes,
      refusal: limited("key_bodies", "This key is limited to", keyBodiesBytes),
    },
    {
      name: ownerName,
      maxBytes: ownerBytes,
      refusal: limited("user_bodies", "All keys of this key's owner together are limited to", ownerBytes),
    },
    {
      name: processName,
      maxBytes: allBodiesBytes,
      refusal: () =>
        new AppError(
          "overloaded",
          "The server has too many request bodies in progress. Try again in a moment.",
          { retryAfterMs: RETRY_MS },
        ),
    },
  ];
}

/**
 * Counts the bytes, as sent, of the request bodies in progress; one per process. Parsing needs several times a body's
 * memory for a moment, but only one body is parsed at a time.
 */
export function createBodyMemory(): BodyMemory {
  const memory = new MemoryQuota();
  return {
    get bytes() {
      return memory.bytesOf(ALL);
    },
    track(services, { key, owner }) {
      const names = [`key:${key.id}`, `owner:${owner.id}`, ALL] as const;
      let own = 0;
      let isTracked = true;
      return {
        check(bytes) {
          memory.check(limitsOf(services, names), bytes, own);
        },
        take(bytes) {
          memory.check(limitsOf(services, names), bytes, own);
          own += bytes;
          memory.add(names, bytes);
        },
        release() {
          if (!isTracked) return;
          isTracked = false;
          memory.add(names, -own);
        },
      };
    },
  };
}
