import { expect, test } from "vitest";
import { startProduct } from "../support/product";

test("SIGTERM while the other processes start ends all of them without waiting for the drain time", async () => {
  const product = await startProduct({
    nodeAdapterOnly: true,
    env: { PATCHBAY_PROCESSES: "4", PATCHBAY_DRAIN_SECONDS: "2" },
  });
  const since = performance.now();
  expect(await product.close()).toBe(0);
  // A process that missed the request to stop is killed 15 s after the drain time.
  expect(performance.now() - since, product.output()).toBeLessThan(10_000);
}, 60_000);
