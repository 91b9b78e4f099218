import { promises as dns } from "node:dns";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";

/** Every address of a host, of both families. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface Resolver {
  /** Throws the lookup's error when no answer of the last 5 minutes is cached. */
  resolve(host: string): Promise<readonly string[]>;
}

const FRESH_MS = 30_000;
const STALE_MS = 300_000;
/** Longest wait for a refresh while an older answer is cached. */
const REFRESH_WAIT_MS = 200;
const MAX_HOSTS = 1_000;
/**
 * If the name servers have sent no address after this long, getaddrinfo is asked too, early enough to answer within the
 * connect timeout.
 */
const SYSTEM_AFTER_MS = 1_500;

/** Names that are resolved through the hosts file and multicast DNS, which queries of c-ares skip. */
function isLocalName(host: string): boolean {
  return !host.includes(".") || /\.(?:localhost|local)$/.test(host);
}

async function systemAddresses(host: string): Promise<string[]> {
  const found = await dns.lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** Queries to the name servers of this machine. */
interface NameQueries {
  resolve4(host: string): Promise<string[]>;
  resolve6(host: string): Promise<string[]>;
  /** The name servers that were configured when the resolver was created. */
  getServers(): string[];
}

/** Node checks for timeouts once a second, so a timeout of 2 s could take 3 s. */
const openQueries = (): NameQueries => new dns.Resolver({ timeout: 1_900, tries: 2 });

/** Asks the name servers, and getaddrinfo where they have no address or are late; returns the first answer. */
async function queriedAddresses(queries: NameQueries, host: string): Promise<string[]> {
  const answers: string[][] = [];
  const asked = [queries.resolve4(host), queries.resolve6(host)].map(async (answer, at) => {
    answers[at] = await answer;
  });
  await orAfter(Promise.allSettled(asked), SYSTEM_AFTER_MS, null);
  if (answers.length > 0) return answers.flat();
  // Names with dots may be in the hosts file too (host.docker.internal).
  const system = systemAddresses(host);
  const late = Promise.any(asked).then(
    () => answers.flat(),
    () => system,
  );
  return Promise.any([system, late]).catch(() => system);
}

/**
 * Looks up hosts with c-ares, which unlike getaddrinfo does not use the thread pool that files and hashes share. A
 * c-ares resolver reads the list of name servers only when it is created, and the list changes with the network. So
 * each lookup creates a resolver (0.03 ms) to read the current list, but the old resolver stays in use until the list
 * has changed, because it remembers which name servers do not answer. `open` is for tests.
 */
export function createSystemLookup(open = openQueries): Lookup {
  let queries = open();
  let servers = queries.getServers().join();
  return async (host) => {
    if (isLocalName(host)) return systemAddresses(host);
    const opened = open();
    const current = opened.getServers().join();
    if (current !== servers) [queries, servers] = [opened, current];
    return queriedAddresses(queries, host);
  };
}

interface Known {
  addresses: readonly string[] | null;
  at: number;
  refresh: Promise<readonly string[]> | null;
}

/** Caches answers for 30 s, and for 5 minutes where the name server fails or is slow. */
export function createResolver(clock: Clock, lookup: Lookup): Resolver {
  const hosts = new LRUCache<string, Known>({ max: MAX_HOSTS });

  function refresh(host: string, known: Known): Promise<readonly string[]> {
    known.refresh ??= lookup(host)
      .then((addresses) => {
        known.addresses = addresses;
        known.at = clock.monotonic();
        return addresses;
      })
      .finally(() => {
        known.refresh = null;
      });
    return known.refresh;
  }

  return {
    async resolve(host) {
      const known = hosts.get(host) ?? { addresses: null, at: 0, refresh: null };
      if (!hosts.has(host)) hosts.set(host, known);
      const age = clock.monotonic() - known.at;
      if (known.addresses !== null && age < FRESH_MS) return known.addresses;
      const fresh = refresh(host, known);
      if (known.addresses === null || age >= STALE_MS) return fresh;
      const stale = known.addresses;
      return orAfter(
        fresh.catch(() => stale),
        REFRESH_WAIT_MS,
        stale,
      );
    },
  };
}

/** The result of `work`; `otherwise` when it takes longer. */
export async function orAfter<T, U>(work: Promise<T>, waitMs: number, otherwise: U): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<U>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), waitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
