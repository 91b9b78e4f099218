import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DEFAULT_LIMITS } from "@/lib/contracts/limits";
import type { Outbound } from "@/lib/http/core/exchange";
import { createNextAdapter } from "@/lib/http/next/adapter";
import { openGatewayHarness } from "../../support/gateway-harness";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ["/v1/audio/speech", 5_000],
  ["/api/usage/export", 60_000],
])("disconnects a caller of %s who reads nothing for %d ms, and not one who reads", async (path, idleMs) => {
  const { services } = openGatewayHarness();
  services.instance.limits = { ...DEFAULT_LIMITS, readerIdleMs: 5_000 };
  let returned = 0;
  async function* endless() {
    try {
      for (;;) yield new Uint8Array(1);
    } finally {
      returned += 1;
    }
  }
  const open = createNextAdapter(
    async () => ({ status: 200, headers: {}, body: endless() }),
    async () => services,
  );
  const reply = await open(new Request(`http://localhost${path}`));
  const reader = reply.body?.getReader();
  for (let piece = 0; piece < 3; piece++) {
    expect((await reader?.read())?.value).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(idleMs - 1);
  }
  expect(returned).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(returned).toBe(1);
  await expect(reader?.read()).rejects.toMatchObject({ code: "caller_left" });
});

test("disconnects a caller who never starts to read", async () => {
  const { services } = openGatewayHarness();
  services.instance.limits = { ...DEFAULT_LIMITS, readerIdleMs: 5_000 };
  const body = { [Symbol.asyncIterator]: () => source };
  const source = { next: vi.fn(), return: vi.fn(async () => ({ done: true as const, value: undefined })) };
  const open = createNextAdapter(
    async () => ({ status: 200, headers: {}, body }),
    async () => services,
  );
  const reply = await open(new Request("http://localhost/v1/audio/speech"));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(source.return).toHaveBeenCalledTimes(1);
  await expect(reply.body?.getReader().read()).rejects.toMatchObject({ code: "caller_left" });
});

describe("the resources of a request", () => {
  const streamed = async function* () {
    yield new Uint8Array(1);
    yield new Uint8Array(1);
  };
  async function hold(body: () => Outbound["body"], headers = {}) {
    const held = { released: 0 };
    const open = createNextAdapter(
      async (request) => {
        request.onFinished(() => {
          held.released += 1;
        });
        return { status: 200, headers, body: body() };
      },
      async () => openGatewayHarness().services,
    );
    const reply = open(new Request("http://localhost/v1/audio/speech"));
    return { held, reply };
  }

  test("are released with a whole reply, and at the end of a streamed one", async () => {
    const whole = await hold(() => new Uint8Array(1));
    await whole.reply;
    expect(whole.held.released).toBe(1);
    const stream = await hold(streamed);
    const reader = (await stream.reply).body?.getReader();
    await reader?.read();
    expect(stream.held.released).toBe(0);
    await reader?.read();
    await reader?.read();
    expect(stream.held.released).toBe(1);
  });

  test("are released when the caller leaves, the body throws or the headers cannot be sent", async () => {
    const left = await hold(streamed);
    await (await left.reply).body?.cancel();
    const broken = await hold(async function* () {
      yield* [];
      throw new Error("the rest is lost");
    });
    await expect((await broken.reply).arrayBuffer()).rejects.toThrow("the rest is lost");
    const body = { next: vi.fn(), return: vi.fn(async () => ({ done: true as const, value: undefined })) };
    const refused = await hold(() => ({ [Symbol.asyncIterator]: () => body }), { "x-broken": "a\nb" });
    await expect(refused.reply).rejects.toThrow();
    expect(body.return).toHaveBeenCalledTimes(1);
    expect([left, broken, refused].map(({ held }) => held.released)).toEqual([1, 1, 1]);
  });
});
