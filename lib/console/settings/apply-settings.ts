import type { OpenSettings } from "../../contracts/console/settings";
import { DEFAULT_LIMITS } from "../../contracts/limits";
import { readSettings } from "../access/read-settings";
import type { ConsoleServices } from "../context";
import { readClearings } from "./clear-caches";
import { readMetricsToken } from "./metrics-token";

const RETRY_MS = 1_000;
const MEGABYTE = 1024 * 1024;

type Followed = Pick<ConsoleServices, "store" | "clock" | "log" | "metrics" | "instance" | "state">;

function applyCaches(services: Followed, { caches }: OpenSettings): void {
  const { vectors, speeches } = services.state;
  vectors.resize(caches.embeddings_mb * MEGABYTE);
  speeches.resize(caches.speech_mb * MEGABYTE);
}

/**
 * Lets the stored settings take effect in this process: now, and after every change of them wherever it was made.
 * What the environment gave (`instance` as it is handed over) stays the base under them.
 */
export async function applyStoredSettings(services: Followed): Promise<void> {
  const { store, instance, log } = services;
  const base = {
    passwordMinimum: instance.passwordMinimum,
    limits: { ...(instance.limits ?? DEFAULT_LIMITS) },
  };
  // Everybody who reads a limit holds this one object.
  const limits = instance.limits ?? { ...DEFAULT_LIMITS };
  instance.limits = limits;
  instance.base = base;
  let clearings = await readClearings(store);

  const apply = async (): Promise<void> => {
    const settings = await readSettings(store);
    Object.assign(limits, base.limits, settings.limits);
    instance.passwordMinimum = Math.max(base.passwordMinimum, settings.password_minimum ?? 0);
    instance.keepsPrompts = settings.keep_prompts;
    instance.sharesCaches = settings.share_caches;
    instance.corsOrigins = new Set(settings.cors_origins);
    instance.metricsTokenDigest = (await readMetricsToken(store))?.digest ?? null;
    applyCaches(services, settings);
    const asked = await readClearings(store);
    if (asked === clearings) return;
    clearings = asked;
    const { vectors, speeches } = services.state;
    vectors.clear();
    speeches.clear();
  };
  // One after another, so that what was read last is what stands.
  let last: Promise<void> = Promise.resolve();
  const refresh = (): Promise<void> => {
    last = last.catch(() => undefined).then(apply);
    return last;
  };
  const refreshOrRetry = (): void => {
    refresh().catch((error: unknown) => {
      // The store is away: what stood goes on until it can be read.
      log.warn("settings_not_read", { cause: String(error) });
      setTimeout(refreshOrRetry, RETRY_MS).unref();
    });
  };
  instance.refreshSettings = refresh;
  await refresh();
  store.onChange((topics) => {
    if (topics.has("settings")) refreshOrRetry();
  });
}
