import type { CacheFigures, InstanceFacts } from "../../contracts/console/settings";
import { toTimestamp } from "../../contracts/timestamp";
import type { ByteCache } from "../../gateway/byte-cache";
import { requireSignedInAdmin } from "../access/guards";
import type { ConsoleContext, ConsoleServices } from "../context";
import { readMetricsToken } from "./metrics-token";

function figuresOf(cache: ByteCache<object>): CacheFigures {
  const { limitBytes, ...figures } = cache.stats();
  return { limit_bytes: limitBytes, ...figures };
}

/** Instance facts for administrators. Throws `forbidden`. */
export async function readInstanceFacts(ctx: ConsoleContext): Promise<InstanceFacts> {
  requireSignedInAdmin(ctx);
  return instanceFacts(ctx);
}

/** The values that settings override (from the environment, else the defaults), and current values of this process. */
export async function instanceFacts(services: ConsoleServices): Promise<InstanceFacts> {
  const { instance, store, metrics } = services;
  const made = await readMetricsToken(store);
  const isOfEnvironment = Boolean(metrics.exposition?.token);
  const { vectorCache, speechCache } = services.state;
  return {
    version: instance.version,
    base_url: instance.baseUrl ?? null,
    store: store.kind,
    time_zone: instance.timeZone,
    password_minimum: instance.base?.passwordMinimum ?? instance.passwordMinimum,
    upstream_allow: [...new Set(instance.upstreamAllow)],
    base_limits: instance.base?.limits ?? instance.limits,
    caches: { embeddings: figuresOf(vectorCache), speech: figuresOf(speechCache) },
    metrics: {
      token: isOfEnvironment ? "environment" : made === null ? null : "console",
      made_at: isOfEnvironment || made === null ? null : toTimestamp(made.madeAt),
    },
  };
}
