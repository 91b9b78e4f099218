import {
  createClient,
  createCluster,
  createSentinel,
  RESP_TYPES,
  type RedisArgument,
  type RedisClientOptions,
} from "@redis/client";
import type { RedisAddress } from "./address";

/** What Patchbay needs of a Redis server, a primary behind sentinels, or a cluster. */
export interface RedisClient {
  /**
   * False before the first connection and while it is lost: a command would fail at once. A cluster stays ready after
   * its first connection, since it has no state of its own while nodes are lost; commands fail then.
   */
  readonly isReady: boolean;
  /**
   * Resolves at the first connection; a lost one is restored. The client of a single server retries until `destroy`;
   * behind sentinels, and with a cluster, a failed attempt rejects.
   */
  connect(): Promise<unknown>;
  /** `firstKey` chooses the node of a cluster; all keys of a command have the same hash tag. */
  send(firstKey: string, args: RedisArgument[]): Promise<unknown>;
  /** The same, with strings of the answer as Buffers. */
  sendForBytes(firstKey: string, args: RedisArgument[]): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  /**
   * Replaces the connection and keeps its subscriptions. Absent behind sentinels and in a cluster, which name the primary
   * themselves.
   */
  reconnect?(): void;
  destroy(): void;
}

export interface RedisClientEvents {
  /** A lost connection, or a failed attempt to connect. */
  onError(error: Error): void;
  /** A new connection: messages may have been missed. */
  onReady(): void;
}

const CONNECT_MS = 2_000;
/** A connection without any byte for this long is closed; a ping is sent more often. */
const SILENT_MS = 5_000;
const PING_MS = 2_000;
const MAX_RECONNECT_MS = 2_000;
const AS_BYTES = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } };

const reconnectAfterMs = (retries: number): number =>
  Math.min(MAX_RECONNECT_MS, 50 * 2 ** Math.min(retries, 6));

type NodeOptions = Pick<
  RedisClientOptions,
  "username" | "password" | "disableOfflineQueue" | "name" | "pingInterval"
>;

/** What connections of every kind have in common. */
function optionsOf({ isTls, username, password }: RedisAddress, ca: string[] | null) {
  const timing = {
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    reconnectStrategy: reconnectAfterMs,
  };
  const socket = isTls ? { ...timing, tls: true as const, ...(ca === null ? {} : { ca }) } : timing;
  // Without an offline queue a command fails at once while the connection is lost.
  const common: NodeOptions = { name: "patchbay", disableOfflineQueue: true, pingInterval: PING_MS };
  if (username !== undefined) common.username = username;
  if (password !== undefined) common.password = password;
  return { ...common, socket };
}

type Options = ReturnType<typeof optionsOf>;

function openCluster(
  { nodes }: RedisAddress,
  options: Options,
  { onError, onReady }: RedisClientEvents,
): RedisClient {
  const cluster = createCluster({
    rootNodes: nodes.map((node) => ({ socket: { ...options.socket, ...node } })),
    defaults: options,
  });
  let hasConnected = false;
  cluster.on("error", onError).on("node-ready", onReady);
  return {
    get isReady() {
      return hasConnected;
    },
    async connect() {
      await cluster.connect();
      hasConnected = true;
      onReady();
    },
    send: (firstKey, args) => cluster.sendCommand(firstKey, false, args),
    sendForBytes: (firstKey, args) => cluster.sendCommand(firstKey, false, args, AS_BYTES),
    subscribe: (channel, listener) => cluster.subscribe(channel, listener),
    destroy: () => cluster.destroy(),
  };
}

function openBehindSentinels(
  { name, nodes, database }: RedisAddress,
  options: Options,
  { onError, onReady }: RedisClientEvents,
): RedisClient {
  const sentinel = createSentinel({
    name,
    sentinelRootNodes: [...nodes],
    nodeClientOptions: { ...options, database },
    sentinelClientOptions: { socket: options.socket },
    passthroughClientErrorEvents: true,
  });
  sentinel.on("error", onError).on("topology-change", onReady);
  return {
    get isReady() {
      return sentinel.isReady;
    },
    async connect() {
      await sentinel.connect();
      onReady();
    },
    send: (_firstKey, args) => sentinel.sendCommand(false, args),
    sendForBytes: (_firstKey, args) => sentinel.sendCommand(false, args, AS_BYTES),
    subscribe: (channel, listener) => sentinel.subscribe(channel, listener),
    destroy: () => void sentinel.destroy().catch(() => undefined),
  };
}

function openServer(
  { nodes, database }: RedisAddress,
  options: Options,
  { onError, onReady }: RedisClientEvents,
): RedisClient {
  const [first = { host: "127.0.0.1", port: 6_379 }] = nodes;
  const client = createClient({ ...options, database, socket: { ...options.socket, ...first } });
  client.on("error", onError).on("ready", onReady);
  return {
    get isReady() {
      return client.isReady;
    },
    connect: () => client.connect(),
    send: (_firstKey, args) => client.sendCommand(args),
    sendForBytes: (_firstKey, args) => client.sendCommand(args, AS_BYTES),
    subscribe: (channel, listener) => client.subscribe(channel, listener),
    reconnect() {
      // Otherwise it is connecting already.
      if (!client.isReady) return;
      client.destroy();
      // Rejects only after another `destroy`.
      client.connect().catch(() => undefined);
    },
    destroy: () => client.destroy(),
  };
}

const OPEN = {
  server: openServer,
  sentinel: openBehindSentinels,
  cluster: openCluster,
} satisfies Record<RedisAddress["kind"], unknown>;

/**
 * `readCa` returns the certificate (PEM) of the authority that signed the server's; null: Node's own authorities. It is
 * called again when a connection is lost or fails, since the authority may have changed; with a cluster, when all of
 * its nodes fail.
 */
export function createRedisClient(
  address: RedisAddress,
  readCa: (() => string) | null,
  { onError, onReady }: RedisClientEvents,
): RedisClient {
  // The client copies its options but not this list, which Node reads for each connection.
  const ca = readCa === null ? null : [readCa()];
  return OPEN[address.kind](address, optionsOf(address, ca), {
    onReady,
    onError(error) {
      if (readCa !== null) ca?.splice(0, 1, readCa());
      onError(error);
    },
  });
}
