import { isIPv6 } from "node:net";
import type { Environment } from "./env";

/** The wildcard and loopback hosts: a server that listens on one of them is reached as `localhost`. */
const REACHED_AS_LOCALHOST: ReadonlySet<string> = new Set([
  "0.0.0.0",
  "[::]",
  "127.0.0.1",
  "[::1]",
  "localhost",
]);

/** The console's URL for a user on this machine. */
export function consoleUrl(env: Pick<Environment, "baseUrl" | "tls" | "host">, port: number): string {
  if (env.baseUrl !== null) return env.baseUrl;
  const scheme = env.tls === null ? "http" : "https";
  const url = `${scheme}://${isIPv6(env.host) ? `[${env.host}]` : env.host}`;
  // A server cannot listen on a host that is not valid in a URL; `listen` reports that.
  const { hostname } = new URL(URL.canParse(url) ? url : `${scheme}://localhost`);
  return `${scheme}://${REACHED_AS_LOCALHOST.has(hostname) ? "localhost" : hostname}:${port}`;
}
