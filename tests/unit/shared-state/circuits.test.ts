import { expect, test, vi } from "vitest";
import { RedisCircuits } from "../../../lib/shared-state/redis/circuits";
import { FakeClock } from "../../support/factories";

test("skips stored circuits that another program wrote, and applies the others", async () => {
  const clock = new FakeClock();
  const open = { openedAt: clock.now(), reason: "failures", until: clock.now() + 1_000 };
  const stored = { from: "two", channelId: "a", keyId: null, model: null, open };
  const whenListening: (() => void)[] = [];
  const link = {
    isUp: true,
    isPrompt: true,
    prefix: "p:",
    onListening: (listener: () => void) => whenListening.push(listener),
    onUp: () => undefined,
    run: async () => ["not JSON", '{"from":"two"}', JSON.stringify(stored)],
    subscribe: () => undefined,
  };
  const apply = vi.fn();
  new RedisCircuits(link, clock, "one", apply);
  for (const listener of whenListening) listener();
  await new Promise((resolve) => setImmediate(resolve));
  expect(apply.mock.calls).toMatchObject([[{ channelId: "a" }, { state: "open", waitMs: 1_000 }]]);
});
