import { expect, test } from "vitest";
import { createRateLimiter } from "../../../lib/shared-state/memory-limits";
import { RedisLimits } from "../../../lib/shared-state/redis/limits";
import { FakeClock } from "../../support/factories";

test("frees a slot that Redis may have taken for a refused call whose answer came too late", async () => {
  const clock = new FakeClock();
  const sent: unknown[] = [];
  const members: unknown[] = [];
  const link = {
    isUp: true,
    isPrompt: true,
    prefix: "p:",
    onUp: () => undefined,
    post: (key: string, args: readonly unknown[]) => sent.push([key, ...args]),
    // Undefined: Redis has not answered in time.
    run: async (_script: unknown, _keys: unknown, args: readonly unknown[]) => {
      members.push(args[3]);
    },
  };
  const local = createRateLimiter(clock);
  const options = { link, clock, local, metrics: { count: () => undefined }, instanceId: "one" };
  const limits = new RedisLimits({ ...options, liveInstances: () => 1 });
  const request = { owner: "usr_1", slots: [{ bucket: "key_1", limit: 1 }], rates: [], windowMs: 60_000 };
  const first = await limits.enter(request);
  expect(first.kind).toBe("entered");
  expect(sent).toEqual([]);
  expect((await limits.enter(request)).kind).toBe("full");
  const slot = "p:{usr_1}:slots:key_1";
  expect(sent).toEqual([[slot, "ZREM", slot, members[1]]]);
  limits.close();
});
