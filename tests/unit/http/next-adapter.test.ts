import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DEFAULT_LIMITS } from "@/lib/contracts/limits";
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
