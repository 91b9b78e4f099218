import { z } from "zod";
import type { Clock } from "../../ports/clock";
import type { BreakerKey, CircuitHealth, CircuitSharing } from "../../ports/shared-state/circuits";
import { type RedisLink, script } from "./link";

const CHANNEL = "circuits";
/** Open circuits are forgotten after this long without a change. */
const KEPT_MS = 600_000;
/** Another probe may run after this long, because the instance of the first may have crashed. */
const PROBE_LEASE_MS = 35_000;
/** Longest wait before a probe, whatever the clocks of the instances say. */
const MAX_WAIT_MS = 120_000;

const Change = z.object({
  from: z.string(),
  channelId: z.string(),
  keyId: z.string().nullable(),
  model: z.string().nullable(),
  /** Null: closed. `until`: wall-clock milliseconds of the next probe. */
  open: z
    .object({
      openedAt: z.number(),
      reason: z.enum(["failures", "error_rate", "rate_limited", "credentials", "account"]),
      until: z.number(),
    })
    .nullable(),
});

/** Claims all probes or none. ARGV: instance, lease ms. */
const CLAIM = script(`
for i = 1, #KEYS do
  local owner = redis.call('GET', KEYS[i])
  if owner and owner ~= ARGV[1] then return 0 end
end
for i = 1, #KEYS do redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2]) end
return 1
`);

const RELEASE = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

/** Stores an open circuit, or removes a closed one. ARGV: field, value or nothing, ms to keep. */
const KEEP = script(`
if ARGV[2] == '' then return redis.call('HDEL', KEYS[1], ARGV[1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return redis.call('PEXPIRE', KEYS[1], ARGV[3])
`);

const LIST = script("return redis.call('HVALS', KEYS[1])");

const CLOSED: CircuitHealth = { state: "closed", openedAt: null, reason: null, waitMs: 0 };

/**
 * Circuits over all instances: changes are published, and the open ones stored for instances that start or were cut off.
 * `apply` takes over a change of another instance.
 */
export function shareCircuits(
  link: RedisLink,
  clock: Clock,
  instanceId: string,
  apply: (key: BreakerKey, health: CircuitHealth) => void,
): CircuitSharing {
  const stored = `${link.prefix}circuits`;
  const fieldOf = ({ channelId, keyId, model }: BreakerKey): string =>
    JSON.stringify([channelId, keyId, model]);
  const probeKey = (key: BreakerKey): string => `${link.prefix}{${key.channelId}}:probe:${fieldOf(key)}`;

  function receive(message: string): void {
    const change = Change.safeParse(JSON.parse(message));
    if (!change.success || change.data.from === instanceId) return;
    const { channelId, keyId, model, open } = change.data;
    const key = { channelId, keyId, model };
    if (open === null) {
      apply(key, CLOSED);
      return;
    }
    const { openedAt, reason, until } = open;
    const waitMs = Math.min(MAX_WAIT_MS, Math.max(0, until - clock.now()));
    apply(key, { state: waitMs > 0 ? "open" : "half_open", openedAt, reason, waitMs });
  }

  link.subscribe(CHANNEL, receive);
  link.onUp(() => {
    void link.run(LIST, [stored], []).then((values) => {
      if (Array.isArray(values)) for (const value of values) receive(String(value));
    });
  });

  return {
    changed(key, { openedAt, reason, waitMs }) {
      const open =
        openedAt === null || reason === null ? null : { openedAt, reason, until: clock.now() + waitMs };
      const message = JSON.stringify({ from: instanceId, ...key, open } satisfies z.input<typeof Change>);
      link.publish(CHANNEL, message);
      void link.run(KEEP, [stored], [fieldOf(key), open === null ? "" : message, String(KEPT_MS)]);
    },

    async claimProbe(keys) {
      const { isPrompt } = link;
      const answer = link.run(CLAIM, keys.map(probeKey), [instanceId, String(PROBE_LEASE_MS)]);
      // The claim is sent in any case; while answers are late no request waits for it.
      return !isPrompt || (await answer) !== 0;
    },

    releaseProbe(key) {
      void link.run(RELEASE, [probeKey(key)], [instanceId]);
    },
  };
}
