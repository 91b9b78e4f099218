import { z } from "zod";
import { CircuitReason } from "../../contracts/console/channels";
import type { Clock } from "../../ports/clock";
import { type BreakerKey, type CircuitHealth, type CircuitSharing, CLOSED } from "../../ports/shared-state";
import { type RedisLink, script } from "./link";

const CHANNEL = "circuits";
/** Redis forgets the stored open circuits when no circuit has opened for this long. */
const TTL_MS = 600_000;
/** Another probe may run after this long, because the instance of the first may have crashed. */
const PROBE_LEASE_MS = 35_000;
/** Pause before the open circuits are listed again after a list that was not answered. */
const LIST_RETRY_MS = 250;
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
      reason: CircuitReason,
      until: z.number(),
    })
    .nullable(),
});

/** Null for a message or stored value that is not one of Patchbay's. */
function changeIn(message: string): z.output<typeof Change> | null {
  try {
    return Change.parse(JSON.parse(message));
  } catch {
    return null;
  }
}

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

/**
 * Publishes a change, and stores an open circuit or removes a closed one, in one script on the connection for limits:
 * the connection for messages may be lost when this one is not. ARGV: field, value (empty: closed), ms to keep,
 * channel, message.
 */
const STORE_AND_PUBLISH = script(`
redis.call('PUBLISH', ARGV[4], ARGV[5])
if ARGV[2] == '' then return redis.call('HDEL', KEYS[1], ARGV[1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return redis.call('PEXPIRE', KEYS[1], ARGV[3])
`);

const LIST = script("return redis.call('HVALS', KEYS[1])");

const fieldOf = ({ channelId, keyId, model }: BreakerKey): string =>
  JSON.stringify([channelId, keyId, model]);

/**
 * Circuits over all instances: changes are published, and open circuits are also stored, for instances that start later
 * or were cut off. `apply` takes over a change of another instance.
 */
export class RedisCircuits implements CircuitSharing {
  readonly #stored: string;
  /** Circuits that this instance has opened, by field. `until`: wall-clock milliseconds of the next probe. */
  readonly #opened = new Map<string, { message: string; until: number }>();
  #listing: NodeJS.Timeout | undefined;

  constructor(
    private readonly link: Pick<
      RedisLink,
      "isPrompt" | "isUp" | "onListening" | "onUp" | "prefix" | "run" | "subscribe"
    >,
    private readonly clock: Clock,
    private readonly instanceId: string,
    private readonly apply: (key: BreakerKey, health: CircuitHealth) => void,
  ) {
    this.#stored = `${link.prefix}circuits`;
    link.subscribe(CHANNEL, (message) => this.#receive(message));
    link.onListening(() => void this.#list());
    link.onUp(() => {
      this.#publishOpened();
      void this.#list();
    });
  }

  changed(key: BreakerKey, { openedAt, reason, waitMs }: CircuitHealth): void {
    const until = this.clock.now() + waitMs;
    const open = openedAt === null || reason === null ? null : { openedAt, reason, until };
    const change: z.input<typeof Change> = { from: this.instanceId, ...key, open };
    const message = JSON.stringify(change);
    const field = fieldOf(key);
    this.#forgetHalfOpen();
    if (open === null) this.#opened.delete(field);
    else this.#opened.set(field, { message, until });
    this.#storeAndPublish(field, open === null ? "" : message, message);
  }

  async claimProbe(keys: readonly BreakerKey[]): Promise<boolean> {
    const { isPrompt } = this.link;
    const answer = this.link.run(CLAIM, this.#probeKeys(keys), [this.instanceId, String(PROBE_LEASE_MS)]);
    // The claim is always sent; while Redis answers late, the request does not wait for the answer.
    return !isPrompt || (await answer) !== 0;
  }

  releaseProbe(key: BreakerKey): void {
    void this.link.run(RELEASE, this.#probeKeys([key]), [this.instanceId]);
  }

  #probeKeys(keys: readonly BreakerKey[]): string[] {
    return keys.map((key) => `${this.link.prefix}{${key.channelId}}:probe:${fieldOf(key)}`);
  }

  #receive(message: string): void {
    const change = changeIn(message);
    if (change === null || change.from === this.instanceId) return;
    const { channelId, keyId, model, open } = change;
    const key = { channelId, keyId, model };
    if (open === null) {
      this.#opened.delete(fieldOf(key));
      this.apply(key, CLOSED);
      return;
    }
    const { openedAt, reason, until } = open;
    const now = this.clock.now();
    const waitMs = Math.min(MAX_WAIT_MS, Math.max(0, until - now));
    this.apply(key, {
      state: waitMs > 0 ? "open" : "half_open",
      openedAt,
      openMs: Math.max(0, now - openedAt),
      reason,
      waitMs,
      idleMs: Math.max(0, now - until),
    });
  }

  /** `value`: empty for a closed circuit. */
  #storeAndPublish(field: string, value: string, message: string): void {
    const channel = `${this.link.prefix}${CHANNEL}`;
    void this.link.run(STORE_AND_PUBLISH, [this.#stored], [field, value, String(TTL_MS), channel, message]);
  }

  /** Repeats the circuits that this instance opened: Redis may have been lost then, or may have lost its data since. */
  #publishOpened(): void {
    this.#forgetHalfOpen();
    for (const [field, { message }] of this.#opened) this.#storeAndPublish(field, message, message);
  }

  /** Forgets the circuits that are half-open by now: another instance may have closed them. */
  #forgetHalfOpen(): void {
    for (const [field, { until }] of this.#opened) if (until <= this.clock.now()) this.#opened.delete(field);
  }

  /** Takes over the open circuits of other instances. */
  async #list(): Promise<void> {
    clearTimeout(this.#listing);
    const values = await this.link.run(LIST, [this.#stored], []);
    if (Array.isArray(values)) for (const value of values) this.#receive(String(value));
    // While Redis is down nothing is planned: `onUp` lists again.
    else if (this.link.isUp) this.#listing = setTimeout(() => void this.#list(), LIST_RETRY_MS).unref();
  }
}
