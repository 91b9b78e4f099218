import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAppError } from "../../lib/errors";
import type { ChannelRecord } from "../../lib/ports/store";
import { createConnector } from "../../lib/providers/outbound/connector";
import { CERTIFICATES } from "../support/upstream/certificates";
import { callOptions, channelTo, createRig, type RigOptions, UPSTREAM_KEY } from "../support/upstream/rig";
import { startUpstream, type Upstream } from "../support/upstream/server";

let secure: Upstream;
let expired: Upstream;
let otherHost: Upstream;
beforeAll(async () => {
  secure = await startUpstream({ tls: CERTIFICATES.good });
  expired = await startUpstream({ tls: CERTIFICATES.expired });
  otherHost = await startUpstream({ tls: CERTIFICATES.otherHost });
});
afterAll(async () => {
  await Promise.all([secure.close(), expired.close(), otherHost.close()]);
});

/** Failure and error of one embeddings call; `ok` for a success. */
async function call(
  rig: ReturnType<typeof createRig>,
  fields: Partial<ChannelRecord>,
  firstByteBy = performance.now() + 20_000,
): Promise<{ failure: string | null; error: unknown }> {
  const channel = channelTo("openai", { origin: "" }, fields);
  try {
    await rig.embedding(channel).embed({ model: "embed", texts: ["a"] }, callOptions({ firstByteBy }));
    return { failure: "ok", error: null };
  } catch (error) {
    return { failure: rig.failureOf(error), error };
  }
}

async function once(fields: Partial<ChannelRecord>, upstreams: Upstream[], options: RigOptions = {}) {
  const rig = createRig(upstreams, options);
  const result = await call(rig, fields);
  await rig.close();
  return result;
}

test("trusts a certificate only if it is valid for the host and its channel's own CA has signed it", async () => {
  const at = (upstream: Upstream, ca?: string) =>
    once({ baseUrl: `${upstream.origin}/v1`, options: ca === undefined ? {} : { ca } }, [upstream]);
  expect((await at(secure, CERTIFICATES.good.cert)).failure).toBe("ok");
  expect((await at(secure)).failure).toBe("tls_failed");
  expect((await at(secure, CERTIFICATES.expired.cert)).failure).toBe("tls_failed");
  expect((await at(expired, CERTIFICATES.expired.cert)).failure).toBe("tls_failed");
  expect((await at(otherHost, CERTIFICATES.otherHost.cert)).failure).toBe("tls_failed");
  expect([expired.ledger.length, otherHost.ledger.length]).toEqual([0, 0]);
});

test("skips informational responses over TLS", async () => {
  const rig = createRig([secure]);
  const channel = channelTo("openai", secure, { options: { ca: CERTIFICATES.good.cert } });
  const model = rig.embedding(channel);
  for (let call = 0; call < 2; call += 1) {
    const reply = await model.embed({ model: "embed.8--informational", texts: ["a"] }, callOptions());
    expect(reply.vectors[0]).toHaveLength(8);
  }
  await rig.close();
  await secure.whenNoSockets();
});

const NAMES: readonly [string, string[]][] = [
  ["169.254.169.254.nip.io", ["169.254.169.254"]],
  ["localtest.me", ["127.0.0.1"]],
  ["localhost.", ["127.0.0.1"]],
  ["both.example", ["93.184.216.34", "127.0.0.1"]],
  ["six.example", ["93.184.216.34", "::1"]],
  ["mapped.example", ["::ffff:127.0.0.1"]],
  ["nat64.example", ["64:ff9b::7f00:1"]],
];

test.each(NAMES)("never connects to %s, which resolves to %j", async (name, addresses) => {
  const before = secure.ledger.length;
  const { failure, error } = await once({ baseUrl: `https://${name}:${secure.port}/v1` }, [], {
    lookup: async () => addresses,
  });
  expect(failure).toBe("address_refused");
  expect(error).toMatchObject({ code: "upstream_error" });
  expect([secure.ledger.length, secure.openSockets()]).toEqual([before, 0]);
});

test("refuses a name that changes from a public to a private address at the next connection", async () => {
  // 192.0.2.1 is unassigned (RFC 5737): the first connection fails or times out.
  const answers = [["192.0.2.1"], ["127.0.0.1"]];
  let ahead = 0;
  const rig = createRig([], {
    limits: { upstreamConnectMs: 150 },
    lookup: async () => answers.shift() ?? ["127.0.0.1"],
    clock: { now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead },
  });
  const fields = { id: "chn_flip", baseUrl: `https://flip.example:${secure.port}/v1`, keys: [] };
  const first = await call(rig, fields);
  expect(["connect_timeout", "connection_refused"]).toContain(first.failure);
  ahead = 400_000;
  const second = await call(rig, fields, performance.now() + ahead + 20_000);
  expect(second.failure).toBe("address_refused");
  expect(secure.openSockets()).toBe(0);
  await rig.close();
});

