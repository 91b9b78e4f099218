import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { expect, test, vi } from "vitest";
import { capConnections } from "@/lib/server/process/connection-cap";

/** A server, and a function that connects from an address; `destroyed` of its socket shows if the server closed it. */
function serverWith(ofAddress: number, trusted: readonly string[] = []) {
  const server = Object.assign(new EventEmitter(), { closeIdleConnections: () => undefined });
  const max = { ofAddress: () => ofAddress, ofAll: () => 100 };
  const cap = capConnections(server as unknown as Server, max, (address) => trusted.includes(address));
  const connect = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      destroyed: false,
      destroy() {
        socket.destroyed = true;
        socket.emit("close");
      },
    });
    server.emit("connection", socket);
    return socket;
  };
  return { cap, connect };
}

test.each([
  ["one IPv4 address", ["192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1"], [false, false, true]],
  ["one IPv6 /64", ["2001:db8:1::5", "2001:db8:1:0:aaaa::5", "2001:db8:1:0:1:2:3:4"], [false, false, true]],
  [
    "a /64 written with :: in its middle",
    ["2001::1:2:3:4:5", "2001:0:0:1::9", "2001:0:0:1::8"],
    [false, false, true],
  ],
  ["two IPv6 /64", ["2001:db8:1::5", "2001:db8:1::6", "2001:db8:1:1::5"], [false, false, false]],
  ["a trusted proxy", ["192.0.2.9", "192.0.2.9", "192.0.2.9"], [false, false, false]],
])("counts connections by address: %s", (_name, addresses, closed) => {
  const { connect } = serverWith(2, ["192.0.2.9"]);
  expect(addresses.map((address) => connect(address).destroyed)).toEqual(closed);
});

test("counts a connection until it closes", () => {
  const { cap, connect } = serverWith(1);
  const first = connect("192.0.2.1");
  expect(connect("192.0.2.1").destroyed).toBe(true);
  expect(cap.open).toBe(1);
  first.destroy();
  expect(cap.open).toBe(0);
  expect(connect("192.0.2.1").destroyed).toBe(false);
});

test("closes idle connections for one above the total, after the requests that have arrived are read", async () => {
  let closed = 0;
  const server = Object.assign(new EventEmitter(), {
    closeIdleConnections: () => {
      closed += 1;
    },
  });
  capConnections(server as unknown as Server, { ofAddress: () => 9, ofAll: () => 1 }, () => false);
  const connect = () =>
    server.emit(
      "connection",
      Object.assign(new EventEmitter(), { remoteAddress: "192.0.2.1", destroy() {} }),
    );
  connect();
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(0);
  connect();
  connect();
  expect(closed).toBe(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(1);
});

test("closes connections above the total at once when a reply would need TLS", () => {
  const server = Object.assign(new EventEmitter(), {
    closeIdleConnections: () => undefined,
    setSecureContext: () => undefined,
  });
  capConnections(server as unknown as Server, { ofAddress: () => 9, ofAll: () => 1 }, () => false);
  const connect = () => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress: "192.0.2.1", destroy: vi.fn() });
    server.emit("connection", socket);
    return socket.destroy;
  };
  expect(connect()).not.toHaveBeenCalled();
  expect(connect()).toHaveBeenCalledOnce();
});
