import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { API_KEY_PATTERN } from "../../../lib/contracts/console/api-keys";
import { digestKey, displayKey, isWellFormedKey, makeKey } from "../../../lib/gateway/admission/key-format";
import { randomBase62 } from "../../../lib/gateway/new-id";

const random = { bytes: (length: number) => randomBytes(length), fraction: () => 0 };

describe("API keys", () => {
  test("consist of the prefix, 32 random characters and the checksum of both", () => {
    const key = makeKey(random);
    expect(key).toMatch(API_KEY_PATTERN);
    expect(key).toHaveLength(44);
    expect(isWellFormedKey(key)).toBe(true);
  });

  test("are not well-formed after a change of any one character", () => {
    const key = makeKey(random);
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === "a" ? "b" : "a";
      expect(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1)), String(at)).toBe(false);
    }
  });

  test.each([
    "",
    "sk-pb-",
    `${makeKey(random)} `,
    makeKey(random).toUpperCase(),
    `x${makeKey(random)}`,
    "sk-pb-é".padEnd(44, "a"),
  ])("do not include %j", (text) => expect(isWellFormedKey(text)).toBe(false));

  test("have a digest of the whole key, so that keys with the same prefix differ", () => {
    const key = makeKey(random);
    expect(digestKey(key)).toMatch(/^[\w-]{43}$/);
    expect(digestKey(key)).not.toBe(digestKey(`${key.slice(0, -1)}!`));
  });

  test("are displayed by the first two random characters and the last four", () => {
    const key = makeKey(random);
    expect(displayKey(key)).toBe(`sk-pb-${key.slice(6, 8)}…${key.slice(-4)}`);
  });

  test("have random characters that are equally likely", () => {
    const counts = new Map<string, number>();
    for (const one of randomBase62(random, 1_000_000)) counts.set(one, (counts.get(one) ?? 0) + 1);
    expect(counts.size).toBe(62);
    const expected = 1_000_000 / 62;
    const chiSquare = [...counts.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    // 61 degrees of freedom: above 150 by chance once in 10^9 runs; a modulo of bytes gives about 24,000.
    expect(chiSquare).toBeLessThan(150);
  });
});
