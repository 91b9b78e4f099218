import { readFileSync } from "node:fs";
import path from "node:path";
import { createAudioEncoder } from "../../audio/encode/create";
import { restoreCircuits } from "../../console/alerts/restore";
import { ensureEmbedded } from "../../console/channels/ensure-embedded";
import type { ConsoleServices, SetupGuard } from "../../console/context";
import { applyStoredSettings } from "../../console/settings/apply-settings";
import { refreshVoices } from "../../console/voices/refresh";
import type { Limits } from "../../contracts/limits";
import { createCatalog } from "../../gateway/admission/catalog";
import { createGatewayState, forgetChannel } from "../../gateway/state";
import type { Instance } from "../../ports/instance";
import type { Store } from "../../ports/store";
import type { Log } from "../../ports/telemetry";
import { withEngineHost } from "../../providers/engine-pool/client";
import { createProviders } from "../../providers/registry";
import { fileOf, isPostgresUrl } from "../../store/options";
import { countTokens, countTokensInSteps } from "../../text/tokenize";
import { vocabulary } from "../../text/vocabulary";
import { followAllowedUpstreams } from "./allowed-upstreams";
import { startBackground } from "./background";
import type { ClusterMember } from "./cluster-member";
import { type EncryptedStore, openEncryptedStore } from "./encrypted-store";
import { type Environment, readEnvironment } from "./env";
import { makeInstanceId } from "./instance-id";
import { createLog } from "./log";
import { createMetrics } from "./metrics";
import { createPasswordHasher } from "./password-hasher";
import { createInstanceRegister, type InstanceRegister, reachableAddress, type Traffic } from "./register";
import { nextAuthSecret } from "./secret";
import { createSetupGuard, type SetupToken } from "./setup-guard";
import { openSharedState } from "./shared-state";
import { systemClock, systemRandom } from "./system";
import { startTelemetry } from "./telemetry";
import { createBackups, createSpool } from "./temporary-files";
import { packageFolder, workerFile } from "./workers";

/** A rejected sign-in takes at least this long, whatever the reason, so that its time reveals nothing. */
const REFUSAL_FLOOR_MS = 250;

/** The composition root: everything that exists once per process. */
export interface Container {
  services: ConsoleServices;
  env: Environment;
  setup: SetupToken;
  /** The counters of the Node server, which sets this function. */
  traffic: () => Traffic;
  register: InstanceRegister;
  /** Stops timers, engines and threads, then closes the store after its last commits. */
  close(): Promise<void>;
}

/** The version in package.json, which is in the working directory. */
function readVersion(): string {
  const text = readFileSync(path.join(process.cwd(), "package.json"), "utf8");
  // Our own file, so its type is known.
  return (JSON.parse(text) as { version: string }).version;
}

function instanceOf(env: Environment, id: string, timeZone: string) {
  return {
    id,
    version: readVersion(),
    timeZone,
    passwordMinimum: env.passwordMinimum,
    legacyEngines: env.legacyEngines,
    dataDirectory: env.dataDirectory,
    storeDirectory: isPostgresUrl(env.databaseUrl) ? undefined : path.dirname(fileOf(env.databaseUrl)),
    baseUrl: env.baseUrl,
    upstreamAllow: env.upstreamAllow,
    draining: false,
    // One object for the life of the process, so that a limit changed in the console takes effect everywhere.
    limits: { ...env.limits },
  };
}

async function openSetupGuard(env: Environment, store: Store, log: Log, sharedToken: string | null) {
  if (await store.setup.isSetupRowMissing())
    log.warn("setup_row_missing", {
      reason: "the store has administrators but no setup row; setup stays closed",
    });
  return createSetupGuard({
    dataDirectory: env.dataDirectory,
    fixedToken: env.setupToken,
    open: env.isSetupOpen,
    isSetUp: await store.setup.isSetUp(),
    sharedToken,
  });
}

/** The providers and the audio encoder: what has threads and connections of its own. */
async function createEngines(
  env: Environment,
  { store, cipher }: EncryptedStore,
  limits: Limits,
  member: ClusterMember | null,
) {
  const local = createProviders({
    workerFile,
    packageFolder,
    clock: systemClock,
    voices: env.voices,
    upstreams: {
      cipher,
      limits,
      allowedUpstreams: await followAllowedUpstreams(store, env.upstreamAllow),
      allowedWebhooks: env.webhookAllow,
    },
  });
  // Loaded now, not by the first call that counts tokens, when there may be no file descriptor left.
  vocabulary();
  const providers = member === null ? local : withEngineHost(local, member.engines, systemClock);
  return { providers, encoder: createAudioEncoder({ workerFile: workerFile("encode") }) };
}

/** Opens the metrics and what this process shares with others. `traffic`: the counters of the Node server. */
async function openConnections(
  env: Environment,
  { store, cipher }: EncryptedStore,
  instance: Instance,
  log: Log,
  member: ClusterMember | null,
  traffic: () => Traffic,
) {
  const register = createInstanceRegister({
    store,
    clock: systemClock,
    instance,
    server: member?.server,
    traffic,
  });
  const counted = createMetrics({
    token: env.metricsToken,
    instance,
    inFlight: () => traffic().inFlight,
    isRedisUp: env.redis === null ? null : () => sharedState.health?.().isUp ?? false,
    member,
  });
  const telemetry =
    env.telemetry && (await startTelemetry(counted, instance, env.telemetry, log, systemClock));
  const metrics = telemetry?.metrics ?? counted;
  const sharedState = await openSharedState(env, {
    cipher,
    clock: systemClock,
    log,
    metrics,
    instanceId: instance.id,
    liveInstances: register.liveInstances,
    share: member ?? { index: 1, processes: 1 },
    broadcast: store.broadcast ?? member?.broadcast ?? null,
    replies: member?.replies ?? null,
  });
  return { register, telemetry, metrics, sharedState };
}

