import { promises as dns } from "node:dns";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";

/** Every address of a host, of both families. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface Resolver {
  /** Throws the error of the lookup when nothing is cached. */
  resolve(host: string): Promise<readonly string[]>;
}

const FRESH_MS = 30_000;
const STALE_MS = 300_000;
/** Longest wait for a refresh while an older answer is cached. */
const REFRESH_WAIT_MS = 200;
const MAX_HOSTS = 1_000;
/** Longest wait for name servers; getaddrinfo, asked next, and the connection have the rest of the connect timeout. */
const QUERIES_MS = 1_500;

/** These are resolved by the hosts file and multicast DNS, which c-ares does not read. */
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
  /** Ends the queries that have no answer. */
  cancel(): void;
}

const openQueries = (): NameQueries => new dns.Resolver({ timeout: 700, tries: 2 });

/**
 * Unlike getaddrinfo, c-ares does not use the thread pool of files and hashes. It reads the name servers only when it is
 * opened, so each lookup opens it: they change with the network. `open` is for tests.
 */
export function createSystemLookup(open = openQueries): Lookup {
  return async (host) => {
    if (isLocalName(host)) return systemAddresses(host);
    const queries = open();
    const timer = setTimeout(() => queries.cancel(), QUERIES_MS);
    const answers = await Promise.allSettled([queries.resolve4(host), queries.resolve6(host)]);
    clearTimeout(timer);
    const addresses = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    // Names with dots may be in the hosts file too (host.docker.internal).
    return addresses.length > 0 ? addresses : systemAddresses(host);
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
        stale,
      );
    },
  };
}

async function orAfter<T>(work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), REFRESH_WAIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
