import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { AppError, systemCode } from "../../errors";
import { enablePeerHeader } from "../../http/core/peer-header";
import type { Cipher } from "../../ports/cipher";
import { createProviders } from "../../providers/registry";
import { type ClusterMember, joinCluster } from "./cluster-member";
import { ClusterPrimary, FirstProcessFailed } from "./cluster-primary";
import { connectionsForProcess } from "./connection-cap";
import { consoleUrl } from "./console-url";
import { type Container, createContainer, provideContainer } from "./container";
import { drain } from "./drain";
import {
  type Environment,
  isParserLoosened,
  provideMode,
  provideToNextAuth,
  readEnvironment,
  SettingError,
} from "./env";
import { createLog } from "./log";
import { createNodeServer, type NodeServer } from "./node-server";
import { createPages } from "./pages";
import { systemClock } from "./system";
import { packageFolder, workerFile } from "./workers";

/** The process behind `npm start`: reads the environment, starts the server, and shuts down in order. */

/**
 * Minor garbage collections run on one thread, which also frees buffers: V8's helper threads cost more than they save
 * on a heap this small. All objects are allocated as short-lived ones: in some processes V8 allocates parts of each
 * request as long-lived objects, which keep the rest of the request in memory (lib/DECISIONS.md).
 */
for (const flag of [
  "--no-parallel-scavenge",
  "--no-concurrent-array-buffer-sweeping",
  "--no-allocation-site-pretenuring",
])
  setFlagsFromString(flag);

/** After an uncaught error the process exits within this time, even if shutdown hangs. */
const LAST_RESORT_MS = 30_000;
const LAST_OUTPUT_MS = 1_000;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function announce(container: Container, port: number): Promise<void> {
  const { env, services, setup } = container;
  const home = consoleUrl(env, port);
  print(`Patchbay ${services.instance.version} is ready at ${home}`);
  if (await services.store.setup.isSetUp()) return;
  if (setup.token !== null) print(`Set it up: ${home}/setup#token=${setup.token}`);
  else print(`Set it up: ${home}/setup`);
}

/**
 * Connections that wait to be accepted; the system may allow fewer. With Node's default of 511, a burst of new
 * connections overflows the queue and waits until TCP repeats its SYN, after 1 s and again after 2 s.
 */
const MAX_UNACCEPTED = 4_096;

/** Codes of the errors for a host that does not resolve, or is no address of this machine. */
const HOST_CODES = /^(?:EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL|ENOTFOUND|ENODATA|EAI_[A-Z]+)$/;

/**
 * Translates an error of `listen` into a SettingError that names the variable to change; returns any other as it is.
 */
function listenError(error: unknown, { host }: Environment): unknown {
  const code = systemCode(error);
  if (code === "EADDRINUSE")
    return new SettingError("PORT: the port is already in use; choose another with PORT=<number>.");
  if (code === "EACCES")
    return new SettingError(
      "PORT: this user may not use this port; choose one above 1023 with PORT=<number>.",
    );
  if (!HOST_CODES.test(code)) return error;
  return new SettingError(
    `HOST: cannot listen on '${host}' (${code}); it must be an address or a name of this machine, or 0.0.0.0 or :: for all of its addresses.`,
  );
}

/** Resolves with the port. Throws SettingError for a host or port that cannot be used. */
async function listen(nodeServer: NodeServer, env: Environment): Promise<number> {
  // Computed here: the files that are open by now stay open, so their descriptors are not available for connections.
  nodeServer.maxConnections = connectionsForProcess();
  nodeServer.server.listen({ port: env.port, host: env.host, backlog: MAX_UNACCEPTED });
  await once(nodeServer.server, "listening").catch((error: unknown) => {
    throw listenError(error, env);
  });
  // A TCP server's address is an object.
  return (nodeServer.server.address() as AddressInfo).port;
}

function stopOnSignals(nodeServer: NodeServer, container: Container, member: ClusterMember | null): void {
  let stopping: Promise<void> | null = null;
  const stop = (exitCode: number, othersListen = false): void => {
    if (stopping !== null) return;
    stopping = drain(nodeServer, container, othersListen);
    stopping.then(
      () => exitWhenWritten(exitCode),
      (error: unknown) => {
        container.services.log.error("stop_failed", { cause: String(error) });
        exitWhenWritten(1);
      },
    );
  };
  if (member === null) {
    exitOnSignals(false);
    onStopSignals(() => stop(0));
    // Without PATCHBAY_PROCESSES no other process can take over, so SIGHUP stops the server. Node's default action
    // would end the process at once, without draining.
    process.on("SIGHUP", () => stop(0));
  } else
    member.handlers.stop = (isReplaced) => {
      container.services.instance.isReplaced = isReplaced;
      stop(0, isReplaced);
    };
  const lastResort = (kind: string) => (error: unknown) => {
    container.services.log.error(kind, { cause: error instanceof Error ? error : String(error) });
    setTimeout(() => process.exit(1), LAST_RESORT_MS).unref();
    member?.failed();
    stop(1, member !== null);
  };
  process.on("uncaughtException", lastResort("uncaught_exception"));
  process.on("unhandledRejection", lastResort("unhandled_rejection"));
}

