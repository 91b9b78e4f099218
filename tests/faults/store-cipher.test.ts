import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { AppError } from "../../lib/errors";
import { createCipher, encryptionKeyId } from "../../lib/store/cipher";
import { newSqliteDatabase } from "../contracts/store/sqlite-database";
import { channelRecord, twoFactorRecord, userRecord } from "../support/factories";

const SECRET = "an instance secret, long enough to be one";
const cipher = createCipher({ current: SECRET, previous: [] });
const PLAIN = "sk-upstream-0123456789-secret";
const AAD = "channels/chn_1/keys/k1";

const aadOf = (userId: string): string => `two_factors/${userId}/secret`;

test("decrypts a secret with its AAD, and encrypts it differently each time", () => {
  const [once, again] = [
    cipher.encrypt("upstream-key", AAD, PLAIN),
    cipher.encrypt("upstream-key", AAD, PLAIN),
  ];
  expect(once).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
  expect(once).not.toBe(again);
  expect(cipher.decrypt("upstream-key", AAD, once)).toBe(PLAIN);
  expect(cipher.decrypt("upstream-key", AAD, again)).toBe(PLAIN);
  for (const text of ["", "ü語😀", "x".repeat(10_000)]) {
    expect(cipher.decrypt("totp", AAD, cipher.encrypt("totp", AAD, text))).toBe(text);
  }
});

test("does not decrypt ciphertexts that were swapped between two rows", async () => {
  const database = await newSqliteDatabase();
  const store = await database.open();
  const users = [userRecord(), userRecord()];
  for (const user of users) {
    await store.users.insert(user);
    const encryptedSecret = cipher.encrypt("totp", aadOf(user.id), `secret of ${user.id}`);
    await store.twoFactors.putPending(twoFactorRecord(user.id, { encryptedSecret }));
  }
  const open = async (userId: string): Promise<string> =>
    cipher.decrypt("totp", aadOf(userId), (await store.twoFactors.find(userId))?.encryptedSecret ?? "");
  for (const user of users) expect(await open(user.id)).toBe(`secret of ${user.id}`);
  const [one, other] = await Promise.all(users.map((user) => store.twoFactors.find(user.id)));
  await database.raw(`update two_factors set secret_sealed =
    case user_id when '${one?.userId}' then '${other?.encryptedSecret}' else '${one?.encryptedSecret}' end`);
  for (const user of users) {
    await expect(open(user.id)).rejects.toMatchObject({
      code: "internal",
      message: expect.stringContaining("changed or moved"),
    });
  }
  await database.remove();
});

test("does not decrypt a secret of another column, row or purpose", () => {
  const encrypted = cipher.encrypt("upstream-key", AAD, PLAIN);
  for (const elsewhere of ["channels/chn_1/keys/k2", "channels/chn_2/keys/k1", "", `${AAD} `]) {
    expect(() => cipher.decrypt("upstream-key", elsewhere, encrypted)).toThrow("changed or moved");
  }
  expect(() => cipher.decrypt("totp", AAD, encrypted)).toThrow("changed or moved");
});

test("does not decrypt a text with any changed character", () => {
  const encrypted = cipher.encrypt("upstream-key", AAD, PLAIN);
  for (let at = 0; at < encrypted.length; at++) {
    // Replaces a whole character: base64url can leave the last bits of a text unused.
    const other = encrypted[at] === "A" ? "_" : encrypted[at] === "." ? "-" : "A";
    const changed = encrypted.slice(0, at) + other + encrypted.slice(at + 1);
    expect(() => cipher.decrypt("upstream-key", AAD, changed), changed).toThrow();
  }
  for (let length = 0; length < encrypted.length; length++) {
    expect(() => cipher.decrypt("upstream-key", AAD, encrypted.slice(0, length))).toThrow();
  }
  expect(() => cipher.decrypt("upstream-key", AAD, `${encrypted}.x`)).toThrow("not in a form");
});

test("decrypts bytes only with their AAD and purpose, and only if they are unaltered and complete", () => {
  const plain = Uint8Array.from({ length: 300 }, (_, at) => at);
  const encrypted = cipher.encryptBytes("shared-cache", AAD, plain);
  expect(Uint8Array.from(cipher.decryptBytes("shared-cache", AAD, encrypted))).toEqual(plain);
  expect(() => cipher.decryptBytes("shared-cache", `${AAD} `, encrypted)).toThrow("changed or moved");
  expect(() => cipher.decryptBytes("shared-reply", AAD, encrypted)).toThrow("changed or moved");
  for (let at = 0; at < encrypted.length; at++) {
    const changed = Buffer.from(encrypted);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => cipher.decryptBytes("shared-cache", AAD, changed), String(at)).toThrow(AppError);
    expect(() => cipher.decryptBytes("shared-cache", AAD, encrypted.subarray(0, at))).toThrow(AppError);
  }
});

test("names the missing key with another secret, and still decrypts with the previous secret", () => {
  const encrypted = cipher.encrypt("upstream-key", AAD, PLAIN);
  const keyId = encryptionKeyId(encrypted);
  const other = createCipher({ current: "another instance secret, long enough", previous: [] });
  expect(() => other.decrypt("upstream-key", AAD, encrypted)).toThrow(`key ${keyId}, which is not loaded`);
  const rotated = createCipher({ current: "another instance secret, long enough", previous: [SECRET] });
  expect(rotated.decrypt("upstream-key", AAD, encrypted)).toBe(PLAIN);
  expect(encryptionKeyId(rotated.encrypt("upstream-key", AAD, PLAIN))).not.toBe(keyId);
  // The key ID is right, but the key is not.
  const forged = other.encrypt("upstream-key", AAD, PLAIN).replace(/^v1\.[0-9a-f]{8}/, `v1.${keyId}`);
  expect(() => cipher.decrypt("upstream-key", AAD, forged)).toThrow("changed or moved");
  expect(encryptionKeyId("not encrypted")).toBeNull();
});

test("gives different digests for different secrets and purposes", () => {
  const other = createCipher({ current: "another instance secret, long enough", previous: [SECRET] });
  const digests = [
    cipher.digest("backup-code", "value"),
    cipher.digest("login-name", "value"),
    other.digest("backup-code", "value"),
  ];
  expect(new Set(digests).size).toBe(3);
  expect(cipher.digest("backup-code", "value")).toBe(digests[0]);
});

test("writes no plain secret to the file, its log or a backup", async () => {
  const database = await newSqliteDatabase();
  const store = await database.open();
  const encrypted = cipher.encrypt("upstream-key", AAD, PLAIN);
  await store.channels.insert(channelRecord({ keys: [{ id: "k1", encrypted, display: "****cret" }] }));
  const backup = path.join(path.dirname(database.file), "backup.db");
  await store.backup(backup);
  const wal = readFileSync(`${database.file}-wal`);
  await store.close();
  const contents = [wal, readFileSync(database.file), readFileSync(backup)];
  for (const bytes of contents) expect(bytes.includes(PLAIN)).toBe(false);
  // The same search finds the encrypted secret, so it would find a plain one.
  for (const bytes of contents) expect(bytes.includes(encrypted)).toBe(true);
  await database.remove();
});
