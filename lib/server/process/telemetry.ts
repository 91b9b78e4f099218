import { setTimeout } from "node:timers/promises";
import type { Attributes, Span } from "@opentelemetry/api";
import type { MeterProvider } from "@opentelemetry/sdk-metrics";
import type { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { Clock } from "../../ports/clock";
import type { AttemptTrace, UsageRecord } from "../../ports/store";
import type { CalledChannel, Log, MetricName, Metrics, RequestTrace, Tracing } from "../../ports/telemetry";

/**
 * Traces and metrics over OTLP. Its packages are loaded only when OTEL_EXPORTER_OTLP_ENDPOINT is set; the SDK reads
 * that variable and the other OTEL_* ones (headers, sampler, service name, intervals) itself.
 *
 * Names and attributes follow the GenAI semantic conventions
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/, gen-ai-metrics/). Prompts and replies are never
 * attributes.
 */

/** Longer values are cut: spans wait in memory for their export. */
const MAX_ATTRIBUTE_LENGTH = 512;

/** `00-<trace ID>-<parent ID>-<flags>` (https://www.w3.org/TR/trace-context/#traceparent-header). */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

type Api = typeof import("@opentelemetry/api");

/** The OpenTelemetry context of the caller's span; the root context without a valid one. */
function parentContext({ context, trace }: Api, traceparent: string | undefined) {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return context.active();
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(context.active(), { traceId, spanId, traceFlags, isRemote: true });
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Names of our providers in the conventions, where they differ from ours. */
const PROVIDERS: Readonly<Record<string, string>> = { gemini: "gcp.gemini" };

/** `gen_ai.provider.name`, which is required. Requests that call no channel are answered by Patchbay itself. */
function providerName(channel: CalledChannel | null): string {
  if (channel === null) return "patchbay";
  return PROVIDERS[channel.provider] ?? channel.provider;
}

/** Attributes of a call that spans and metrics share; `model` is its public name. */
function callAttributes(
  { operation, model, error }: { operation: string; model: string; error: string | null },
  channel: CalledChannel | null,
): Attributes {
  const attributes: Attributes = {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": providerName(channel),
    "gen_ai.request.model": model,
  };
  if (channel !== null && error === null) attributes["gen_ai.response.model"] = channel.upstreamModel;
  return attributes;
}

function entryAttributes(entry: UsageRecord, channel: CalledChannel | null): Attributes {
  return {
    ...callAttributes(entry, channel),
    "gen_ai.usage.input_tokens": entry.inputTokens,
    "gen_ai.usage.output_tokens": entry.outputTokens,
    "http.response.status_code": entry.status,
    "patchbay.request_id": entry.requestId,
    "patchbay.attempts": entry.attempts,
    "patchbay.cached": entry.cached,
    "patchbay.cost_usd": entry.costNano / 1e9,
  };
}

function attemptAttributes(
  { operation, model }: UsageRecord,
  attempt: AttemptTrace,
  channel: CalledChannel | null,
): Attributes {
  const asked = channel?.upstreamModel ?? model;
  return {
    ...callAttributes({ operation, model: asked, error: attempt.error }, channel),
    "patchbay.channel": channel?.name ?? attempt.channelId,
    ...(attempt.upstreamStatus === null ? {} : { "http.response.status_code": attempt.upstreamStatus }),
    ...(attempt.firstByteMs === null
      ? {}
      : { "patchbay.first_byte_ms": attempt.firstByteMs - attempt.startedMs }),
  };
}

function createTracing(api: Api, provider: NodeTracerProvider): Tracing {
  const { context, trace, SpanKind, SpanStatusCode } = api;
  function endSpan(span: Span, error: string | null, endTime: number, attributes: Attributes): void {
    span.setAttributes(attributes);
    if (error !== null) {
      span.setAttribute("error.type", error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(endTime);
  }
  const tracer = provider.getTracer("patchbay");
  return {
    begin(traceparent): RequestTrace {
      const startedAt = Date.now();
      const server = tracer.startSpan(
        "request",
        { kind: SpanKind.SERVER, startTime: startedAt },
        parentContext(api, traceparent),
      );
      const attempts: Span[] = [];
      const { traceId } = server.spanContext();
      return {
        traceId,
        nextAttempt() {
          // A request that is not sampled has no spans of attempts: the upstream gets the request's own span as parent.
          if (!server.isRecording()) return traceparentOf(server);
          const inServer = trace.setSpan(context.active(), server);
          const attempt = tracer.startSpan("attempt", { kind: SpanKind.CLIENT }, inServer);
          attempts.push(attempt);
          return traceparentOf(attempt);
        },
        refused(model, status, error) {
          if (!server.isRecording()) return;
          endSpan(server, error, Date.now(), {
            "http.response.status_code": status,
            "gen_ai.provider.name": providerName(null),
            ...(model === null ? {} : { "gen_ai.request.model": model }),
          });
        },
        settled(entry, channelOf) {
          if (!server.isRecording()) return;
          for (const [index, attempt] of (entry.trace?.attempts ?? []).entries()) {
            const span = attempts[index];
            if (span === undefined) continue;
            const channel = channelOf(attempt.channelId);
            span.updateName(`${entry.operation} ${channel?.upstreamModel ?? entry.model}`);
            const endTime = startedAt + (attempt.endedMs ?? entry.latencyMs);
            endSpan(span, attempt.error, endTime, attemptAttributes(entry, attempt, channel));
          }
          const channel = entry.channelId === null ? null : channelOf(entry.channelId);
          server.updateName(`${entry.operation} ${entry.model}`);
          endSpan(server, entry.error, Date.now(), entryAttributes(entry, channel));
        },
      };
    },
  };
}

/** Seconds, as the conventions give them; the SDK's own boundaries are for milliseconds. */
const DURATION_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const FIRST_TOKEN_BUCKETS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** Records in `metrics` and in OpenTelemetry's instruments. Counters are read when they are exported. */
function withInstruments(metrics: Metrics, provider: MeterProvider): Metrics {
  const meter = provider.getMeter("patchbay");
  const duration = meter.createHistogram("gen_ai.server.request.duration", {
    unit: "s",
    advice: { explicitBucketBoundaries: DURATION_BUCKETS },
  });
  const firstByte = meter.createHistogram("gen_ai.server.time_to_first_token", {
    unit: "s",
    advice: { explicitBucketBoundaries: FIRST_TOKEN_BUCKETS },
  });
  const rejected = meter.createCounter("patchbay.rejected");
  const totals = new Map<MetricName, number>();
  return {
    ...metrics,
    observeCall(call) {
      metrics.observeCall(call);
      // Assigned, because spreading costs microseconds on every call.
      const attributes = callAttributes(call, call.channel);
      attributes["patchbay.channel"] = call.channel?.name ?? "";
      attributes["http.response.status_code"] = call.status;
      if (call.error !== null) attributes["error.type"] = call.error;
      duration.record(call.seconds, attributes);
      if (call.firstByteSeconds !== null) firstByte.record(call.firstByteSeconds, attributes);
    },
    countRejection(surface, code) {
      metrics.countRejection(surface, code);
      rejected.add(1, { "patchbay.surface": surface, "error.type": code });
    },
    count(name, value = 1) {
      metrics.count(name, value);
      const total = totals.get(name);
      totals.set(name, (total ?? 0) + value);
      if (total === undefined)
        meter
          .createObservableCounter(`patchbay.${name}`)
          .addCallback((result) => result.observe(totals.get(name) ?? 0));
    },
  };
}

/** Time that exports may take at the end: a collector that cannot be reached must not delay a stop. */
const CLOSE_MS = 3_000;
const REPORT_MS = 60_000;

/** Logs the SDK's warnings, such as exports that failed, at most one a minute. */
function reportFailures({ diag, DiagLogLevel }: Api, log: Log, clock: Clock): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (...words: unknown[]) => {
    if (clock.monotonic() - reportedAt < REPORT_MS) return;
    reportedAt = clock.monotonic();
    log.warn("telemetry_failed", { cause: words.map(String).join(" ") });
  };
  const ignore = () => undefined;
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

interface Telemetry {
  tracing: Tracing;
  metrics: Metrics;
  /** Exports what is waiting, for 3 s at most, then stops. */
  close(): Promise<void>;
}

/** Starts the export. `instance`: what the resource attributes `service.*` name. */
export async function startTelemetry(
  metrics: Metrics,
  instance: { id: string; version: string },
  { metricIntervalMs }: { metricIntervalMs: number },
  log: Log,
  clock: Clock,
): Promise<Telemetry> {
  const [api, resources, tracing, metering, traceExport, metricExport] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/sdk-metrics"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/exporter-metrics-otlp-http"),
  ]);
  reportFailures(api, log, clock);
  const own = resources.resourceFromAttributes({
    "service.name": "patchbay",
    "service.version": instance.version,
    "service.instance.id": instance.id,
  });
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence over ours.
  const given = resources.detectResources({ detectors: [resources.envDetector] });
  const resource = resources.defaultResource().merge(own).merge(given);
  const spanProcessors = [new tracing.BatchSpanProcessor(new traceExport.OTLPTraceExporter())];
  const readers = [
    new metering.PeriodicExportingMetricReader({
      exporter: new metricExport.OTLPMetricExporter(),
      exportIntervalMillis: metricIntervalMs,
      exportTimeoutMillis: Math.min(metricIntervalMs, 10_000),
    }),
  ];
  const traces = new tracing.NodeTracerProvider({
    resource,
    spanProcessors,
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
  });
  const meters = new metering.MeterProvider({ resource, readers });
  return {
    tracing: createTracing(api, traces),
    metrics: withInstruments(metrics, meters),
    async close() {
      await Promise.race([
        Promise.allSettled([traces.shutdown(), meters.shutdown()]),
        setTimeout(CLOSE_MS, undefined, { ref: false }),
      ]);
    },
  };
}
