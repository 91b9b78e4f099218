import { hostname, networkInterfaces } from "node:os";
import { DEAD_AFTER_MS } from "../../console/instances/list";
import type { Clock } from "../../ports/clock";
import type { Instance } from "../../ports/instance";
import type { Store } from "../../ports/store";
import { isGone } from "./instance-id";

/** The request counters of the Node server, and its address. */
export interface Traffic {
  /** Gateway requests being answered. */
  inFlight: number;
  /** Gateway requests since the start. */
  total: number;
  /** Where it listens. */
  address: string;
}

/** This process's entry in the store's list of instances. */
export interface InstanceRegister {
  /** ID of our server, the same for all processes that share its port. */
  readonly server: string;
  /** Writes the heartbeat with load and version, and counts the running instances. */
  beat(): Promise<void>;
  /** Processes that run on this store, of all servers; at least 1. As of the last `beat`, which is every 5 s. */
  liveInstances(): number;
}

/** The first external IPv4 address; loopback where there is none, or where a sandbox hides the interfaces. */
function externalAddress(): string {
  try {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
  } catch {
    return "127.0.0.1";
  }
}

/** The address that other machines reach this one by: `host`, or for a wildcard the external address. */
export function reachableAddress(host: string, port: number): string {
  const isWildcard = host === "0.0.0.0" || host === "::";
  const address = isWildcard ? externalAddress() : host;
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

interface RegisterOptions {
  store: Pick<Store, "ledger" | "changeLagMs">;
  clock: Clock;
  instance: Pick<Instance, "id" | "version" | "draining">;
  /** ID of the server; absent: this process is the whole server. */
  server?: string;
  traffic(): Traffic;
}

/** The register of one process; the caller calls `beat` at start and then every five seconds. */
export function createInstanceRegister(options: RegisterOptions): InstanceRegister {
  const { store, clock, instance, traffic } = options;
  const server = options.server ?? instance.id;
  const startedAt = clock.now();
  let live = 1;
  let last = { at: clock.monotonic(), total: 0, cpu: process.cpuUsage() };

  async function beat(): Promise<void> {
    const { inFlight, total, address } = traffic();
    const at = clock.monotonic();
    const cpu = process.cpuUsage();
    const elapsedMs = Math.max(1, at - last.at);
    const cpuMs = (cpu.user + cpu.system - last.cpu.user - last.cpu.system) / 1_000;
    const requests = total - last.total;
    last = { at, total, cpu };
    await store.ledger.heartbeat(clock.now(), {
      server,
      host: hostname(),
      address,
      version: instance.version,
      pid: process.pid,
      startedAt,
      isDraining: instance.draining === true,
      inFlight,
      requestsPerMinute: (requests * 60_000) / elapsedMs,
      cpuPercent: (100 * cpuMs) / elapsedMs,
      memoryBytes: process.memoryUsage.rss(),
      changeLagMs: store.changeLagMs(),
    });
    const known = await store.ledger.instances(clock.now() - DEAD_AFTER_MS);
    live = Math.max(1, known.filter(({ id, report }) => report !== null && !isGone(id)).length);
  }
  return { server, beat, liveInstances: () => live };
}
