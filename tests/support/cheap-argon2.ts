import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Argon2 } from "../../lib/server/process/password-hasher";

const PREFIX = "$argon2id$v=19$m=19456,t=2,p=1$";
const base64 = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
const digestOf = (salt: string, password: string) =>
  createHash("sha256").update(`${salt}${password}`).digest();

/**
 * SHA-256 in the PHC form of argon2id, for tests that are not about hashing: a sign-in costs microseconds instead of
 * 30 ms of CPU. The real hasher has its own tests, and every test with a started server uses it.
 */
export const cheapArgon2: Argon2 = {
  async hash(password) {
    const salt = base64(randomBytes(16));
    return `${PREFIX}${salt}$${base64(digestOf(salt, password))}`;
  },
  async verify(phc, password) {
    const [salt = "", digest = ""] = phc.slice(PREFIX.length).split("$");
    const expected = Buffer.from(digest, "base64");
    const actual = digestOf(salt, password);
    return phc.startsWith(PREFIX) && expected.length === actual.length && timingSafeEqual(expected, actual);
  },
};
