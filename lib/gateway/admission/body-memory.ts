import { DEFAULT_LIMITS } from "../../contracts/limits";
import { AppError } from "../../errors";
import type { Instance } from "../../ports/instance";
import type { Metrics } from "../../ports/metrics";
import type { KeyWithOwner } from "../../ports/store";
import { HeldMemory, ownerShareBytes, type Share } from "./held-memory";

/** Limits and counters that body memory works by. */
interface BodyServices {
  instance: Instance;
  metrics: Metrics;
}

/** Bytes of one request's body, counted against what its key, its owner and all keys may have in memory at once. */
export interface HeldBody {
  /**
   * Refuses a body of `bytes` that would not fit now; counts nothing, since an announced body may never arrive. Throws
   * `rate_limited` above the share of the key or its owner, `overloaded` above that of all.
   */
  check(bytes: number): void;
  /** Counts `bytes` that arrived. Throws as `check` does; nothing of `bytes` is counted then. */
  take(bytes: number): void;
  /** Gives all back; once. */
  release(): void;
}

export interface BodyMemory {
  /** Begins to count a body of this caller, by the limits of `services`. */
  hold(services: BodyServices, caller: BodyOwner): HeldBody;
  /** Bytes held for all keys. */
  readonly bytes: number;
}

/** Whose body it is. */
export interface BodyOwner {
  key: Pick<KeyWithOwner["key"], "id">;
  owner: Pick<KeyWithOwner["owner"], "id">;
}

const RETRY_MS = 1_000;
const ALL = "all";

/**
 * The bodies that are being read or worked on, in bytes as they were sent; one per process. Parsing needs several times
 * as much for a moment, and one body at a time is parsed.
 */
export function createBodyMemory(): BodyMemory {
  const memory = new HeldMemory();
  return {
    get bytes() {
      return memory.bytesOf(ALL);
    },
    hold({ instance, metrics }, { key, owner }) {
      const names = [`key:${key.id}`, `owner:${owner.id}`, ALL] as const;
      let own = 0;
      let isHeld = true;
      const limited = (subject: string, mostBytes: number) => (): AppError => {
        metrics.count("rate_limited");
        const message = `${subject} may have ${mostBytes} bytes of request bodies in progress at once. Wait for one to end.`;
        return new AppError("rate_limited", message, { retryAfterMs: RETRY_MS });
      };
      const shares = (): Share[] => {
        const { keyBodiesBytes, allBodiesBytes } = instance.limits ?? DEFAULT_LIMITS;
        const ownerBytes = ownerShareBytes(allBodiesBytes);
        return [
          { name: names[0], mostBytes: keyBodiesBytes, refusal: limited("This key", keyBodiesBytes) },
          {
            name: names[1],
            mostBytes: ownerBytes,
            refusal: limited("All keys of this key's owner together", ownerBytes),
          },
          {
            name: names[2],
            mostBytes: allBodiesBytes,
            refusal: () =>
              new AppError(
                "overloaded",
                "The server has too many request bodies in progress. Try again in a moment.",
                { retryAfterMs: RETRY_MS },
              ),
          },
        ];
      };
      return {
        check(bytes) {
          memory.check(shares(), bytes, own);
        },
        take(bytes) {
          memory.check(shares(), bytes, own);
          own += bytes;
          memory.add(names, bytes);
        },
        release() {
          if (!isHeld) return;
          isHeld = false;
          memory.add(names, -own);
        },
      };
    },
  };
}
