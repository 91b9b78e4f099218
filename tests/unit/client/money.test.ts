import { expect, test } from "vitest";
import { dollarsFormat } from "../../../lib/client/money";

test.each(["en", "zh"])("formats dollars with the same sign in %s", (locale) => {
  const write = (dollars: number) => new Intl.NumberFormat(locale, dollarsFormat(dollars)).format(dollars);
  expect(write(1_234.5)).toBe("$1,234.50");
  expect(write(0.1)).toBe("$0.10");
  expect(write(0.000_020_4)).toBe("$0.000020");
  expect(write(0)).toBe("$0.00");
});
