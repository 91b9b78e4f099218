import * as argon2 from "@node-rs/argon2";
import { describe, expect, test } from "vitest";
import { passwordStrength } from "@/components/forms/password-strength";
import { COMMON_PASSWORD_COUNT } from "../../../lib/console/auth/common-passwords";
import { canonicalPassword, passwordIssues } from "../../../lib/console/auth/password-rules";
import { NewPassword } from "../../../lib/contracts/console/password";
import { hasCode } from "../../../lib/errors";
import { createPasswordHasher } from "../../../lib/server/process/password-hasher";

const rules = { minimum: 8, username: "olivia.w" };

describe("the password rules", () => {
  test("know more than 2,000 common passwords", () => expect(COMMON_PASSWORD_COUNT).toBeGreaterThan(2_000));

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
  ])("reject %j", (password) => expect(passwordIssues(password, rules)).not.toEqual([]));

  test.each([
    "seven green kettles hum",
    " leading and trailing ",
    "短い秘密の言葉です",
    "correct donkey stapler",
  ])("accept %j", (password) => expect(passwordIssues(password, rules)).toEqual([]));

  test("apply the operator's minimum length", () => {
    expect(passwordIssues("kettles hum", { ...rules, minimum: 15 })).toEqual([
      "Must have at least 15 characters.",
    ]);
  });

  test("accept 8 to 256 code points", () => {
    expect(NewPassword.safeParse("🎙".repeat(8)).success).toBe(true);
    expect(NewPassword.safeParse("🎙".repeat(7)).success).toBe(false);
    expect(NewPassword.safeParse("a".repeat(256)).success).toBe(true);
    expect(NewPassword.safeParse("a".repeat(257)).success).toBe(false);
    expect(NewPassword.safeParse("🎙".repeat(257)).success).toBe(false);
  });
});

describe("the password hasher", () => {
  const hasher = createPasswordHasher();

  test("uses argon2id with 19 MiB, two passes and parallelism 1", async () => {
    expect(await hasher.hash("seven green kettles hum", "sign-in")).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
    );
  });

  test("accepts decomposed letters for composed ones", async () => {
    const phc = await hasher.hash(canonicalPassword("caf\u00e9 au lait"), "sign-in");
    expect(await hasher.verify(phc, canonicalPassword("cafe\u0301 au lait"))).toBe(true);
  });

  test("hashes the bytes beyond the 72nd", async () => {
    const phc = await hasher.hash(`${"k".repeat(72)}a`, "sign-in");
    expect(await hasher.verify(phc, `${"k".repeat(72)}b`)).toBe(false);
  });

  test("verifies a dummy hash with the same parameters for an unknown user and returns false", async () => {
    const verified: string[] = [];
    const counting = createPasswordHasher({
      hash: (password, parameters) => argon2.hash(password, parameters),
      async verify(phc) {
        verified.push(phc);
        return true;
      },
    });
    const known = await counting.hash("seven green kettles hum", "sign-in");
    expect(await counting.verify(null, "seven green kettles hum")).toBe(false);
    expect(await counting.verify(known, "seven green kettles hum")).toBe(true);
    expect(await counting.verify(null, "another password")).toBe(false);
    const parametersOf = (phc: string) => phc.split("$").slice(0, 4).join("$");
    expect(verified.map(parametersOf)).toEqual(Array(3).fill(parametersOf(known)));
    expect(verified[0]).toBe(verified[2]);
    expect(verified[0]).not.toBe(known);
  });

  test("makes the dummy hash again after a failure, which both kinds of users see", async () => {
    let isFull = true;
    const failing = createPasswordHasher({
      async hash() {
        if (isFull) throw new Error("out of memory");
        return "";
      },
      verify: async () => true,
    });
    await expect(failing.verify("known", "x")).rejects.toThrow("out of memory");
    await expect(failing.verify(null, "x")).rejects.toThrow("out of memory");
    isFull = false;
    expect(await failing.verify(null, "x")).toBe(false);
    expect(await failing.verify("known", "x")).toBe(true);
  });

  test("returns false for an unknown user with the real argon2", async () => {
    expect(await hasher.verify(null, "a password that no user has")).toBe(false);
  });

  test("requires a rehash of a hash with weaker parameters", async () => {
    expect(
      hasher.needsRehash(
        "$argon2id$v=19$m=4096,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo",
      ),
    ).toBe(true);
    expect(hasher.needsRehash(await hasher.hash("x".repeat(8), "sign-in"))).toBe(false);
  });

  test("runs two hashes, queues 32 and refuses the next with a retry after one second", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, () => hasher.hash("x".repeat(9), "sign-in")),
    );
    const refused = results.filter((one) => one.status === "rejected");
    expect(refused).toHaveLength(6);
    for (const one of refused) {
      expect(hasCode(one.reason, "overloaded") && one.reason.details.retryAfterMs).toBe(1_000);
    }
  });

  test("runs no third hash when one arrives as another ends", async () => {
    let running = 0;
    let most = 0;
    const counting = createPasswordHasher({
      async hash() {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        return "";
      },
      verify: async () => true,
    });
    const four = () => Array.from({ length: 4 }, () => counting.hash("x", "sign-in"));
    const first = four();
    await first[0];
    await Promise.all([...first, ...four()]);
    expect(most).toBe(2);
  });

  test("does not queue the setup behind sign-ins", async () => {
    const signIns = Array.from({ length: 34 }, () => hasher.hash("x".repeat(9), "sign-in"));
    await expect(hasher.hash("y".repeat(9), "setup")).resolves.toMatch(/^\$argon2id/);
    await Promise.all(signIns);
  });
});

test.each([
  ["aaaaaaaaaaaaaaaa", 0],
  ["qwertyuiop123", 1],
  ["olivia-olivia", 0],
  ["kf-19871988-1999", 2],
  ["9f#Kq2!vXz7&Lm", 4],
])(
  "estimates the strength of %s as %i: repeats, rows of keys, names and years count little",
  (password, strength) => {
    expect(passwordStrength(password, ["Olivia"])).toBe(strength);
  },
);
