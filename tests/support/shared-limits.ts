import type { Clock } from "../../lib/ports/clock";
import type { SharedLimits } from "../../lib/ports/shared-state";
import { systemClock } from "../../lib/server/process/system";
import { createRateLimiter, type LocalLimiter } from "../../lib/shared-state/memory-limits";
import { parseRedisUrl } from "../../lib/shared-state/redis/address";
import { RedisLimits } from "../../lib/shared-state/redis/limits";
import { RedisLink } from "../../lib/shared-state/redis/link";

/** One instance with its own connections to Redis. */
export interface RedisInstance {
  link: RedisLink;
  limits: SharedLimits;
  local: LocalLimiter;
  /** Events that were logged, in order. */
  logged: string[];
  /** Counters of /metrics by name. */
  counted: Map<string, number>;
  close(): void;
}

export interface RedisInstanceOptions {
  url: string;
  name?: string;
  /** Default: a second, so that a busy machine is not taken for a slow Redis. */
  answerMs?: number;
  liveInstances?: number;
  readCa?: () => string;
  leaseMs?: number;
  /** The clock by which calls stop waiting for a slot; default: the system's. */
  clock?: Clock;
}

export async function openRedisInstance({
  url,
  name = "one",
  answerMs = 1_000,
  liveInstances = 1,
  readCa,
  leaseMs,
  clock = systemClock,
}: RedisInstanceOptions): Promise<RedisInstance> {
  const address = parseRedisUrl(url);
  if (address === null) throw new Error(`Not a Redis URL: ${url}`);
  const logged: string[] = [];
  const counted = new Map<string, number>();
  const write = (event: string) => void logged.push(event);
  const metrics = {
    count: (metric: string, value = 1) => void counted.set(metric, (counted.get(metric) ?? 0) + value),
  };
  const link = await RedisLink.open({
    address,
    readCa: readCa ?? null,
    prefix: "test:",
    clock: systemClock,
    log: { info: write, warn: write, error: write },
    metrics,
    answerMs,
  });
  const local = createRateLimiter(systemClock);
  const limits = new RedisLimits({
    link,
    clock,
    metrics,
    instanceId: name,
    local,
    liveInstances: () => liveInstances,
    leaseMs,
  });
  return {
    link,
    limits,
    local,
    logged,
    counted,
    close() {
      limits.close();
      link.close();
    },
  };
}