type Connections = Awaited<ReturnType<typeof openConnections>>;
type Engines = Awaited<ReturnType<typeof createEngines>>;

function createServices(
  env: Environment,
  { store, cipher, secret }: EncryptedStore,
  instance: Instance,
  log: Log,
  setupGuard: SetupGuard,
  { providers, encoder }: Engines,
  { metrics, telemetry, sharedState }: Connections,
): ConsoleServices {
  const state = createGatewayState({ store, clock: systemClock, log, metrics });
  // Creates the shared cache, which gets its generation from `applyStoredSettings`.
  sharedState.share(state);
  return {
    store,
    clock: systemClock,
    state,
    random: systemRandom,
    cipher,
    hasher: createPasswordHasher(),
    log,
    instance,
    setupGuard,
    signIn: { cookieSecret: nextAuthSecret(secret), refusalFloorMs: REFUSAL_FLOOR_MS },
    catalog: createCatalog(store, (id) => forgetChannel(state, id)),
    providers,
    webhook: providers.webhook,
    voices: providers.voices,
    limiter: sharedState.limiter,
    countTokens,
    countTokensInSteps,
    encoder,
    takeBackup: createBackups(store, env.dataDirectory),
    spool: createSpool(env.dataDirectory),
    metrics,
    tracing: telemetry?.tracing,
    sharedStateHealth: sharedState.health ?? undefined,
  };
}

async function assemble(
  env: Environment,
  opened: EncryptedStore,
  id: string,
  log: Log,
  member: ClusterMember | null,
): Promise<Container> {
  const { store } = opened;
  const instance = instanceOf(env, id, opened.timeZone);
  const setupGuard = await openSetupGuard(env, store, log, member?.setupToken ?? null);
  const engines = await createEngines(env, opened, instance.limits, member);
  const connections = await openConnections(env, opened, instance, log, member, () => container.traffic());
  const services = createServices(env, opened, instance, log, setupGuard, engines, connections);
  const idle: Traffic = { inFlight: 0, total: 0, address: reachableAddress(env.host, env.port) };
  const { register, sharedState, telemetry } = connections;
  let stopBackground = (): void => undefined;
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    stopBackground();
    await Promise.allSettled([engines.providers.close(), engines.encoder.close()]);
    await Promise.all([services.state.rejections.flush(), services.state.apiKeyCache.flush()]);
    sharedState.close();
    await store.close();
    await telemetry?.close();
  };
  const container: Container = {
    services,
    env,
    setup: setupGuard,
    traffic: () => idle,
    register,
    close() {
      closing ??= close();
      return closing;
    },
  };
  try {
    await ensureEmbedded(store, systemClock);
    await refreshVoices(services);
    await applyStoredSettings(services);
    // Loaded before the circuits are restored, so that the circuits of a channel that changes later are forgotten: the
    // catalog compares its next snapshot with this one.
    await services.catalog.all();
    await restoreCircuits(services);
    stopBackground = await startBackground(services, register);
  } catch (error) {
    // Under plain Next the process keeps running, and the next request creates a new container.
    await container.close().catch(() => undefined);
    throw error;
  }
  return container;
}

/**
 * Opens the store and builds everything on it. `member`: the connection to the primary of a server with several
 * processes. Throws SettingError, or an Error with a message for the operator.
 */
export async function createContainer(
  env: Environment,
  member: ClusterMember | null = null,
): Promise<Container> {
  const id = makeInstanceId();
  const log = createLog(env.logLevel);
  if (env.isSetupOpen && env.setupToken === null)
    log.warn("setup_open", {
      reason: "PATCHBAY_SETUP_OPEN: any visitor may set up this instance and become its owner",
    });
  const opened = await openEncryptedStore(env, id, log);
  try {
    return await assemble(env, opened, id, log, member);
  } catch (error) {
    await opened.store.close().catch(() => undefined);
    throw error;
  }
}

const CONTAINER = Symbol.for("patchbay.container");
// Next's bundle and the server bundle contain separate copies of this module. Only it uses the symbol, so its type is
// known.
const globals = globalThis as unknown as Record<symbol, Promise<Container> | undefined>;

/** Makes this process's container the one that `getContainer` hands out. */
export function provideContainer(container: Promise<Container>): void {
  globals[CONTAINER] = container;
}

/** The process's container; without our server, the first call creates it from the environment. */
export function getContainer(): Promise<Container> {
  const known = globals[CONTAINER];
  if (known !== undefined) return known;
  const created = createContainer(readEnvironment()).then(async (container) => {
    try {
      // Next's own server listens already.
      container.setup.publishToken();
      return container;
    } catch (error) {
      await container.close();
      throw error;
    }
  });
  globals[CONTAINER] = created;
  // A failed start is not cached: the next request starts again.
  created.catch(() => {
    if (globals[CONTAINER] === created) delete globals[CONTAINER];
  });
  return created;
}
