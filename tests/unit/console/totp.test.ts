import { HOTP, Secret, TOTP } from "otpauth";
import { describe, expect, test } from "vitest";
import { matchTotp, newTotpSecret, totpStep, totpUri } from "../../../lib/console/auth/totp";

const STEP_MS = 30_000;
const random = { bytes: (length: number) => Buffer.alloc(length, 7), fraction: () => 0 };

describe("TOTP test vectors", () => {
  test("RFC 4226 appendix D matches the library for counts 0 to 9", () => {
    const hotp = new HOTP({ secret: Secret.fromLatin1("12345678901234567890"), digits: 6 });
    const codes = Array.from({ length: 10 }, (_, counter) => hotp.generate({ counter }));
    expect(codes).toEqual([
      "755224",
      "287082",
      "359152",
      "969429",
      "338314",
      "254676",
      "287922",
      "162583",
      "399871",
      "520489",
    ]);
  });

  test.each([
    ["SHA1", 20, ["94287082", "07081804", "14050471", "89005924", "69279037", "65353130"]],
    ["SHA256", 32, ["46119246", "68084774", "67062674", "91819424", "90698825", "77737706"]],
    ["SHA512", 64, ["90693936", "25091201", "99943326", "93441116", "38618901", "47863826"]],
  ])("RFC 6238 appendix B matches the library with %s", (algorithm, bytes, codes) => {
    const secret = Secret.fromLatin1("1234567890".repeat(7).slice(0, bytes));
    const totp = new TOTP({ secret, algorithm, digits: 8, period: 30 });
    const times = [59, 1111111109, 1111111111, 1234567890, 2000000000, 20000000000];
    expect(times.map((time) => totp.generate({ timestamp: time * 1000 }))).toEqual(codes);
  });

  test("matchTotp accepts the last six digits of the SHA-1 vectors at their times", () => {
    const secret = Secret.fromLatin1("12345678901234567890").base32;
    expect(matchTotp(secret, "081804", 1111111109_000, 0)).toBe(totpStep(1111111109_000));
    expect(matchTotp(secret, "005924", 1234567890_000, 0)).toBe(totpStep(1234567890_000));
  });
});

describe("matchTotp", () => {
  const secret = newTotpSecret({
    bytes: (n) => Buffer.from("patchbay totp secret").subarray(0, n),
    fraction: () => 0,
  });
  const now = 1_790_000_000_000;
  const current = totpStep(now);
  const codeAt = (step: number) =>
    new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 }).generate({
      timestamp: step * STEP_MS,
    });

  test.each([-1, 0, 1])("accepts the code of the step at offset %i", (offset) => {
    expect(matchTotp(secret, codeAt(current + offset), now, 0)).toBe(current + offset);
  });

  test.each([-2, 2])("refuses the code of the step at offset %i", (offset) => {
    expect(matchTotp(secret, codeAt(current + offset), now, 0)).toBeNull();
  });

  test("refuses a step that is not newer than the last one used", () => {
    expect(matchTotp(secret, codeAt(current), now, current)).toBeNull();
    expect(matchTotp(secret, codeAt(current - 1), now, current)).toBeNull();
    expect(matchTotp(secret, codeAt(current + 1), now, current)).toBe(current + 1);
  });
});

test("a new TOTP secret has 160 bits, and its URI names issuer and user", () => {
  const secret = newTotpSecret(random);
  expect(Secret.fromBase32(secret).bytes).toHaveLength(20);
  expect(totpUri(secret, "olivia")).toBe(
    `otpauth://totp/Patchbay:olivia?issuer=Patchbay&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  );
});
