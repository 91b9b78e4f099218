import { expect, test } from "vitest";
import { pricingOf } from "@/lib/client/pricing";

test("a model of an upstream without any price is not told to be free", () => {
  expect(pricingOf([null, null, null, null], false)).toBe("unpriced");
});

test("free is what an engine built in makes, or what has a price of 0", () => {
  expect(pricingOf([null, null, null, null], true)).toBe("free");
  expect(pricingOf([0, null, null, null], false)).toBe("free");
});

test("one price above 0 counts, whoever serves", () => {
  expect(pricingOf([0, null, 12, null], false)).toBe("priced");
  expect(pricingOf([0.02, null, null, null], true)).toBe("priced");
});
