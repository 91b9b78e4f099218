import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../lib/contracts/limits";
import { checkHead } from "../../../lib/http/core/edge-guard";
import type { Handler, Inbound, Outbound } from "../../../lib/http/core/exchange";
import { closeWithConnection, NodeAdapter } from "../../../lib/http/node/adapter";
import { SYSTEM_CLOCK } from "../../support/factories";
import { openWire } from "../../support/raw-request";

/** The Node adapter on a real socket, with faulty handlers and callers that do not read. */

let server: Server | undefined;
const broken: unknown[] = [];
afterEach(() => {
  broken.length = 0;
  server?.closeAllConnections();
  server?.close();
});

async function serve(
  handler: Handler,
  stalledMs?: number,
  readerIdleMs = DEFAULT_LIMITS.readerIdleMs,
): Promise<{ port: number; inFlight(): number }> {
  const adapter = new NodeAdapter({
    handler,
    clock: SYSTEM_CLOCK,
    limits: { ...DEFAULT_LIMITS, readerIdleMs },
    isDraining: () => false,
    onBroken: (error) => broken.push(error),
    ...(stalledMs === undefined ? {} : { stalledMs }),
  });
  const made = createServer((message, response) => {
    closeWithConnection(message, response);
    const { method = "GET", url: target = "/", httpVersion, rawHeaders } = message;
    const head = checkHead({ method, target, httpVersion, rawHeaders });
    void adapter.handle(message, response, head, { address: null, isLocal: false, isSecure: false }, "id");
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is an object.
  return { port: (made.address() as AddressInfo).port, inFlight: () => adapter.inFlight };
}

const GET = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
const GET_OF_CONSOLE = GET.replace("/", "/api/usage/export");
const replyOf = (body: Outbound["body"]): Outbound => ({ status: 200, headers: {}, body });
const CHUNK = new Uint8Array(64 * 1024).fill(120);
/** Far more than the kernel buffers of one connection hold. */
const ALL = 256 * 1024 * 1024;

/** A body without end, and the number of times that its reader ended it. */
function endlessBody() {
  let returned = 0;
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false as const, value: CHUNK }),
      return: async () => {
        returned += 1;
        return { done: true as const, value: undefined };
      },
    }),
  };
  return { body, returns: () => returned };
}

test("a body that is in memory yields to other work after a megabyte that the system accepted immediately", async () => {
  const pulled: { bytes: number; atFirstTurn: number | null } = { bytes: 0, atFirstTurn: null };
  async function* inMemory() {
    setImmediate(() => {
      pulled.atFirstTurn = pulled.bytes;
    });
    for (; pulled.bytes < ALL / 16; pulled.bytes += CHUNK.length) yield CHUNK;
  }
  const { port } = await serve(async () => replyOf(inMemory()));
  const wire = await openWire(port);
  wire.send(GET);
  await wire.until("0\r\n\r\n");
  expect(pulled.atFirstTurn).toBeLessThanOrEqual(1024 * 1024 + CHUNK.length);
  wire.destroy();
});

