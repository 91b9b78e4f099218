import { expect, test } from "vitest";
import { pricingOf } from "@/lib/client/pricing";

test("reports an upstream model without a price as unpriced, not free", () => {
  expect(pricingOf([null, null, null, null], false)).toBe("unpriced");
});

test("reports a built-in model or one with a price of 0 as free", () => {
  expect(pricingOf([null, null, null, null], true)).toBe("free");
  expect(pricingOf([0, null, null, null], false)).toBe("free");
});

test("reports a model with any price above 0 as priced, built-in or not", () => {
  expect(pricingOf([0, null, 12, null], false)).toBe("priced");
  expect(pricingOf([0.02, null, null, null], true)).toBe("priced");
});
