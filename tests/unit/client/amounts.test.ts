import { describe, expect, test } from "vitest";
import { amountsIn } from "@/lib/client/amounts";

describe.each(["en", "zh"] as const)("amounts in %s", (locale) => {
  const amounts = amountsIn(locale);

  test.each([
    [1_234.5, "$1,234.50"],
    [1, "$1.00"],
    [0.6, "$0.60"],
    [0.1, "$0.10"],
    [0.0204, "$0.0204"],
    [0.0001, "$0.0001"],
    [0.000_099, "<$0.0001"],
    [0, "$0.00"],
  ])("formats %d dollars", (dollars, text) => expect(amounts.money(dollars)).toBe(text));

  test("keeps every digit of an exact amount", () => {
    expect(amounts.exactMoney(0.000_020_4)).toBe("$0.0000204");
    expect(amounts.exactMoney(0.6)).toBe("$0.60");
    expect(amounts.exactMoney(0.000_000_001)).toBe("$0.000000001");
  });

  test.each([
    [0.42, "0.4 ms"],
    [340.4, "340 ms"],
    [999.4, "999 ms"],
    [999.6, "1 s"],
    [1_420, "1.42 s"],
    [12_340, "12.3 s"],
    [59_940, "59.9 s"],
    [59_960, "1 min 0 s"],
    [725_000, "12 min 5 s"],
  ])("formats a duration of %d milliseconds", (ms, text) => expect(amounts.ms(ms)).toBe(text));

  test("marks an estimated duration", () => expect(amounts.estimatedMs(9_630)).toBe("≈ 9.63 s"));

  test.each([
    [7_500, "7.5 s"],
    [192_000, "3.2 min"],
    [5_040_000, "1.4 h"],
  ])("formats %d milliseconds of audio", (ms, text) => expect(amounts.audio(ms)).toBe(text));

  test.each([
    [512, "0.5 KB"],
    [12_288, "12 KB"],
    [1_048_576, "1 MB"],
    [1_047_552, "1 MB"],
    [5_368_709_120, "5 GB"],
  ])("formats %d bytes with 1,024 bytes in a KB", (bytes, text) => expect(amounts.bytes(bytes)).toBe(text));

  test("formats a share as a percentage, and above 1,000 % as a factor", () => {
    expect([0.0381, 0.5, 10].map(amounts.share)).toEqual(["3.8%", "50%", "1,000%"]);
    expect([10.4, 12].map(amounts.share)).toEqual(["10×", "12×"]);
    expect([0, 0.0002, 0.001, 0.999, 0.9996, 1].map(amounts.share)).toEqual([
      "0%",
      "<0.1%",
      "0.1%",
      "99.9%",
      ">99.9%",
      "100%",
    ]);
  });
});
