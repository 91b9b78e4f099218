import {
  connect as connectTcp,
  isIP,
  type LookupFunction,
  type Socket,
  type TcpNetConnectOpts,
} from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { buildConnector } from "undici";
import { systemCode } from "../../errors";
import { acceptContinue } from "./accept-continue";
import { UpstreamFailure } from "./failure";
import { orAfter, type Resolver } from "./resolver";

export interface ConnectorSettings {
  resolver: Resolver;
  /** Called for every resolved address before connecting, and for the peer's address after connecting. */
  mayConnect(address: string, host: string, port: number): boolean;
  /** For the name lookup and the TCP connection together. */
  connectMs: number;
  tlsMs: number;
  /**
   * False when no request waits for a connection. undici opens a connection in place of each one that an abort closed,
   * and would keep it open unused.
   */
  isWanted(): boolean;
  /** True while callers are slow: connections then read little at once, and stop after each read until it is parsed. */
  areReadersBehind(): boolean;
  /** PEM of the certificate authority to trust for this upstream; absent: the system's. */
  ca?: string;
}

/** A connection on which nothing was sent for this long is closed: its request was aborted. */
const UNUSED_MS = 500;
const KEEP_ALIVE_AFTER_MS = 60_000;
/** After this long, a connection over the other address family is attempted in parallel (RFC 8305). */
const NEXT_ADDRESS_MS = 250;
/**
 * The most bytes of one read of a socket, and the most while callers are slow, since each slow caller holds two reads
 * in memory. Neither is the size of Node's buffer pool (8 KiB; 64 KiB from Node 24 on), from which `ReplyStream`
 * concludes that other data shares a buffer.
 */
const READ_BYTES = 63 * 1024;
const SMALL_READ_BYTES = 2 * 1024;
/** A `highWaterMark` of 0 stops the socket from buffering data that undici's parser has not asked for. */
const HIGH_WATER_MARK = 0;
/** The buffer that every connection reads into; its content is copied at once. */
const scratch = Buffer.alloc(READ_BYTES);
const smallScratch = scratch.subarray(0, SMALL_READ_BYTES);

/**
 * Connects for undici. Checks every address of a host before connecting, including a literal one (for which undici does
 * no lookup), and the peer's address after connecting: this prevents DNS rebinding.
 */
export function createConnector(settings: ConnectorSettings): buildConnector.connector {
  return (options, callback) => {
    if (!settings.isWanted()) {
      callback(new UpstreamFailure("connection_lost"), null);
      return;
    }
    open(settings, options).then(
      (socket) => callback(null, socket),
      (error: unknown) =>
        callback(error instanceof Error ? error : new UpstreamFailure("connection_refused"), null),
    );
  };
}

async function open(settings: ConnectorSettings, options: buildConnector.Options): Promise<Socket> {
  const host = options.hostname.replace(/^\[(.*)\]$/, "$1");
  const isSecure = options.protocol === "https:";
  const port = Number(options.port) || (isSecure ? 443 : 80);
  const tcp = await openTcp(settings, host, port);
  const socket = isSecure ? await openTls(settings, tcp, host) : tcp;
  closeUnused(socket, tcp);
  acceptContinue(socket);
  return socket;
}

function closeUnused(socket: Socket, tcp: Socket): void {
  const written = tcp.bytesWritten;
  const timer = setTimeout(() => {
    if (tcp.bytesWritten === written) socket.destroy();
  }, UNUSED_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

async function openTcp(settings: ConnectorSettings, host: string, port: number): Promise<Socket> {
  const until = performance.now() + settings.connectMs;
  const left = () => Math.max(1, until - performance.now());
  const addresses = isIP(host) > 0 ? [host] : await addressesOf(settings.resolver, host, left());
  if (addresses.length === 0) throw new UpstreamFailure("name_unknown");
  // A private address among public ones is an attack: the connection is refused.
  if (!addresses.every((address) => settings.mayConnect(address, host, port))) {
    throw new UpstreamFailure("address_refused");
  }
  // Node passes `highWaterMark` on to the stream, which its types do not say.
  const options: TcpNetConnectOpts & { highWaterMark: number } = {
    host,
    port,
    highWaterMark: HIGH_WATER_MARK,
    // The copy waits in the socket's own queue, like data that Node reads itself. Returning false stops reading until
    // undici has taken the copy. After a read that emptied the kernel's buffer reading continues, because stopping and
    // restarting costs two system calls.
    onread: {
      buffer: () => (settings.areReadersBehind() ? smallScratch : scratch),
      callback: (length) => {
        const mayReadOn = length < READ_BYTES && socket.readableLength === 0 && !settings.areReadersBehind();
        socket.push(Buffer.from(scratch.subarray(0, length)));
        return mayReadOn;
      },
    },
    lookup: answering(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_AFTER_MS,
  };
  const socket: Socket = connectTcp(options);
  await waitForEvent(socket, "connect", left(), (error) =>
    error === null
      ? new UpstreamFailure("connect_timeout")
      : new UpstreamFailure("connection_refused", systemCode(error)),
  );
  if (socket.remoteAddress === undefined || !settings.mayConnect(socket.remoteAddress, host, port)) {
    socket.destroy();
    throw new UpstreamFailure("address_refused");
  }
  return socket;
}

async function openTls({ tlsMs, ca }: ConnectorSettings, socket: Socket, host: string): Promise<TLSSocket> {
  const secure = connectTls({
    socket,
    host,
    ...(isIP(host) > 0 ? {} : { servername: host }),
    ...(ca === undefined ? {} : { ca }),
    ALPNProtocols: ["http/1.1"],
  });
  await waitForEvent(
    secure,
    "secureConnect",
    tlsMs,
    (error) => new UpstreamFailure("tls_failed", systemCode(error)),
  );
  return secure;
}

/**
 * Resolves at the event; destroys the socket and rejects with `toFailure(error)`, or `toFailure(null)` on a timeout.
 */
function waitForEvent(
  socket: Socket,
  event: "connect" | "secureConnect",
  ms: number,
  toFailure: (error: Error | null) => UpstreamFailure,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error | null): void => {
      finish();
      // Further errors of the socket are ignored.
      socket.on("error", () => {});
      socket.destroy();
      reject(toFailure(error));
    };
    const onClose = (): void => fail(new Error("closed"));
    const onEvent = (): void => {
      finish();
      resolve();
    };
    const timer = setTimeout(() => fail(null), ms);
    const finish = (): void => {
      clearTimeout(timer);
      socket.off("error", fail).off("close", onClose).off(event, onEvent);
    };
    socket.once("error", fail).once("close", onClose).once(event, onEvent);
  });
}

async function addressesOf(resolver: Resolver, host: string, ms: number): Promise<readonly string[]> {
  const addresses = await orAfter(resolver.resolve(host), ms, null).catch((error: unknown) => {
    throw new UpstreamFailure("name_unknown", systemCode(error));
  });
  if (addresses === null) throw new UpstreamFailure("connect_timeout");
  return addresses;
}

/** A lookup function for Node that returns these addresses without a query. */
function answering(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}
