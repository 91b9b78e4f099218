import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import type { Instance } from "../../ports/instance";
import type { MetricName, Metrics } from "../../ports/telemetry";
import type { ClusterMember } from "./cluster-member";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

const COUNTERS = {
  login_failures: "Sign-ins and password resets refused for a wrong password or code",
  rate_limited: "Requests, sign-ins included, refused by a limit of rate, concurrency or size",
  cache_hits: "Calls answered from the cache",
  cache_misses: "Calls the cache could not answer",
  shared_cache_hits: "Calls answered from the cache with values that only the shared cache in Redis had",
  shared_cache_misses: "Calls whose missing values the shared cache did not have, either",
  usage_rows: "Usage rows written",
  upstream_batches: "Upstream embedding calls made for batched texts",
  batched_texts: "Texts sent in batched upstream calls",
  idempotent_repeats:
    "Requests answered with the stored reply of an earlier request with the same Idempotency-Key",
  redis_fallbacks: "Limits decided by this instance's share because Redis did not answer",
  redis_outages: "Times the circuit breaker in front of Redis opened",
} as const satisfies Record<MetricName, string>;

/** The metrics of all processes of this server, distinguished by the labels `process` and `instance_id`. */
async function renderAll(member: Pick<ClusterMember, "collect">): Promise<string> {
  // Each list is what getMetricsAsJSON returned in a process of the same program.
  const parts = (await member.collect()) as MetricObjectWithValues<MetricValue<string>>[][];
  // No two processes share a series, so `first` keeps all of them; with its own aggregator "omit",
  // process_start_time_seconds would be left out.
  const series = parts.map((part) => part.map((metric) => ({ ...metric, aggregator: "first" as const })));
  return AggregatorRegistry.aggregate(series).metrics();
}

/** Calls, and how long they took. Labels are names of existing models and channels, so their number is bounded. */
function createCallMetrics(registers: Registry[]) {
  const labelNames = ["operation", "model", "channel"];
  return {
    calls: new Counter({
      name: "patchbay_calls_total",
      help: "Admitted gateway calls by operation, model, channel and status",
      labelNames: [...labelNames, "status"],
      registers,
    }),
    latency: new Histogram({
      name: "patchbay_call_seconds",
      help: "Time from arrival to the last byte",
      labelNames,
      buckets: SECONDS,
      registers,
    }),
    firstByte: new Histogram({
      name: "patchbay_first_byte_seconds",
      help: "Time from arrival to the first byte",
      labelNames,
      buckets: SECONDS,
      registers,
    }),
  };
}

interface MetricsSettings {
  /** Guards /metrics; null: only loopback may read. */
  token: string | null;
  instance: Pick<Instance, "id" | "version">;
  /** Number of gateway requests being answered. */
  inFlight(): number;
  /** Null without Redis. */
  isRedisUp: (() => boolean) | null;
  member: Pick<ClusterMember, "index" | "collect" | "handlers"> | null;
}

/** Adds the gauges; their values are read when the metrics are collected. */
function addGauges(registers: Registry[], { instance, inFlight, isRedisUp }: MetricsSettings): void {
  new Gauge({
    name: "patchbay_instance_info",
    help: "A process of this server: its ID in the list of instances, and its version",
    labelNames: ["instance_id", "version"],
    registers,
  }).set({ instance_id: instance.id, version: instance.version }, 1);
  new Gauge({
    name: "patchbay_requests_in_flight",
    help: "Gateway requests being answered",
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  if (isRedisUp === null) return;
  new Gauge({
    name: "patchbay_redis_up",
    help: "1 while limits are shared through Redis, 0 while this instance applies its share",
    registers,
    collect() {
      this.set(isRedisUp() ? 1 : 0);
    },
  });
}

export function createMetrics(settings: MetricsSettings): Metrics {
  const { token, member } = settings;
  const registry = new Registry();
  if (member !== null) {
    // A scrape reaches one of the processes, and gets the metrics of all of them.
    // A process that drains and its replacement have the same index; their counters must not be summed.
    registry.setDefaultLabels({ process: String(member.index), instance_id: settings.instance.id });
    member.handlers.measure = () => registry.getMetricsAsJSON();
  }
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const { calls, latency, firstByte } = createCallMetrics(registers);
  addGauges(registers, settings);
  const rejected = new Counter({
    name: "patchbay_rejected_total",
    help: "Gateway calls that failed before any channel was chosen, by API and error code",
    labelNames: ["surface", "code"],
    registers,
  });
  const counters = new Map(
    Object.entries(COUNTERS).map(([name, help]) => [
      name,
      new Counter({ name: `patchbay_${name}_total`, help, registers }),
    ]),
  );
  return {
    observeCall({ operation, model, channel, status, seconds, firstByteSeconds }) {
      const labels = { operation, model, channel: channel?.name ?? "" };
      calls.inc({ operation, model, channel: labels.channel, status });
      latency.observe(labels, seconds);
      if (firstByteSeconds !== null) firstByte.observe(labels, firstByteSeconds);
    },
    countRejection: (surface, code) => rejected.inc({ surface, code }),
    count: (name, value = 1) => counters.get(name)?.inc(value),
    exposition: {
      token,
      contentType: registry.contentType,
      render: () => (member === null ? registry.metrics() : renderAll(member)),
    },
  };
}
