import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { enablePeerHeader } from "../../http/core/peer-header";
import { connectionsForProcess } from "./connection-cap";
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
import { createNodeServer, type NodeServer } from "./node-server";
import { createPages } from "./pages";

/** The process behind `npm start`: reads the environment, starts the server, and shuts down in order. */

/** After an uncaught error the process exits within this time, even if shutdown hangs. */
const LAST_RESORT_MS = 30_000;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The console's URL for a user on this machine. */
function consoleUrl(env: Environment, port: number): string {
  return env.baseUrl ?? `${env.tls === null ? "http" : "https"}://localhost:${port}`;
}

async function announce(container: Container, port: number): Promise<void> {
  const { env, services, setupToken } = container;
  const home = consoleUrl(env, port);
  print(`Patchbay ${services.instance.version} is ready at ${home}`);
  if (await services.store.setup.isSetUp()) return;
  if (setupToken !== null) print(`Set it up: ${home}/setup#token=${setupToken}`);
  else print(`Set it up: ${home}/setup`);
}

async function listen(nodeServer: NodeServer, env: Environment): Promise<number> {
  // Files that are open now stay open and do not count against connections.
  nodeServer.mostConnections = connectionsForProcess();
  nodeServer.server.listen({ port: env.port, host: env.host });
  await once(nodeServer.server, "listening");
  // A TCP server's address is an object.
  return (nodeServer.server.address() as AddressInfo).port;
}

function stopOnSignals(nodeServer: NodeServer, container: Container): void {
  let stopping: Promise<void> | null = null;
  const stop = (exitCode: number): void => {
    if (stopping !== null) return;
    stopping = drain(nodeServer, container);
    stopping.then(
      () => process.exit(exitCode),
      (error: unknown) => {
        container.services.log.error("stop_failed", { cause: String(error) });
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      // A second signal exits at once.
      if (stopping !== null) process.exit(1);
      stop(0);
    });
  }
  const lastResort = (kind: string) => (error: unknown) => {
    container.services.log.error(kind, { cause: error instanceof Error ? error : String(error) });
    setTimeout(() => process.exit(1), LAST_RESORT_MS).unref();
    stop(1);
  };
  process.on("uncaughtException", lastResort("uncaught_exception"));
  process.on("unhandledRejection", lastResort("unhandled_rejection"));
}

/** Starts the server; resolves when it is ready. Throws errors with a message for the operator. */
async function startServer(env: Environment, isDevelopment: boolean): Promise<void> {
  if (isParserLoosened()) throw new SettingError("--insecure-http-parser: Patchbay does not start with it");
  const making = createContainer(env);
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
    stopOnSignals(nodeServer, container);
    await announce(container, port);
  } catch (error) {
    await container.close();
    throw error;
  }
}

/** The error message for the operator. */
function explain(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
    return "PORT: another program listens there already; choose another with PORT=<number>.";
  if (error instanceof Error && "code" in error && error.code === "EACCES")
    return "PORT: this user may not listen there; choose one above 1023 with PORT=<number>.";
  return error instanceof Error ? error.message : String(error);
}

async function run(): Promise<void> {
  const isDevelopment = process.argv.includes("--dev");
  provideMode(isDevelopment);
  try {
    await startServer(readEnvironment(), isDevelopment);
  } catch (error) {
    process.stderr.write(`Patchbay cannot start. ${explain(error)}\n`);
    process.exit(1);
  }
}

await run();