/** Ends this process once its log is written: the reader of a pipe may be slow. Waits a second at most. */
function exitWhenWritten(code: number): void {
  setTimeout(() => process.exit(code), LAST_OUTPUT_MS);
  process.stdout.write("", () => process.exit(code));
}

/**
 * A signal within this time after another one is the same signal: npm forwards it, and the terminal has sent it to the
 * whole process group already.
 */
const SAME_SIGNAL_MS = 500;

/** Calls `stop` at the first SIGTERM or SIGINT; a second one calls `abort`. */
function onStopSignals(stop: () => void, abort = () => process.exit(1)): void {
  let stoppedAt: number | null = null;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stoppedAt === null) {
        stoppedAt = performance.now();
        stop();
      } else if (performance.now() - stoppedAt >= SAME_SIGNAL_MS) abort();
    });
  }
}

const exitNow = (): void => process.exit(0);

/**
 * Ends a start at the first signal; `isOn` false: no longer does. PID 1 of a container has no default action for
 * signals: without this, a stop during the start would have no effect.
 */
function exitOnSignals(isOn: boolean): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process[isOn ? "on" : "removeListener"](signal, exitNow);
}

/** A terminal and a service manager signal all processes of a group; the primary decides what its members do. */
function ignoreSignals(): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
}

/** The primary decrypts nothing: only upstream channels have encrypted keys, and it calls no upstream. */
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
 * The built-in engines for all processes of a server; they run in its primary, which knows the limits of its
 * environment but not those changed in the console.
 */
function createSharedEngines({ voices, limits }: Pick<Environment, "voices" | "limits">) {
  return createProviders({
    workerFile,
    packageFolder,
    clock: systemClock,
    voices,
    upstreams: { cipher: NO_CIPHER, limits, allowedUpstreams: () => [], allowedWebhooks: [] },
  });
}

/** How often the primary reads the folders of local voices. */
const VOICES_SCAN_MS = 15_000;

/** Runs the processes of one port. Resolves when they serve. */
async function startPrimary(env: Environment): Promise<void> {
  const log = createLog(env.logLevel);
  const engines = createSharedEngines(env);
  // Finds voice models that are added, removed or repaired while the server runs.
  const scan = async () => {
    await engines.voices?.scan().catch((error: unknown) => log.warn("voices_not_read", { cause: error }));
  };
  setInterval(() => void scan(), VOICES_SCAN_MS).unref();
  const primary = new ClusterPrimary({
    file: fileURLToPath(import.meta.url),
    processes: env.processes,
    drainMs: env.drainMs,
    clock: systemClock,
    log,
    engines,
  });
  onStopSignals(
    () => void primary.stopAll().then(() => process.exit(0)),
    () => {
      primary.killAll();
      process.exit(1);
    },
  );
  process.on("SIGHUP", () => void primary.replaceAll());
  try {
    await primary.start();
  } catch (error) {
    if (!(error instanceof FirstProcessFailed)) throw error;
    process.exit(1);
  }
}

/** Starts the server; resolves when it is ready. Throws errors with a message for the operator. */
async function startServer(
  env: Environment,
  isDevelopment: boolean,
  member: ClusterMember | null,
): Promise<void> {
  const making = createContainer(env, member);
  provideContainer(making);
  const container = await making;
  const nodeServer = createNodeServer(container, container.services.log);
  try {
    provideToNextAuth({
      secret: container.services.signIn.cookieSecret,
      url: consoleUrl(env, env.port),
    });
    enablePeerHeader();
    if (!env.isNodeAdapterOnly) {
      nodeServer.pages = await createPages({
        isDevelopment,
        port: env.port,
        host: env.host,
        server: nodeServer.server,
      });
    }
    const port = await listen(nodeServer, env);
    container.setup.publishToken();
    stopOnSignals(nodeServer, container, member);
    if (member === null) return await announce(container, port);
    member.handlers.announce = () => announce(container, port);
    member.ready(container.setup.token);
  } catch (error) {
    await container.close();
    throw error;
  }
}

async function run(): Promise<void> {
  const isDevelopment = process.argv.includes("--dev");
  provideMode(isDevelopment);
  try {
    if (isParserLoosened())
      throw new SettingError("--insecure-http-parser: Patchbay does not start with this option");
    const env = readEnvironment();
    const member = await joinCluster();
    if (member === null && env.processes > 1 && !isDevelopment) return await startPrimary(env);
    if (member !== null) ignoreSignals();
    else exitOnSignals(true);
    await startServer(env, isDevelopment, member);
  } catch (error) {
    process.stderr.write(`Patchbay cannot start. ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}

await run();
