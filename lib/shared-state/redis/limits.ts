import type { Clock } from "../../ports/clock";
import type {
  BucketLimit,
  EntryRequest,
  EntryResult,
  RateLimiter,
  RateRequest,
  RateState,
  SharedLimits,
} from "../../ports/shared-state";
import type { StopSignal } from "../../ports/stop-signal";
import type { Metrics } from "../../ports/telemetry";
import { type LocalLimiter, leastOfAddress } from "../memory-limits";
import { ENTER } from "./limit-scripts";
import type { RedisLink } from "./link";
import { SlotLeases, SlotQueues } from "./slots";

/** A slot whose lease is not renewed is free after this long: its instance has crashed. */
const LEASE_MS = 20_000;
const UNLIMITED = Number.MAX_SAFE_INTEGER;
const NO_SLOTS: readonly BucketLimit[] = [];

interface RedisLimitsOptions {
  link: Pick<RedisLink, "isPrompt" | "isUp" | "onUp" | "post" | "prefix" | "run">;
  clock: Clock;
  metrics: Pick<Metrics, "count">;
  instanceId: string;
  /** The limits of this process; they also count what Redis admits, so that its share applies at once without Redis. */
  local: LocalLimiter & RateLimiter;
  /** Number of running instances, at least 1. */
  liveInstances(): number;
  /** Default: 20 s. */
  leaseMs?: number | undefined;
}

function statesIn(reply: readonly unknown[]): RateState[] {
  const states: RateState[] = [];
  for (let at = 2; at + 3 < reply.length; at += 4) {
    const [allowed, remaining, resetMs, retryAfterMs] = reply.slice(at, at + 4).map(Number);
    states.push({
      allowed: allowed === 1,
      remaining: remaining ?? 0,
      resetMs: resetMs ?? 0,
      retryAfterMs: retryAfterMs ?? 0,
    });
  }
  return states;
}

/**
 * Limits over all instances, kept in Redis by atomic scripts; everything in it expires automatically. While Redis does
 * not answer in time, each instance applies its share: the limit divided by the live instances, at least 1.
 */
export class RedisLimits implements SharedLimits {
  readonly #own: SharedLimits;
  readonly #leaseMs: number;
  readonly #leases: SlotLeases;
  readonly #queues = new SlotQueues();
  #lastMember = 0;

  constructor(private readonly options: RedisLimitsOptions) {
    this.#own = options.local.shared;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#leases = new SlotLeases(options.link, this.#leaseMs, (key) => this.#queues.wake(key));
  }

