import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { decryptSession, encryptSession } from "../../../lib/http/console/session-cookie";

const services = { signIn: { cookieSecret: "a secret of at least thirty-two bytes", refusalFloorMs: 0 } };
/** The key derivation of next-auth 4. */
const key = Buffer.from(
  hkdfSync("sha256", services.signIn.cookieSecret, "", "NextAuth.js Generated Encryption Key", 32),
);

/** A JWE (RFC 7516) of `claims` under `key`, with the content key wrapped (`A256KW`) or the key itself (`dir`). */
function jwe(alg: "dir" | "A256KW", claims: object): string {
  const wrap = createCipheriv("id-aes256-wrap", key, Buffer.alloc(8, 0xa6));
  const contentKey = alg === "dir" ? key : randomBytes(32);
  const encryptedKey =
    alg === "dir" ? Buffer.alloc(0) : Buffer.concat([wrap.update(contentKey), wrap.final()]);
  const header = Buffer.from(JSON.stringify({ alg, enc: "A256GCM" })).toString("base64url");
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", contentKey, iv).setAAD(Buffer.from(header));
  const text = Buffer.concat([cipher.update(JSON.stringify(claims)), cipher.final()]);
  const parts = [encryptedKey, iv, text, cipher.getAuthTag()].map((part) => part.toString("base64url"));
  return [header, ...parts].join(".");
}

test("reads the session of a session cookie", async () => {
  expect(await decryptSession(services, await encryptSession(services, "sid-1", 60))).toBe("sid-1");
  expect(await decryptSession(services, jwe("dir", { sid: "sid-1" }))).toBe("sid-1");
});

test("rejects a session cookie with another algorithm, even with the right key", async () => {
  expect(await decryptSession(services, jwe("A256KW", { sid: "sid-1" }))).toBeNull();
});