test("checks the peer of an established connection again", async () => {
  const plain = await startUpstream();
  const asked: string[] = [];
  const connect = createConnector({
    resolver: { resolve: async () => ["127.0.0.1"] },
    // As if the address had changed between both checks.
    mayConnect: (address) => asked.push(address) === 1,
    isWanted: () => true,
    areReadersBehind: () => false,
    connectMs: 1_000,
    tlsMs: 1_000,
  });
  const options = { hostname: "h.example", protocol: "http:", port: String(plain.port) };
  const error = await new Promise((resolve) => connect(options, (...[failure]) => resolve(failure)));
  expect(error).toMatchObject({ kind: "address_refused" });
  expect(asked).toEqual(["127.0.0.1", "127.0.0.1"]);
  await plain.whenNoSockets();
  await plain.close();
});

test("a connection delivers every byte while readers are behind and it reads small pieces", async () => {
  const sent = Buffer.from(`HTTP/1.1 200 OK\r\n\r\n${"0123456789".repeat(2_000)}`);
  const server = createServer((socket) => socket.end(sent));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connect = createConnector({
    resolver: { resolve: async () => ["127.0.0.1"] },
    mayConnect: () => true,
    isWanted: () => true,
    areReadersBehind: () => true,
    connectMs: 1_000,
    tlsMs: 1_000,
  });
  const { port } = server.address() as AddressInfo;
  const options = { hostname: "h.example", protocol: "http:", port: String(port) };
  const socket = await new Promise<Socket>((resolve, reject) =>
    connect(options, (...[error, opened]) => (error === null ? resolve(opened) : reject(error))),
  );
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(1);
  expect(Buffer.concat(pieces).equals(sent)).toBe(true);
  server.close();
});

test("a channel whose address was removed from the list cannot connect and reveals nothing", async () => {
  const plain = await startUpstream();
  const { failure, error } = await once({ baseUrl: `${plain.origin}/v1` }, []);
  expect(failure).toBe("address_refused");
  expect(isAppError(error) && error.message).not.toContain("127.0.0.1");
  expect(plain.ledger.length).toBe(0);
  await plain.close();
});

test("gives callers the same error for closed, silent, refused, unknown and untrusted upstreams", async () => {
  const silent = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const closing = createServer();
  await new Promise<void>((resolve) => closing.listen(0, "127.0.0.1", resolve));
  // TCP servers have an address and a port.
  const closed = (closing.address() as AddressInfo).port;
  const mute = (silent.address() as AddressInfo).port;
  await new Promise((resolve) => closing.close(resolve));
  const options = {
    allow: [`localhost:${closed}`, `localhost:${mute}`],
    limits: { upstreamTlsMs: 150 },
  };
  const results = await Promise.all([
    once({ baseUrl: `https://localhost:${closed}` }, [], options),
    once({ baseUrl: `https://localhost:${mute}` }, [], options),
    once({ baseUrl: `https://localhost:${secure.port}` }, [secure]),
    once({ baseUrl: "https://private.example" }, [], { lookup: async () => ["10.0.0.1"] }),
    once({ baseUrl: "https://unknown.example" }, [], {
      lookup: () => Promise.reject(new Error("ENOTFOUND")),
    }),
  ]);
  expect(results.map(({ failure }) => failure)).toEqual([
    "connection_refused",
    "tls_failed",
    "tls_failed",
    "address_refused",
    "name_unknown",
  ]);
  const messages = results.map(({ error }) =>
    isAppError(error) ? [error.code, error.message, error.details] : error,
  );
  for (const one of messages)
    expect(one).toEqual(["upstream_error", "The channel's upstream could not be reached.", {}]);
  await new Promise((resolve) => silent.close(resolve));
});

test.each([301, 302, 303, 307, 308])(
  "does not follow a redirect with %i or send it the key",
  async (status) => {
    const second = await startUpstream();
    const first = await startUpstream({ redirectTo: `${second.origin}/v1/embeddings` });
    const rig = createRig([first, second]);
    for (const provider of ["openai", "gemini"]) {
      const work = rig
        .embedding(channelTo(provider, first))
        .embed({ model: `embed--redirect-${status}`, texts: ["a"] }, callOptions());
      await expect(work).rejects.toMatchObject({ code: "upstream_redirect" });
    }
    expect(JSON.stringify(first.ledger.map(({ headers }) => headers))).toContain(UPSTREAM_KEY);
    expect([second.ledger.length, second.openSockets()]).toEqual([0, 0]);
    await rig.close();
    await first.close();
    await second.close();
  },
);
