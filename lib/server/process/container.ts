import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { createAudioEncoder } from "../../audio/encode/create";
import { encryptClearWebhookUrl } from "../../console/alerts/webhook-url";
import { ensureEmbedded } from "../../console/channels/ensure-embedded";
import type { ConsoleServices } from "../../console/context";
import { applyStoredSettings } from "../../console/settings/apply-settings";
import { refreshVoices } from "../../console/voices/refresh";
import type { Limits } from "../../contracts/limits";
import { AppError } from "../../errors";
import { createCatalog } from "../../gateway/admission/catalog";
import { createGatewayState } from "../../gateway/state";
import type { Cipher } from "../../ports/cipher";
import type { Clock, Random } from "../../ports/clock";
import type { Instance } from "../../ports/instance";
import type { Store } from "../../ports/store";
import { withEngineHost } from "../../providers/engine-pool/client";
import { createProviders } from "../../providers/registry";
import { createCipher } from "../../store/cipher";
import { openStore } from "../../store/open";
import { fileOf } from "../../store/options";
import { countTokens, countTokensInSteps } from "../../text/tokenize";
import { vocabulary } from "../../text/vocabulary";
import { followAllowedUpstreams } from "./allowed-upstreams";
import { startBackground } from "./background";
import type { ClusterMember } from "./cluster-member";
import { type Environment, readEnvironment, SettingError } from "./env";
import { makeInstanceId } from "./instance-id";
import { createLog } from "./log";
import { createMetrics } from "./metrics";
import { createPasswordHasher } from "./password-hasher";
import { createSystemRandom } from "./random";
import { createInstanceRegister, type InstanceRegister, reachableAddress, type Traffic } from "./register";
import { findSecret, instanceSecret, nextAuthSecret, previousSecrets, secretFile } from "./secret";
import { checkCipher, ensureDigestKey, openAuditChain } from "./secret-check";
import { createSetupGuard } from "./setup-guard";
import { openSharedState } from "./shared-state";
import { startTelemetry } from "./telemetry";
import { createBackups, createSpool } from "./temporary-files";
import { packageFolder, workerFile } from "./workers";

/** A rejected sign-in takes at least this long, whatever the reason, so that its time reveals nothing. */
const REFUSAL_FLOOR_MS = 250;

/** The composition root: everything that exists once per process. */
export interface Container {
  services: ConsoleServices;
  env: Environment;
  /** The setup token to print for visitors from other machines; null when there is none to print. */
  setupToken: string | null;
  /** What the Node server counts; set by it. */
  traffic: () => Traffic;
  register: InstanceRegister;
  /** Stops timers, engines and threads, then closes the store after its last commits. */
  close(): Promise<void>;
}

/** Taken before Next replaces it by one that looks for a page in progress at every call. */
const { now } = Date;
export const systemClock: Clock = { now, monotonic: () => performance.now() };
export const systemRandom: Random = createSystemRandom();

/** The version in package.json, which is in the working directory. */
function readVersion(): string {
  const text = readFileSync(path.join(process.cwd(), "package.json"), "utf8");
  // Our own file, so its type is known.
  return (JSON.parse(text) as { version: string }).version;
}

/** Rejects an empty database next to an existing secret: the instance would start as a new one with setup open. */
function refuseEmptyStore(env: Environment): void {
  if (env.secret !== null || !env.databaseUrl.startsWith("file:")) return;
  const [database, secret] = [fileOf(env.databaseUrl), secretFile(env.dataDirectory)];
  if (!existsSync(secret) || statSync(database, { throwIfNoEntry: false })?.size !== 0) return;
  throw new SettingError(
    `DATABASE_URL: ${database} is empty, but ${secret} belongs to an instance that was in use; ` +
      `restore a backup with: npm run admin -- restore <backup file>, or delete ${secret} to start a new instance`,
  );
}

