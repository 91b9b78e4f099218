import { readFileSync } from "node:fs";
import type { GatewayState } from "../../gateway/state";
import type { Cipher } from "../../ports/cipher";
import type { Clock } from "../../ports/clock";
import type { Broadcast, RateLimiter, SharedReplies, SharedStateHealth } from "../../ports/shared-state";
import type { Log, Metrics } from "../../ports/telemetry";
import { shareEvents } from "../../shared-state/events";
import { createRateLimiter, type ProcessShare } from "../../shared-state/memory-limits";
import type { RedisLink } from "../../shared-state/redis/link";
import { type Environment, SettingError } from "./env";

/**
 * What instances share: with `REDIS_URL`, through Redis. Without it, live events pass through PostgreSQL or the
 * server's primary, the processes of one server share stored replies, and each process applies its share of every
 * limit; all other state belongs to this process alone.
 */
interface SharedState {
  limiter: RateLimiter;
  /** Null without Redis. */
  health: (() => SharedStateHealth) | null;
  /** Connects circuits, stored replies, live events and caches with those of other instances. */
  share(state: Pick<GatewayState, "circuits" | "idempotency" | "live" | "sharedCache">): void;
  close(): void;
}

interface SharedStateOptions {
  cipher: Cipher;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  instanceId: string;
  /** Number of running instances, at least 1. */
  liveInstances(): number;
  /** This process among those of its server; without Redis each applies its share. */
  share: ProcessShare;
  /** Carries live events when there is no Redis. */
  broadcast: Broadcast | null;
  /** Stored replies of the processes of this server; used when there is no Redis. */
  replies: SharedReplies | null;
}

/**
 * Returns a function that reads the file at each call, and returns the last content while the file cannot be read.
 * Throws SettingError when the first read fails.
 */
function caReader(file: string | null): (() => string) | null {
  if (file === null) return null;
  const read = () => readFileSync(/* turbopackIgnore: true */ file, "utf8");
  let last: string;
  try {
    last = read();
  } catch (error) {
    throw new SettingError(`REDIS_TLS_CA: ${file} cannot be read: ${String(error)}`);
  }
  return () => {
    try {
      last = read();
    } catch {
      // The file is being replaced.
    }
    return last;
  };
}

const EVENTS = "events";

/** Messages to all instances by Redis' publish and subscribe. */
export const eventsOver = (link: RedisLink): Broadcast => ({
  send: (message) => link.publish(EVENTS, message),
  listen: (listener) => link.subscribe(EVENTS, listener),
});

/** Connects to Redis, waiting a second at most: without it the instance starts and applies its share. */
export async function openSharedState(
  env: Pick<Environment, "redis" | "redisTlsCa" | "sharedCacheBytes">,
  options: SharedStateOptions,
): Promise<SharedState> {
  const { cipher, clock, log, metrics, instanceId, share, broadcast, liveInstances } = options;
  if (env.redis === null)
    return {
      limiter: createRateLimiter(clock, share),
      health: null,
      share({ live, idempotency }) {
        if (broadcast !== null) shareEvents(broadcast, live, instanceId);
        if (options.replies !== null) idempotency.share(options.replies);
      },
      close: () => undefined,
    };
  const local = createRateLimiter(clock);
  // The Redis client has 500 files, which a server without Redis need not load.
  const redis = await import("../../shared-state/redis/all");
  const link = await redis.RedisLink.open({
    address: env.redis,
    readCa: caReader(env.redisTlsCa),
    // Installations that share a Redis server have different digest keys; the instances of one installation have the
    // same.
    prefix: `patchbay:${cipher.digest("shared-state", "prefix").slice(0, 12)}:`,
    clock,
    log,
    metrics,
  });
  const limits = new redis.RedisLimits({ link, clock, metrics, instanceId, local, liveInstances });
  const replies = new redis.RedisReplies(link, cipher, instanceId);
  return {
    limiter: { ...local, shared: limits },
    health: () => link.health,
    share(state) {
      const { circuits, idempotency, live } = state;
      const apply: typeof circuits.apply = (key, health) => circuits.apply(key, health);
      circuits.share(new redis.RedisCircuits(link, clock, instanceId, apply));
      idempotency.share(replies);
      shareEvents(eventsOver(link), live, instanceId);
      if (env.sharedCacheBytes > 0)
        state.sharedCache = new redis.RedisCache({ link, cipher, maxScopeBytes: env.sharedCacheBytes });
    },
    close() {
      replies.close();
      limits.close();
      link.close();
    },
  };
}
