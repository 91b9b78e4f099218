import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { enterGateway } from "@/lib/gateway/admission/enter-gateway";
import type { GatewayServices } from "@/lib/gateway/context";
import type { KeyWithOwner } from "@/lib/ports/store";
import { createRateLimiter } from "@/lib/shared-state/memory-limits";
import { keyRecord } from "../../support/factories";
import { openGatewayHarness } from "../../support/gateway-harness";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("a call waits one second in total for the slots of its key, its owner and all calls", async () => {
  const clock = { now: () => performance.now(), monotonic: () => performance.now() };
  const limiter = createRateLimiter(clock);
  const services: GatewayServices = { ...openGatewayHarness().services, clock, limiter };
  // Only its limits are read.
  const caller = {
    key: keyRecord("usr_1", { id: "key_1", concurrency: 1 }),
    owner: { id: "usr_1", rpm: null, concurrency: 1 },
  } as KeyWithOwner;
  const leaveKey = limiter.enter("concurrency:key_1", 1);
  const leaveOwner = limiter.enter("concurrency:usr_1", 1);
  for (let call = 0; call < 2_048; call++) limiter.enter("calls", 2_048);
  const began = performance.now();
  const refused = enterGateway(services, caller, new AbortController().signal, null).catch(
    (error: unknown) => ({ error, afterMs: performance.now() - began }),
  );
  await vi.advanceTimersByTimeAsync(600);
  leaveKey?.();
  await vi.advanceTimersByTimeAsync(300);
  leaveOwner?.();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await refused).toMatchObject({ error: { code: "overloaded" }, afterMs: 1_000 });
});

test("a call is refused when its key has no free slot for one second", async () => {
  const clock = { now: () => performance.now(), monotonic: () => performance.now() };
  const limiter = createRateLimiter(clock);
  const services: GatewayServices = { ...openGatewayHarness().services, clock, limiter };
  // Only its limits are read.
  const caller = {
    key: keyRecord("usr_1", { id: "key_1", concurrency: 1 }),
    owner: { id: "usr_1", rpm: null, concurrency: null },
  } as KeyWithOwner;
  limiter.enter("concurrency:key_1", 1);
  await vi.advanceTimersByTimeAsync(60_000);
  const began = performance.now();
  const refused = enterGateway(services, caller, new AbortController().signal, null).catch(
    (error: unknown) => ({ error, afterMs: performance.now() - began }),
  );
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(Promise.race([refused, "it still waits"])).resolves.toMatchObject({
    error: { code: "rate_limited", details: { limit: "key_concurrency" } },
    afterMs: 1_000,
  });
});

test("a process without a share of a concurrency limit refuses at once with that reason, and asks for no retry", async () => {
  const clock = { now: () => performance.now(), monotonic: () => performance.now() };
  const limiter = createRateLimiter(clock, { index: 2, processes: 2 });
  const services: GatewayServices = { ...openGatewayHarness().services, clock, limiter };
  // Only its limits are read.
  const caller = {
    key: keyRecord("usr_1", { id: "key_1", concurrency: 1 }),
    owner: { id: "usr_1", rpm: null, concurrency: null },
  } as KeyWithOwner;
  await expect(enterGateway(services, caller, new AbortController().signal, null)).rejects.toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("must be at least the number of processes"),
    details: { shouldRetry: false },
  });
});

test("one owner takes at most three quarters of the slots of all calls, and returns them", async () => {
  const counted: string[] = [];
  const metrics = {
    observeCall: () => undefined,
    countRejection: () => undefined,
    count: (name: string) => void counted.push(name),
  };
  const services = { ...openGatewayHarness().services, metrics };
  const { signal } = new AbortController();
  // Only its limits are read.
  const callerOf = (owner: string) =>
    ({ key: keyRecord(owner), owner: { id: owner, rpm: null, concurrency: null } }) as KeyWithOwner;
  const slots = [];
  for (let call = 0; call < 1_536; call++)
    slots.push(await enterGateway(services, callerOf("usr_1"), signal, null));
  const refused = enterGateway(services, callerOf("usr_1"), signal, null);
  const refusal = expect(refused).rejects.toMatchObject({
    code: "rate_limited",
    details: { limit: "user_concurrency" },
  });
  await vi.advanceTimersByTimeAsync(1_000);
  await refusal;
  expect(counted).toEqual(["rate_limited"]);
  (await enterGateway(services, callerOf("usr_2"), signal, null)).leave();
  slots[0]?.leave();
  (await enterGateway(services, callerOf("usr_1"), signal, null)).leave();
});

/** A caller whose Idempotency-Key "again" belongs to a running call. */
async function repeatingCaller(services: GatewayServices, keyId: string): Promise<KeyWithOwner> {
  // Only its limits are read.
  const caller = {
    key: keyRecord("usr_1", { id: keyId }),
    owner: { id: "usr_1", rpm: null, concurrency: null },
  } as KeyWithOwner;
  await services.state.idempotency.begin(caller, "again", "digest");
  return caller;
}

test("repeats of one owner are limited over all keys, and their slots are returned", async () => {
  const { services } = openGatewayHarness();
  const { signal } = new AbortController();
  const keys = await Promise.all(["key_1", "key_2", "key_3"].map((id) => repeatingCaller(services, id)));
  const enter = (caller: KeyWithOwner | undefined) =>
    enterGateway(services, caller as KeyWithOwner, signal, "again");
  const slots = [];
  for (let repeat = 0; repeat < 64; repeat++) slots.push(await enter(keys[0]), await enter(keys[1]));
  await expect(enter(keys[2])).rejects.toMatchObject({ code: "rate_limited" });
  slots[0]?.leave();
  const freed = await enter(keys[2]);
  await expect(enter(keys[0])).rejects.toMatchObject({ code: "rate_limited" });
  freed.leave();
  await expect(enter(keys[0])).resolves.toBeDefined();
});

test("a repeat that runs because its original failed frees its slot among the repeats", async () => {
  const { services } = openGatewayHarness();
  const { signal } = new AbortController();
  // Only its limits are read.
  const caller = {
    key: keyRecord("usr_1"),
    owner: { id: "usr_1", rpm: null, concurrency: null },
  } as KeyWithOwner;
  const original = await services.state.idempotency.begin(caller, "again", "digest");
  if (original.kind === "repeat") throw new Error("the key is not new");
  const repeats = [];
  for (let repeat = 0; repeat < 64; repeat++)
    repeats.push(await enterGateway(services, caller, signal, "again"));
  original.discard();
  await expect(repeats[0]?.enterCaller()).resolves.toBe(true);
  await services.state.idempotency.begin(caller, "again", "digest");
  await expect(enterGateway(services, caller, signal, "again")).resolves.toBeDefined();
  await expect(enterGateway(services, caller, signal, "again")).rejects.toMatchObject({
    code: "rate_limited",
    details: { limit: "key_repeats" },
  });
});

test("a caller who has left takes no slot", async () => {
  const { services } = openGatewayHarness();
  const caller = {
    key: keyRecord("usr_1", { concurrency: 1 }),
    owner: { id: "usr_1", rpm: null, concurrency: null },
  } as KeyWithOwner;
  const gone = AbortSignal.abort();
  await expect(enterGateway(services, caller, gone, null)).rejects.toMatchObject({ code: "caller_left" });
  await expect(enterGateway(services, caller, new AbortController().signal, null)).resolves.toBeDefined();
});
