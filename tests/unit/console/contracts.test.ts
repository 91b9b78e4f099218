import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../lib/contracts/console/endpoints";
import { readCode } from "../../../lib/contracts/console/two-factor";
import { nanoToUsd, usdToNano } from "../../../lib/contracts/money";
import { safeReturnPath } from "../../../lib/contracts/return-path";
import { displayText, INVISIBLE_CLASS } from "../../../lib/contracts/text";

describe("money", () => {
  test.each([
    [200, "0.000000200"],
    [0, "0.000000000"],
    [12_500_000_000, "12.500000000"],
    [Number.MAX_SAFE_INTEGER, "9007199.254740991"],
    [-1, "-0.000000001"],
  ])("formats %i nano-dollars as %s", (nano, text) => expect(nanoToUsd(nano)).toBe(text));

  test("round-trips every amount exactly", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (nano) => {
        expect(usdToNano(nanoToUsd(nano))).toBe(nano);
      }),
    );
  });

  test.each(["", "-1", "1e3", "1.0000000001", ".5", "1.", "01x", "99999999", "9007199.254740992", "NaN"])(
    "rejects %j as an amount",
    (text) => expect(usdToNano(text)).toBeNull(),
  );
});

describe("2FA codes", () => {
  test.each(["123456", " 123456 ", "123 456", "1 2 3 4 5 6", "123\u00a0456"])(
    "reads %j as a TOTP code",
    (text) => {
      expect(readCode(text)).toEqual({ method: "totp", code: "123456" });
    },
  );
  test.each(["abcde-fghjk", "ABCDEFGHJK", "abcde fghjk", "ABCDE-FGHJK"])(
    "reads %j as a backup code",
    (text) => {
      expect(readCode(text)).toEqual({ method: "backup_code", code: "ABCDEFGHJK" });
    },
  );
  test("reads letters that look like digits as digits", () => {
    expect(readCode("OOOOO-IILLL")?.code).toBe("0000011111");
  });
  test.each([
    "",
    "12345",
    "1234567",
    "+12345",
    "-12345",
    "-123456",
    "1e5",
    "0x1E240",
    "١٢٣٤٥٦",
    "１２３４５６",
    "UUUUU-UUUUU",
  ])("rejects %j as a code", (text) => expect(readCode(text)).toBeNull());
});

describe("the return path after sign-in", () => {
  test.each(["/", "/keys", "/playground/speech?voice=Kore#x", "/@evil", "/a//b"])("keeps %j", (path) => {
    expect(safeReturnPath(path)).toBe(path);
  });
  test.each([
    null,
    "",
    "keys",
    "https://evil",
    "//evil",
    "/\\evil",
    "\\evil",
    "/%2f%2fevil",
    "/%5cevil",
    "javascript:alert(1)",
    "data:text/html,x",
    "https:evil",
    "https://base.evil",
    "https://base@evil",
    "\t//evil",
    "/\t/evil",
    "/..//evil",
    "%00//evil",
    "/%00//evil",
    "HTTPS://EVIL",
    "//[::1]",
    "/\n/evil",
    "///evil",
  ])("replaces %j with the front page", (path) => expect(safeReturnPath(path)).toBe("/"));
});

describe("display names", () => {
  const Name = displayText(8);
  test("are trimmed and composed", () => expect(Name.parse("  e\u0301tude ")).toBe("\u00e9tude"));
  test("are counted in code points", () => {
    expect(Name.safeParse("🎙".repeat(8)).success).toBe(true);
    expect(Name.safeParse("🎙".repeat(9)).success).toBe(false);
  });
  test.each(["", "   ", "a\u0000b", "a\u202eb", "a\u200bb", "a\u2028b", "\ud800"])(
    "rejects %j as a display name",
    (text) => {
      expect(Name.safeParse(text).success).toBe(false);
    },
  );
  test("are rejected for exactly the characters that the published pattern excludes", () => {
    const published = new RegExp(`[${INVISIBLE_CLASS}]`, "u");
    const differing: string[] = [];
    // The BMP without surrogates, and the planes beyond it that have format characters.
    for (const [from, to] of [
      [0, 0xd7ff],
      [0xe000, 0x1ffff],
      [0xe0000, 0xeffff],
    ] as const) {
      for (let code = from; code <= to; code++) {
        const character = String.fromCodePoint(code);
        const isRefused = !Name.safeParse(`a${character}b`).success;
        if (isRefused !== published.test(character)) differing.push(`U+${code.toString(16)}`);
      }
    }
    expect(differing).toEqual([]);
  });
});

test("every DELETE endpoint answers null", () => {
  const deletions = Object.entries(ENDPOINTS).filter(([key]) => key.startsWith("DELETE "));
  expect(deletions.length).toBeGreaterThan(10);
  // An endpoint without declared data answers null.
  expect(deletions.filter(([, declared]) => "data" in declared).map(([key]) => key)).toEqual([]);
});