/** Opens the store, its cipher and secrets: all that the admin command needs. */
export async function openEncryptedStore(env: Environment, instanceId: string, log?: ConsoleServices["log"]) {
  findSecret(env.secret, env.dataDirectory);
  const previous = previousSecrets(env.previousSecrets, env.dataDirectory);
  refuseEmptyStore(env);
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const store = await openStore({
    databaseUrl: env.databaseUrl,
    ...(env.databaseUrlDirect === null ? {} : { listenUrl: env.databaseUrlDirect }),
    writerWorker: workerFile("writer"),
    instanceId,
    clock: systemClock,
    timeZone,
    ...(log ? { log } : {}),
  });
  try {
    // Created after the store: a secret next to an empty database means that the database was lost.
    const secret = instanceSecret(env.secret, env.dataDirectory);
    const secrets = { current: secret, previous };
    const opener = createCipher(secrets);
    await checkCipher(store, opener);
    const digestKey = await ensureDigestKey(store, opener);
    const cipher = createCipher({ ...secrets, digestKey });
    await openAuditChain(store, cipher, systemClock);
    await encryptClearWebhookUrl(store, cipher);
    return { store, cipher, secret, timeZone };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Ciphertexts are those of channels to upstreams, which the primary does not call. */
const NO_CIPHER: Cipher = {
  encrypt: refuseCipher,
  decrypt: refuseCipher,
  encryptBytes: refuseCipher,
  decryptBytes: refuseCipher,
  isCurrent: refuseCipher,
  digest: refuseCipher,
};

function refuseCipher(): never {
  throw new AppError("internal", "The process of the engines has no secret.");
}

/**
 * The built-in engines for all processes of a server; they run in its primary, which knows the limits of its environment
 * but not those changed in the console.
 */
export function createSharedEngines({ voices, limits }: Pick<Environment, "voices" | "limits">) {
  return createProviders({
    workerFile,
    packageFolder,
    clock: systemClock,
    voices,
    upstreams: { cipher: NO_CIPHER, limits, allowedUpstreams: () => [], allowedWebhooks: [] },
  });
}

type Opened = Awaited<ReturnType<typeof openEncryptedStore>>;

/** `limits`: one object for the life of the process, so that a limit changed in the console takes effect everywhere. */
function instanceOf(env: Environment, id: string, timeZone: string, limits: Limits): Instance {
  return {
    id,
    version: readVersion(),
    timeZone,
    passwordMinimum: env.passwordMinimum,
    legacyEngines: env.legacyEngines,
    dataDirectory: env.dataDirectory,
    baseUrl: env.baseUrl,
    draining: false,
    limits,
  };
}

async function openSetupGuard(
  env: Environment,
  store: Store,
  log: ConsoleServices["log"],
  sharedToken: string | null,
) {
  if (await store.setup.hasLostMark())
    log.warn("setup_mark_lost", {
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
async function createEngines(env: Environment, { store, cipher }: Opened, limits: Limits) {
  const providers = createProviders({
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
  // Loaded now, not by the first call that counts tokens: by then there may be no file descriptor left.
  vocabulary();
  return { providers, encoder: createAudioEncoder({ workerFile: workerFile("encode") }) };
}

async function assemble(
  env: Environment,
  opened: Opened,
  id: string,
  log: ConsoleServices["log"],
  member: ClusterMember | null,
): Promise<Container> {
  const { store, cipher, secret, timeZone } = opened;
  const limits = { ...env.limits };
  const setupGuard = await openSetupGuard(env, store, log, member?.setupToken ?? null);
  const { providers: local, encoder } = await createEngines(env, opened, limits);
  const providers = member === null ? local : withEngineHost(local, member.engines, systemClock);
  const idle: Traffic = { inFlight: 0, total: 0, address: reachableAddress(env.host, env.port) };
  const instance = instanceOf(env, id, timeZone, limits);
  const register = createInstanceRegister({
    store,
    clock: systemClock,
    instance,
    ...(member === null ? {} : { server: member.server }),
    traffic: () => container.traffic(),
  });
  const counted = createMetrics(
    env.metricsToken,
    instance,
    () => container.traffic().inFlight,
    env.redis === null ? null : () => sharedState.health?.().isUp ?? false,
    member,
  );
  const telemetry = env.telemetry && (await startTelemetry(counted, instance, env.telemetry));
  const metrics = telemetry?.metrics ?? counted;
  const sharedState = await openSharedState(env, {
    cipher,
    clock: systemClock,
    log,
    metrics,
    instanceId: id,
    liveInstances: register.liveInstances,
    share: member ?? { index: 1, processes: 1 },
    broadcast: store.broadcast ?? member?.broadcast ?? null,
    replies: member?.replies ?? null,
  });
  const services: ConsoleServices = {
    store,
    clock: systemClock,
    state: createGatewayState({ store, clock: systemClock, log, metrics }),
    random: systemRandom,
    cipher,
    hasher: createPasswordHasher(),
    log,
    instance,
    setupGuard,
    signIn: { cookieSecret: nextAuthSecret(secret), refusalFloorMs: REFUSAL_FLOOR_MS },
    catalog: createCatalog(store),
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
    ...(sharedState.health === null ? {} : { sharedStateHealth: sharedState.health }),
  };
  sharedState.share(services.state);
  const container: Container = {
    services,
    env,
    setupToken: setupGuard.token,
    traffic: () => idle,
    register,
    close: async () => undefined,
  };
  await ensureEmbedded(store, systemClock);
  await refreshVoices(services);
  await applyStoredSettings(services);
  const stopBackground = await startBackground(services, register);
  let closing: Promise<void> | null = null;
  container.close = () => {
    closing ??= (async () => {
      stopBackground();
      await Promise.allSettled([providers.close(), encoder.close()]);
      await container.services.state.rejections.flush();
      sharedState.close();
      await store.close();
      await telemetry?.close();
    })();
    return closing;
  };
  return container;
}

/**
 * Opens the store and builds everything on it. `member`: of a server with several processes. Throws SettingError, or an
 * Error with a message for the operator.
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
    await closeQuietly(opened.store);
    throw error;
  }
}

async function closeQuietly(store: Store): Promise<void> {
  await store.close().catch(() => undefined);
}

const SLOT = Symbol.for("patchbay.container");
// Next's bundle and the server bundle contain separate copies of this module. Only it uses the symbol, so its type is known.
const globalSlots = globalThis as unknown as Record<symbol, Promise<Container> | undefined>;

/** Makes this process's container the one that `getContainer` hands out. */
export function provideContainer(container: Promise<Container>): void {
  globalSlots[SLOT] = container;
}

/** The process's container; without our server, the first call creates it from the environment. */
export function getContainer(): Promise<Container> {
  const known = globalSlots[SLOT];
  if (known !== undefined) return known;
  const created = createContainer(readEnvironment());
  globalSlots[SLOT] = created;
  // A failed start is not cached: the next request starts again.
  created.catch(() => {
    if (globalSlots[SLOT] === created) delete globalSlots[SLOT];
  });
  return created;
}
