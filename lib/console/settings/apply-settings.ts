import type { OpenSettings } from "../../contracts/console/settings";
import type { Random } from "../../ports/clock";
import type { Repositories } from "../../ports/store";
import { requireSignedInOperator } from "../access/guards";
import { readSettings } from "../access/read-settings";
import { recordAudit } from "../audit/record";
import type { ConsoleContext, ConsoleServices } from "../context";
import { readMetricsToken } from "./metrics-token";

/** Setting with the generation of the cached results; a process whose own differs clears its caches. */
const SETTING = "cache_clearings";
/** Random numbers of this length are safe integers and never repeat in practice. */
const GENERATION_BYTES = 6;

/**
 * The stored generation: 0 before the first clearing; a small number if an earlier version, which counted, stored it.
 */
async function readGeneration(store: Pick<Repositories, "settings">): Promise<number> {
  const stored = (await store.settings.all())[SETTING];
  return typeof stored === "number" ? stored : 0;
}

/**
 * Starts a generation with a random number that no other state of the store has, so that no process finds results of
 * another generation, even after a backup was restored.
 */
export async function renewCacheGeneration(
  tx: Pick<Repositories, "settings">,
  random: Random,
): Promise<void> {
  const bytes = Buffer.from(random.bytes(GENERATION_BYTES));
  await tx.settings.put(SETTING, bytes.readUIntBE(0, GENERATION_BYTES));
}

/** Clears cached vectors and speech, here at once and in other processes within a second. Throws `forbidden`. */
export async function clearCaches(ctx: ConsoleContext): Promise<void> {
  await requireSignedInOperator(ctx);
  await ctx.store.transaction(async (tx) => {
    await renewCacheGeneration(tx, ctx.random);
    await recordAudit(tx, ctx, { action: "caches.clear" });
  });
  await ctx.instance.refreshSettings?.();
}

const RETRY_MS = 1_000;
const MEGABYTE = 1024 * 1024;

type SettingsServices = Pick<ConsoleServices, "store" | "clock" | "log" | "metrics" | "instance" | "state">;

function applyCaches(services: SettingsServices, { caches }: OpenSettings): void {
  const { vectorCache, speechCache } = services.state;
  vectorCache.resize(caches.embeddings_mb * MEGABYTE);
  speechCache.resize(caches.speech_mb * MEGABYTE);
}

/**
 * Applies the stored settings in this process, now and after every change by any process. The values that `instance`
 * has at the call, from the environment, remain the base that settings override.
 */
export async function applyStoredSettings(services: SettingsServices): Promise<void> {
  const { store, instance, log } = services;
  const { limits } = instance;
  const base = { passwordMinimum: instance.passwordMinimum, limits: { ...limits } };
  instance.base = base;
  let generation = await readGeneration(store);
  const setGeneration = (): void => {
    services.state.cacheGeneration = generation;
    services.state.sharedCache?.setGeneration(generation);
  };
  setGeneration();

  const apply = async (): Promise<void> => {
    const settings = await readSettings(store);
    Object.assign(limits, base.limits, settings.limits);
    instance.passwordMinimum = Math.max(base.passwordMinimum, settings.password_minimum ?? 0);
    instance.keepsPrompts = settings.keep_prompts;
    instance.sharesCaches = settings.share_caches;
    instance.corsOrigins = new Set(settings.cors_origins);
    instance.metricsTokenDigest = (await readMetricsToken(store))?.digest ?? null;
    applyCaches(services, settings);
    const stored = await readGeneration(store);
    if (stored === generation) return;
    generation = stored;
    setGeneration();
    services.state.vectorCache.clear();
    services.state.speechCache.clear();
  };
  // In sequence, so that the settings read last are the ones applied.
  let last: Promise<void> = Promise.resolve();
  const refresh = (): Promise<void> => {
    last = last.catch(() => undefined).then(apply);
    return last;
  };
  let retry: NodeJS.Timeout | null = null;
  const refreshOrRetry = (): Promise<void> =>
    refresh().catch((error: unknown) => {
      // The store is unavailable: the present settings stay in force until it can be read.
      log.warn("settings_not_read", { cause: String(error) });
      if (retry !== null) return;
      retry = setTimeout(() => {
        retry = null;
        void refreshOrRetry();
      }, RETRY_MS).unref();
    });
  instance.refreshSettings = refreshOrRetry;
  // Before the first read, so that no change after it is missed.
  store.onChange((topics) => {
    if (topics.has("settings")) void refreshOrRetry();
  });
  await refresh();
}
