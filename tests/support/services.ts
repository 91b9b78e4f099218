import { randomBytes } from "node:crypto";
import path from "node:path";
import type { ConsoleServices } from "../../lib/console/context";
import { applyStoredSettings } from "../../lib/console/settings/apply-settings";
import { DEFAULT_LIMITS, type Limits } from "../../lib/contracts/limits";
import { createCatalog } from "../../lib/gateway/admission/catalog";
import { createGatewayState, forgetChannel } from "../../lib/gateway/state";
import type { Cipher } from "../../lib/ports/cipher";
import type { Store } from "../../lib/ports/store";
import { createProviders } from "../../lib/providers/registry";
import { followAllowedUpstreams } from "../../lib/server/process/allowed-upstreams";
import { createPasswordHasher } from "../../lib/server/process/password-hasher";
import { openAuditChain } from "../../lib/server/process/secret-check";
import { createSetupGuard } from "../../lib/server/process/setup-guard";
import { createBackups, createSpool } from "../../lib/server/process/temporary-files";
import { packageFolder, workerFile } from "../../lib/server/process/workers";
import { createRateLimiter } from "../../lib/shared-state/memory-limits";
import { createCipher } from "../../lib/store/cipher";
import { cheapArgon2 } from "./cheap-argon2";
import { FakeClock } from "./factories";
import { borrowStore, openStoreIn } from "./store-pool";

interface TestServicesOptions {
  /** `PATCHBAY_UPSTREAM_ALLOW`. */
  upstreamAllow?: string[];
  /** `PATCHBAY_WEBHOOK_ALLOW`. */
  webhookAllow?: string[];
  /** A folder that the caller removes; default: the folder of an empty store from the pool, which `close()` clears. */
  dataDirectory?: string;
  /** Used instead of opening the store in `dataDirectory`. */
  store?: Store;
  limits?: Partial<Limits>;
  setupToken?: string;
  passwordMinimum?: number;
  secret?: string;
  /** The real argon2, for stores that the admin command writes to as well. */
  realHasher?: boolean;
  /** Used instead of a cipher made from `secret`. */
  cipher?: Cipher;
}

export interface TestServices extends ConsoleServices {
  clock: FakeClock;
  dataDirectory: string;
  /** Token for setup from another machine. */
  setupToken: string | null;
  /** Everything logged, as text. */
  logged: string[];
  close(): Promise<void>;
}

/** ConsoleServices over a real SQLite store in its own folder, with a fixed clock and the real providers. */
export async function testServices(options: TestServicesOptions = {}): Promise<TestServices> {
  const clock = new FakeClock();
  const { store, dataDirectory } =
    options.dataDirectory === undefined
      ? await borrowStore(clock)
      : {
          store: options.store ?? (await openStoreIn(options.dataDirectory, clock)),
          dataDirectory: options.dataDirectory,
        };
  const guard = createSetupGuard({
    dataDirectory,
    fixedToken: options.setupToken ?? null,
    isSetUp: await store.setup.isSetUp(),
  });
  guard.publishToken();
  const logged: string[] = [];
  const log = (event: string, fields?: Record<string, unknown>) => {
    logged.push(JSON.stringify({ event, ...fields }));
  };
  const noProvider = () => {
    throw new Error("These services have no providers.");
  };
  const cipher =
    options.cipher ??
    createCipher({ current: options.secret ?? "a secret of the tests, long enough", previous: [] });
  await openAuditChain(store, cipher, clock);
  const allowed = followAllowedUpstreams(store, options.upstreamAllow ?? []);
  const providers = createProviders({
    voices: { directory: path.join(dataDirectory, "voices"), mirror: null },
    workerFile,
    packageFolder,
    clock,
    upstreams: { cipher, allowedUpstreams: await allowed, allowedWebhooks: options.webhookAllow ?? [] },
  });
  const metrics = { observeCall: () => undefined, countRejection: () => undefined, count: () => undefined };
  const loggers = { info: log, warn: log, error: log };
  const services: TestServices = {
    store,
    clock,
    state: createGatewayState({ store, clock, log: loggers, metrics }),
    random: { bytes: (length) => randomBytes(length), fraction: () => 0.5 },
    cipher,
    hasher: options.realHasher ? createPasswordHasher() : createPasswordHasher(cheapArgon2),
    log: loggers,
    instance: {
      id: "test",
      version: "0.0.0",
      timeZone: "UTC",
      passwordMinimum: options.passwordMinimum ?? 8,
      legacyEngines: false,
      dataDirectory,
      upstreamAllow: options.upstreamAllow ?? [],
      limits: { ...DEFAULT_LIMITS, loginAttemptsPerMinute: 100_000, ...options.limits },
    },
    setupGuard: guard,
    signIn: { cookieSecret: "a cookie secret of the tests", refusalFloorMs: 0 },
    catalog: createCatalog(store, (id) => forgetChannel(services.state, id)),
    providers,
    webhook: providers.webhook,
    voices: providers.voices,
    encoder: { encode: noProvider, close: () => Promise.resolve() },
    limiter: createRateLimiter(clock),
    countTokens: (text) => text.length,
    *countTokensInSteps(text) {
      yield;
      return text.length;
    },
    metrics,
    takeBackup: createBackups(store, dataDirectory),
    spool: createSpool(dataDirectory),
    dataDirectory,
    setupToken: options.setupToken ?? guard.token,
    logged,
    async close() {
      await providers.close();
      await store.close();
    },
  };
  await applyStoredSettings(services);
  return services;
}