describe("a caller who does not read", () => {
  test("receives no more chunks than the connection buffers, and stops the body by disconnecting", async () => {
    let made = 0;
    let returned = 0;
    async function* endless() {
      try {
        while (made < ALL) {
          made += CHUNK.length;
          yield CHUNK;
        }
      } finally {
        returned += 1;
      }
    }
    const { port, inFlight } = await serve(async () => replyOf(endless()));
    const wire = await openWire(port);
    wire.pause();
    wire.send(GET);
    let last = -1;
    const hasStopped = () => {
      const isSame = made === last && made > 0;
      last = made;
      return isSame;
    };
    await expect.poll(hasStopped, { timeout: 10_000, interval: 300 }).toBe(true);
    expect(made).toBeLessThan(ALL / 4);
    expect(returned).toBe(0);
    wire.destroy();
    await expect.poll(() => [returned, inFlight()]).toEqual([1, 0]);
    expect(broken).toEqual([]);
  });

  test("is disconnected by the console after its timeout, and by the gateway after readerIdleMs", async () => {
    const returned: string[] = [];
    const reasons: unknown[] = [];
    async function* endless(path: string) {
      try {
        for (;;) yield CHUNK;
      } finally {
        returned.push(path);
      }
    }
    const open = async (stalledMs: number, readerIdleMs: number) => {
      const { port, inFlight } = await serve(
        async ({ path, signal }) => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          return replyOf(endless(path));
        },
        stalledMs,
        readerIdleMs,
      );
      const [gateway, console] = [await openWire(port), await openWire(port)];
      gateway.pause();
      console.pause();
      gateway.send(GET.replace("/", "/v1/audio/speech"));
      console.send(GET_OF_CONSOLE);
      const before = returned.length;
      await expect.poll(() => returned.length, { timeout: 10_000 }).toBe(before + 1);
      expect(inFlight()).toBe(1);
      gateway.destroy();
      console.destroy();
      server?.close();
      await expect.poll(() => [returned.length, inFlight()]).toEqual([before + 2, 0]);
    };
    await open(300, 600_000);
    expect(returned).toEqual(["/api/usage/export", "/v1/audio/speech"]);
    await open(600_000, 300);
    expect(returned.slice(2)).toEqual(["/v1/audio/speech", "/api/usage/export"]);
    expect(reasons).toEqual(Array(4).fill(expect.objectContaining({ code: "caller_left" })));
    expect(broken).toEqual([]);
  });

  test("delays the body: its next chunk is pulled only when all others were sent", async () => {
    let pulls = 0;
    const body = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          pulls += 1;
          // One chunk larger than the kernel's buffers; the second pull would end the body.
          const value = Buffer.alloc(ALL / 4);
          return pulls === 1 ? { done: false as const, value } : { done: true as const, value: undefined };
        },
      }),
    };
    const { port } = await serve(async ({ path }) =>
      replyOf(path === "/v1/audio/speech" ? body : new TextEncoder().encode("well")),
    );
    const wire = await openWire(port);
    wire.pause();
    wire.send(GET.replace("/", "/v1/audio/speech"));
    await expect.poll(() => pulls).toBe(1);
    // Enough time for an eager adapter to pull the next chunk.
    for (let calls = 0; calls < 20; calls += 1) {
      const other = await openWire(port);
      other.send(GET);
      await other.until("well");
      other.destroy();
    }
    expect(pulls).toBe(1);
    wire.resume();
    await expect.poll(() => pulls, { timeout: 10_000 }).toBe(2);
    wire.destroy();
  });
});

test("sends the head together with a chunk that is available, and does not wait for a later one", async () => {
  let write: (chunk: IteratorResult<Uint8Array>) => void = () => {};
  const bodyOf = (first: Promise<IteratorResult<Uint8Array>>) => {
    const steps = [first, Promise.resolve({ done: true as const, value: undefined })];
    return { [Symbol.asyncIterator]: () => ({ next: () => steps.shift() ?? first }) };
  };
  const chunk = { done: false as const, value: Buffer.from("sound") };
  const late = new Promise<IteratorResult<Uint8Array>>((resolve) => {
    write = resolve;
  });
  const { port } = await serve(async ({ path }) =>
    replyOf(bodyOf(path === "/v1/late" ? late : Promise.resolve(chunk))),
  );
  const now = await openWire(port);
  now.send(GET.replace("/", "/v1/now"));
  expect(await now.until("0\r\n\r\n")).toContain("\r\n\r\n5\r\nsound\r\n");
  const wire = await openWire(port);
  wire.send(GET.replace("/", "/v1/late"));
  expect(await wire.until("\r\n\r\n")).not.toContain("sound");
  write(chunk);
  expect(await wire.until("0\r\n\r\n")).toContain("sound");
  now.destroy();
  wire.destroy();
});

