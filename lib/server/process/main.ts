import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { openPeerHeader } from "../../http/core/peer-header";
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
import { createEdge, type Edge } from "./node-server";
import { openPages } from "./pages";

/** The process behind `npm start`: reads the environment, opens the doors, and closes them in order. */

/** A last resort must end, whatever hangs. */
const LAST_RESORT_MS = 30_000;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The address a person on this machine opens. */
function homeUrl(env: Environment, port: number): string {
  return env.baseUrl ?? `http://localhost:${port}`;
}

async function announce(container: Container, port: number): Promise<void> {
  const { env, services, setupToken } = container;
  const home = homeUrl(env, port);
  say(`Patchbay ${services.instance.version} is ready at ${home}`);
  if (await services.store.setup.isSetUp()) return;
  if (setupToken !== null) say(`Set it up: ${home}/setup#token=${setupToken}`);
  else say(`Set it up: ${home}/setup`);
}

async function listen(edge: Edge, env: Environment): Promise<number> {
  // What stands open now stays open, whatever the number of callers.
  edge.mostConnections = connectionsForProcess();
  edge.server.listen({ port: env.port, host: env.host });
  await once(edge.server, "listening");
  // A TCP server's address is an object.
  return (edge.server.address() as AddressInfo).port;
}

function stopOnSignals(edge: Edge, container: Container): void {
  let stopping: Promise<void> | null = null;
  const stop = (exitCode: number): void => {
    if (stopping !== null) return;
    stopping = drain(edge, container);
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
      // The second time is meant.
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

/** Starts the server; resolves when it is ready. Throws what the operator must know. */
export async function startServer(env: Environment, isDevelopment: boolean): Promise<void> {
  if (isParserLoosened()) throw new SettingError("--insecure-http-parser: Patchbay does not start with it");
  const making = createContainer(env);
  provideContainer(making);
  const container = await making;
  const edge = createEdge(container, container.services.log);
  try {
    provideToNextAuth({
      secret: container.services.signIn.cookieSecret,
      url: homeUrl(env, env.port),
    });
    openPeerHeader();
    if (!env.isNodeAdapterOnly) {
      edge.pages = await openPages({ isDevelopment, port: env.port, host: env.host, server: edge.server });
    }
    const port = await listen(edge, env);
    stopOnSignals(edge, container);
    await announce(container, port);
  } catch (error) {
    await container.close();
    throw error;
  }
}

/** Words for the operator: one line for a wrong setting, the error's own for the rest. */
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
