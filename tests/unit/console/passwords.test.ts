import * as argon2 from "@node-rs/argon2";
import { describe, expect, test } from "vitest";
import { COMMON_PASSWORD_COUNT } from "../../../lib/console/auth/common-passwords";
import { canonicalPassword, passwordIssues } from "../../../lib/console/auth/password-rules";
import { NewPassword } from "../../../lib/contracts/console/password";
import { hasCode } from "../../../lib/errors";
import { createPasswordHasher } from "../../../lib/server/process/password-hasher";

const rules = { minimum: 8, username: "olivia.w" };

describe("what may be a password", () => {
  test("the list of common passwords has its minimum size", () =>
    expect(COMMON_PASSWORD_COUNT).toBeGreaterThan(2_000));

  test.each([
    "password",
    "Password123",
    "QWERTYUIOP",
    "iloveyou",
    "aaaaaaaa",
    "abcabcabc",
    "patchbay",
    "Patch-Bay2026!",
    "OLIVIA.W",
    "short",
  ])("%j is refused", (password) => expect(passwordIssues(password, rules)).not.toEqual([]));

  test.each([
    "seven green kettles hum",
    " leading and trailing ",
    "短い秘密の言葉です",
    "correct donkey stapler",
  ])("%j is taken", (password) => expect(passwordIssues(password, rules)).toEqual([]));

  test("the operator may ask for more", () => {
    expect(passwordIssues("kettles hum", { ...rules, minimum: 15 })).toEqual([
      "Must have at least 15 characters.",
    ]);
  });

  test("counts length in code points and limits bytes", () => {
    expect(NewPassword.safeParse("🎙".repeat(8)).success).toBe(true);
    expect(NewPassword.safeParse("🎙".repeat(7)).success).toBe(false);
    expect(NewPassword.safeParse("a".repeat(256)).success).toBe(true);
    expect(NewPassword.safeParse("a".repeat(257)).success).toBe(false);
    expect(NewPassword.safeParse("🎙".repeat(257)).success).toBe(false);
  });
});

describe("hashing", () => {
  const hasher = createPasswordHasher();

  test("is argon2id with 19 MiB, two passes, parallelism 1", async () => {
    expect(await hasher.hash("seven green kettles hum", "login")).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
    );
  });

  test("composed and decomposed letters are one password", async () => {
    const phc = await hasher.hash(canonicalPassword("caf\u00e9 au lait"), "login");
    expect(await hasher.verify(phc, canonicalPassword("cafe\u0301 au lait"))).toBe(true);
  });

  test("hashes the whole password: a difference in byte 73 counts", async () => {
    const phc = await hasher.hash(`${"k".repeat(72)}a`, "login");
    expect(await hasher.verify(phc, `${"k".repeat(72)}b`)).toBe(false);
  });

  test("an unknown user costs one verification by the same parameters, and is never right", async () => {
    const verified: string[] = [];
    const counting = createPasswordHasher({
      hash: (password, parameters) => argon2.hash(password, parameters),
      async verify(phc) {
        verified.push(phc);
        return true;
      },
    });
    const known = await counting.hash("seven green kettles hum", "login");
    expect(await counting.verify(null, "seven green kettles hum")).toBe(false);
    expect(await counting.verify(known, "seven green kettles hum")).toBe(true);
    expect(await counting.verify(null, "another password")).toBe(false);
    const parametersOf = (phc: string) => phc.split("$").slice(0, 4).join("$");
    expect(verified.map(parametersOf)).toEqual(Array(3).fill(parametersOf(known)));
    expect(verified[0]).toBe(verified[2]);
    expect(verified[0]).not.toBe(known);
  });

  test("the password of an unknown user is never right", async () => {
    expect(await hasher.verify(null, "a password that no user has")).toBe(false);
  });

  test("hashes with weaker parameters need a rehash", async () => {
    expect(
      hasher.needsRehash(
        "$argon2id$v=19$m=4096,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo",
      ),
    ).toBe(true);
    expect(hasher.needsRehash(await hasher.hash("x".repeat(8), "login"))).toBe(false);
  });

  test("32 wait behind two; the next gets a retry after one second", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, () => hasher.hash("x".repeat(9), "login")),
    );
    const refused = results.filter((one) => one.status === "rejected");
    expect(refused).toHaveLength(6);
    for (const one of refused) {
      expect(hasCode(one.reason, "overloaded") && one.reason.details.retryAfterMs).toBe(1_000);
    }
  });

  test("setup does not wait in the sign-in queue", async () => {
    const crowd = Array.from({ length: 34 }, () => hasher.hash("x".repeat(9), "login"));
    await expect(hasher.hash("y".repeat(9), "setup")).resolves.toMatch(/^\$argon2id/);
    await Promise.all(crowd);
  });
});