  take(owner: string, rates: readonly RateRequest[], windowMs: number) {
    const takeShare = () => {
      this.options.metrics.count("redis_fallbacks");
      return this.#own.take(owner, this.#shareOf(rates), windowMs);
    };
    if (!this.options.link.isPrompt) return takeShare();
    return this.#enterInRedis({ owner, slots: NO_SLOTS, rates, windowMs }, "").then((entry) =>
      entry === null || entry.kind === "full"
        ? takeShare()
        : { allowed: entry.kind === "entered", states: entry.states },
    );
  }

  takeForAddress(bucket: string, limit: number, windowMs: number) {
    const { link, local, metrics } = this.options;
    const share = (): RateState => {
      metrics.count("redis_fallbacks");
      const [one = { bucket, limit }] = this.#shareOf([{ bucket, limit }]);
      return local.takeForAddress(bucket, Math.max(one.limit, leastOfAddress(limit)), windowMs);
    };
    if (!link.isPrompt) return share();
    const keys = [this.#rateKey(bucket, "address")];
    const args = ["0", "1", String(this.#leaseMs), "", String(windowMs), String(limit), "1"];
    return link.run(ENTER, keys, args).then((reply) => {
      const [state] = Array.isArray(reply) ? statesIn(reply) : [];
      if (state?.allowed) local.takeForAddress(bucket, UNLIMITED, windowMs);
      return state ?? share();
    });
  }

  enter(request: EntryRequest): EntryResult | Promise<EntryResult> {
    if (this.options.link.isPrompt) return this.#enterNow(request);
    const entry = this.#own.enter(this.#shareOfRequest(request));
    return entry instanceof Promise ? entry : this.#withLeases(request, entry, this.#newMember());
  }

  async enterOrWait(request: EntryRequest, until: number, signal: StopSignal): Promise<EntryResult> {
    const { link, clock } = this.options;
    if (!link.isUp) return this.#enterShareOrWait(request, until, signal);
    let entry = await this.#enterNow(request);
    const full = entry.kind === "full" ? request.slots[entry.index] : undefined;
    if (full === undefined) return entry;
    const leftMs = () => until - clock.monotonic();
    const entered = await this.#queues.wait(
      this.#slotKey(request.owner, full.bucket),
      leftMs,
      signal,
      async () => {
        if (!link.isUp) return this.#enterShareOrWait(request, until, signal);
        entry = await this.#enterNow(request);
        return entry.kind === "full" ? null : entry;
      },
    );
    return entered ?? entry;
  }

  /** Ends the renewal of leases. */
  close(): void {
    this.#leases.close();
  }

  #slotKey(owner: string, bucket: string): string {
    return `${this.options.link.prefix}{${owner}}:slots:${bucket}`;
  }

  #rateKey(owner: string, bucket: string): string {
    return `${this.options.link.prefix}{${owner}}:rate:${bucket}`;
  }

  #newMember(): string {
    this.#lastMember += 1;
    return `${this.options.instanceId}:${this.#lastMember}`;
  }

  #shareOf<L extends BucketLimit>(limits: readonly L[]): L[] {
    const instances = Math.max(1, this.options.liveInstances());
    return limits.map((one) => ({ ...one, limit: Math.max(1, Math.floor(one.limit / instances)) }));
  }

  #shareOfRequest(request: EntryRequest): EntryRequest {
    this.options.metrics.count("redis_fallbacks");
    return { ...request, slots: this.#shareOf(request.slots), rates: this.#shareOf(request.rates) };
  }

  #withLeases({ owner, slots }: EntryRequest, entry: EntryResult, member: string): EntryResult {
    const keys = slots.map(({ bucket }) => this.#slotKey(owner, bucket));
    return this.#leases.add(keys, entry, member);
  }

  async #enterNow(request: EntryRequest): Promise<EntryResult> {
    const member = this.#newMember();
    const { isPrompt } = this.options.link;
    const shared = isPrompt ? await this.#enterInRedis(request, member) : null;
    const entry = shared ?? (await this.#own.enter(this.#shareOfRequest(request)));
    // The script may have taken slots although its answer came too late.
    if (isPrompt && shared === null && entry.kind !== "entered")
      for (const { bucket } of request.slots)
        this.#leases.release(this.#slotKey(request.owner, bucket), member);
    return this.#withLeases(request, entry, member);
  }

  async #enterShareOrWait(request: EntryRequest, until: number, signal: StopSignal): Promise<EntryResult> {
    const entry = await this.#own.enterOrWait(this.#shareOfRequest(request), until, signal);
    return this.#withLeases(request, entry, this.#newMember());
  }

  /** Enters in Redis; null when it did not answer. */
  async #enterInRedis(request: EntryRequest, member: string): Promise<EntryResult | null> {
    const { owner, slots, rates, windowMs } = request;
    const reply = await this.options.link.run(
      ENTER,
      [
        ...slots.map(({ bucket }) => this.#slotKey(owner, bucket)),
        ...rates.map(({ bucket }) => this.#rateKey(owner, bucket)),
      ],
      [
        String(slots.length),
        String(rates.length),
        String(this.#leaseMs),
        member,
        String(windowMs),
        ...slots.map(({ limit }) => String(limit)),
        ...rates.flatMap(({ limit, cost }) => [String(limit), String(cost)]),
      ],
    );
    if (!Array.isArray(reply)) return null;
    const [outcome, index] = reply;
    if (outcome === 1) return { kind: "full", index: Number(index) };
    const states = statesIn(reply);
    return outcome === 2 ? { kind: "limited", states } : this.#countLocally(request, states);
  }

  /** Counts in the limits of this process what Redis has admitted. */
  #countLocally({ slots, rates, windowMs }: EntryRequest, states: readonly RateState[]): EntryResult {
    const { local } = this.options;
    for (const { bucket, cost } of rates) if (cost > 0) local.take(bucket, UNLIMITED, windowMs, cost);
    const leaves = slots.flatMap(({ bucket }) => local.enter(bucket, UNLIMITED) ?? []);
    return {
      kind: "entered",
      states,
      leave() {
        for (const leave of leaves) leave();
      },
    };
  }
}
