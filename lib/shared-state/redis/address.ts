/** Where Redis is, from `REDIS_URL`. */
export interface RedisAddress {
  kind: "server" | "sentinel" | "cluster";
  isTls: boolean;
  /** Of the server, the sentinels, or some of the cluster's nodes. */
  nodes: readonly { host: string; port: number }[];
  username: string | undefined;
  password: string | undefined;
  /** Number of the database; always 0 in a cluster. */
  database: number;
  /** The primary's name among the sentinels; empty for the other kinds. */
  name: string;
}

/** The accepted forms, for the message of a wrong URL. */
export const REDIS_URL_FORMS =
  "redis[s]://[user:password@]host[:port][/database], " +
  "redis[s]+sentinel://host:port,host:port/<primary's name>[/database] or redis[s]+cluster://host:port,host:port";

const FORM =
  /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/@]+)(?:\/(?<path>.*))?$/;
const HOST = /^(?:\[(?<v6>[0-9a-f:]+)\]|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?$/i;
const DEFAULT_PORT = { server: 6_379, cluster: 6_379, sentinel: 26_379 } as const;

function readHost(text: string, defaultPort: number): { host: string; port: number } | null {
  const found = HOST.exec(text)?.groups;
  const port = Number(found?.port ?? defaultPort);
  const host = found?.v6 ?? found?.name;
  return host === undefined || port < 1 || port > 65_535 ? null : { host, port };
}

function decoded(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : decodeURIComponent(text);
}

/** Null for a URL of no accepted form. */
export function parseRedisUrl(url: string): RedisAddress | null {
  const found = FORM.exec(url)?.groups;
  if (found === undefined) return null;
  const kind = found.kind === "sentinel" || found.kind === "cluster" ? found.kind : "server";
  const hosts = (found.hosts ?? "").split(",").map((one) => readHost(one, DEFAULT_PORT[kind]));
  const nodes = hosts.filter((one) => one !== null);
  if (nodes.length < hosts.length || (kind === "server" && nodes.length !== 1)) return null;
  const path = (found.path ?? "").split("/").filter((part) => part !== "");
  const name = kind === "sentinel" ? (path.shift() ?? "") : "";
  const [database = "0", ...rest] = path;
  if ((kind === "sentinel" && name === "") || !/^\d{1,3}$/.test(database) || rest.length > 0) return null;
  if (kind === "cluster" && database !== "0") return null;
  try {
    const credentials = { username: decoded(found.user), password: decoded(found.password) };
    return { kind, isTls: found.tls === "s", nodes, ...credentials, database: Number(database), name };
  } catch {
    // A percent sign that encodes nothing.
    return null;
  }
}