describe("the resources of a request", () => {
  /** Serves `reply` and counts how often the resources were released. */
  async function open(
    reply: (signal: Inbound["signal"]) => Outbound | Promise<Outbound>,
    readerIdleMs?: number,
  ) {
    const held = { released: 0 };
    const { port } = await serve(
      async (request) => {
        request.onFinished(() => {
          held.released += 1;
        });
        return reply(request.signal);
      },
      undefined,
      readerIdleMs,
    );
    const wire = await openWire(port);
    return { held, wire };
  }

  test("are released once a small reply is sent", async () => {
    const { held, wire } = await open(() => replyOf(new TextEncoder().encode("well")));
    wire.send(GET);
    await wire.until("well");
    await expect.poll(() => held.released).toBe(1);
    wire.destroy();
    await wire.ended;
    expect(held.released).toBe(1);
  });

  test("are kept while a whole reply is unread, and released when the caller has read it", async () => {
    const { held, wire } = await open(() => replyOf(Buffer.alloc(ALL / 4, 120)));
    wire.pause();
    wire.send(GET);
    // Enough time for an adapter that releases too early.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(held.released).toBe(0);
    wire.resume();
    await expect.poll(() => held.released, { timeout: 10_000 }).toBe(1);
    wire.destroy();
  });

  test("are released with a refusal, although the rest of the upload has not arrived", async () => {
    const { held, wire } = await open(() => replyOf(new TextEncoder().encode("too large")));
    wire.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n");
    await wire.until("too large");
    expect(wire.isClosed()).toBe(false);
    await expect.poll(() => held.released, { timeout: 300 }).toBe(1);
    wire.destroy();
  });

  test("are kept while a reply waits for the one before it on its connection", async () => {
    let end = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      end = resolve;
    });
    let calls = 0;
    const { held, wire } = await open(async () => {
      calls += 1;
      if (calls === 1) await gate;
      return replyOf(new TextEncoder().encode("well"));
    });
    wire.send(GET + GET);
    await expect.poll(() => calls).toBe(2);
    // Enough time for the second reply to be written.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(held.released).toBe(0);
    end();
    await expect.poll(() => held.released).toBe(2);
    wire.destroy();
  });

  test("are released after readerIdleMs when the caller reads nothing of a whole reply", async () => {
    const reasons: unknown[] = [];
    const { held, wire } = await open((signal) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      return replyOf(Buffer.alloc(ALL / 4, 120));
    }, 300);
    wire.pause();
    wire.send(GET.replace("/", "/v1/embeddings"));
    await expect.poll(() => held.released, { timeout: 10_000 }).toBe(1);
    expect(reasons).toEqual([expect.objectContaining({ code: "caller_left" })]);
    wire.destroy();
  });

  test("are released when the head cannot be written, and the body is ended", async () => {
    const { body, returns } = endlessBody();
    const { held, wire } = await open(() => ({ ...replyOf(body), headers: { "x-broken": "a\nb" } }));
    wire.send(GET);
    expect(await wire.ended).toBe("");
    expect([held.released, returns()]).toEqual([1, 1]);
    expect(broken).toHaveLength(1);
  });

  test("are released when the handler throws, and when the body does", async () => {
    const thrown = await open(() => {
      throw new Error("a handler's bug");
    });
    thrown.wire.send(GET);
    await thrown.wire.ended;
    expect(thrown.held.released).toBe(1);
    async function* breaking() {
      yield CHUNK;
      throw new Error("the rest is lost");
    }
    const failed = await open(() => replyOf(breaking()));
    failed.wire.send(GET);
    await failed.wire.ended;
    expect(failed.held.released).toBe(1);
  });

  test("are kept until the handler of a caller who left has ended", async () => {
    let end: (() => void) | null = null;
    const { held, wire } = await open(
      (signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            end = () => resolve(replyOf(null));
          });
        }),
    );
    wire.send(GET);
    // Enough time for the request to arrive.
    await new Promise((resolve) => setTimeout(resolve, 50));
    wire.destroy();
    const endOf = () => end;
    await expect.poll(() => endOf() !== null).toBe(true);
    expect(held.released).toBe(0);
    endOf()?.();
    await expect.poll(() => held.released).toBe(1);
  });
});

describe("a caller who disconnects", () => {
  test("aborts the signal of a running handler, whose body is then discarded", async () => {
    const { body, returns } = endlessBody();
    let reason: unknown;
    const { port, inFlight } = await serve(
      (request) =>
        new Promise((resolve) => {
          request.signal.addEventListener("abort", () => {
            reason = request.signal.reason;
            resolve(replyOf(body));
          });
        }),
    );
    const wire = await openWire(port);
    wire.send(GET);
    await expect.poll(inFlight).toBe(1);
    wire.destroy();
    await expect.poll(() => [returns(), inFlight()]).toEqual([1, 0]);
    expect(reason).toMatchObject({ code: "caller_left" });
  });
});

