import fc from "fast-check";
import { expect, test } from "vitest";
import { costNano, maxEmbeddingCostNano } from "@/lib/gateway/metering/price";
import { billingPeriod } from "@/lib/ports/billing-period";

const FREE = {
  inputPerMillionTokens: null,
  inputPerMillionCharacters: null,
  outputPerMillionTokens: null,
  outputPerMillionSeconds: null,
};
const NOTHING = { inputTokens: 0, characters: 0, outputTokens: 0, audioMs: 0 };

test("ten tokens at $0.02 a million are 200 nano-dollars", () => {
  expect(costNano({ ...FREE, inputPerMillionTokens: 20_000_000 }, { ...NOTHING, inputTokens: 10 })).toBe(200);
});

test("a cost is rounded half up, once over all its parts", () => {
  const half = { ...FREE, inputPerMillionTokens: 500_000 };
  expect(costNano(half, { ...NOTHING, inputTokens: 1 })).toBe(1);
  expect(costNano({ ...FREE, inputPerMillionTokens: 499_999 }, { ...NOTHING, inputTokens: 1 })).toBe(0);
  const thirds = { ...FREE, inputPerMillionTokens: 300_000, outputPerMillionTokens: 300_000 };
  expect(costNano(thirds, { ...NOTHING, inputTokens: 1, outputTokens: 1 })).toBe(1);
});

test("seconds of audio are counted to the millisecond", () => {
  const perSecond = { ...FREE, outputPerMillionSeconds: 250_000_000_000_000 };
  expect(costNano(perSecond, { ...NOTHING, audioMs: 2_500 })).toBe(625_000_000);
});

test("the cost is the exact sum for any prices and quantities", () => {
  const price = fc.integer({ min: 0, max: 1_000_000_000_000 });
  const units = fc.integer({ min: 0, max: 1_000_000 });
  fc.assert(
    fc.property(price, price, units, units, (input, output, inputTokens, outputTokens) => {
      const prices = { ...FREE, inputPerMillionTokens: input, outputPerMillionTokens: output };
      const sum = BigInt(input) * BigInt(inputTokens) + BigInt(output) * BigInt(outputTokens);
      const exact = Number((sum + 500_000n) / 1_000_000n);
      expect(costNano(prices, { ...NOTHING, inputTokens, outputTokens })).toBe(exact);
    }),
  );
});

test("an embeddings call reserves its tokens plus 10 %", () => {
  expect(maxEmbeddingCostNano({ ...FREE, inputPerMillionTokens: 1_000_000 }, 100, 0)).toBe(110);
  expect(maxEmbeddingCostNano(FREE, 100, 400)).toBe(0);
});

test("a day begins at midnight of the instance's time zone", () => {
  const before = Date.parse("2026-11-20T15:59:59.999Z");
  expect(billingPeriod("Asia/Shanghai", before)).toEqual({ day: "2026-11-20", month: "2026-11" });
  expect(billingPeriod("Asia/Shanghai", before + 1)).toEqual({ day: "2026-11-21", month: "2026-11" });
  expect(billingPeriod("UTC", before + 1)).toEqual({ day: "2026-11-20", month: "2026-11" });
  expect(billingPeriod("America/New_York", Date.parse("2026-12-01T04:59:59Z")).month).toBe("2026-11");
  expect(billingPeriod("Asia/Kathmandu", Date.parse("2026-11-20T18:15:00Z")).day).toBe("2026-11-21");
});