describe("a pipelined request whose connection closes before its turn", () => {
  /** The first reply has no end, so the second waits; resolves when both have begun. */
  async function pipeline(second: (request: Inbound) => Promise<Outbound>) {
    const first = endlessBody();
    let calls = 0;
    const { port, inFlight } = await serve((request) => {
      calls += 1;
      return calls === 1 ? Promise.resolve(replyOf(first.body)) : second(request);
    });
    const wire = await openWire(port);
    wire.pause();
    wire.send(GET + GET);
    await expect.poll(() => calls).toBe(2);
    expect(inFlight()).toBe(2);
    return { wire, inFlight };
  }

  test("aborts the signal of its handler with `caller_left`", async () => {
    let reason: unknown;
    const { wire, inFlight } = await pipeline(
      (request) =>
        new Promise((resolve) => {
          request.signal.addEventListener("abort", () => {
            reason = request.signal.reason;
            resolve(replyOf(null));
          });
        }),
    );
    wire.destroy();
    await expect.poll(inFlight).toBe(0);
    expect(reason).toMatchObject({ code: "caller_left" });
  });

  test("is finished without reading the rest of its body", async () => {
    const { body, returns } = endlessBody();
    const { wire, inFlight } = await pipeline(async () => replyOf(body));
    wire.destroy();
    await expect.poll(() => [inFlight(), returns()]).toEqual([0, 1]);
  });
});

test("fifty pipelined requests cause no warning of a listener leak", async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => {
    if (name === "MaxListenersExceededWarning") warnings.push(name);
  };
  process.on("warning", onWarning);
  let calls = 0;
  const { port, inFlight } = await serve(() => {
    calls += 1;
    return new Promise(() => undefined);
  });
  const wire = await openWire(port);
  wire.send(GET.repeat(50));
  await expect.poll(() => calls).toBe(50);
  wire.destroy();
  await expect.poll(inFlight).toBe(0);
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

test("a pipelined reply emits one close, whether its connection closes during or after its turn", async () => {
  const closes: number[] = [];
  const { body } = endlessBody();
  let calls = 0;
  const { port, inFlight } = await serve(async () => {
    calls += 1;
    return calls < 3 ? replyOf(new TextEncoder().encode(`reply ${calls}`)) : replyOf(body);
  });
  server?.on("request", (_message, response) => {
    const index = closes.push(0) - 1;
    response.on("close", () => {
      closes[index] = (closes[index] ?? 0) + 1;
    });
  });
  const wire = await openWire(port);
  wire.send(GET + GET + GET);
  await wire.until("xxx");
  wire.destroy();
  await expect.poll(inFlight).toBe(0);
  // Node emits its own `close` after the adapter's.
  await new Promise((resolve) => setImmediate(resolve));
  expect(closes).toEqual([1, 1, 1]);
});

describe("a body that fails", () => {
  test("destroys the connection after the sent chunks instead of ending the reply, and is reported", async () => {
    async function* breaking() {
      yield new TextEncoder().encode("the first part");
      throw new Error("the rest is lost");
    }
    const { port, inFlight } = await serve(async () => replyOf(breaking()));
    const wire = await openWire(port);
    wire.send(GET);
    const all = await wire.ended;
    expect(all).toContain("the first part");
    expect(all.endsWith("0\r\n\r\n")).toBe(false);
    expect(broken).toEqual([expect.objectContaining({ message: "the rest is lost" })]);
    await expect.poll(inFlight).toBe(0);
  });

  test("closes only its own connection", async () => {
    let calls = 0;
    const { port } = await serve(async () => {
      calls += 1;
      if (calls === 1) throw new Error("a handler's bug");
      return replyOf(new TextEncoder().encode("well"));
    });
    const first = await openWire(port);
    first.send(GET);
    expect(await first.ended).toBe("");
    const second = await openWire(port);
    second.send(GET);
    expect(await second.until("well")).toMatch(/^HTTP\/1\.1 200/);
    second.destroy();
  });
});
