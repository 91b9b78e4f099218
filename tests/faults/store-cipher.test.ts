import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createCipher, encryptionKeyId } from "../../lib/store/cipher";
import { channelRecord, twoFactorRecord, userRecord } from "../contracts/store/records";
import { newSqlitePlace } from "../contracts/store/sqlite-database";

const SECRET = "an instance secret, long enough to be one";
const cipher = createCipher({ current: SECRET, previous: [] });
const PLAIN = "sk-upstream-0123456789-secret";
const PLACE = "channels/chn_1/keys/k1";

const placeOf = (userId: string): string => `two_factors/${userId}/secret`;

test("a secret opens where it was sealed, and is sealed differently each time", () => {
  const [once, again] = [
    cipher.encrypt("upstream-key", PLACE, PLAIN),
    cipher.encrypt("upstream-key", PLACE, PLAIN),
  ];
  expect(once).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
  expect(once).not.toBe(again);
  expect(cipher.decrypt("upstream-key", PLACE, once)).toBe(PLAIN);
  expect(cipher.decrypt("upstream-key", PLACE, again)).toBe(PLAIN);
  for (const text of ["", "ü語😀", "x".repeat(10_000)]) {
    expect(cipher.decrypt("totp", PLACE, cipher.encrypt("totp", PLACE, text))).toBe(text);
  }
});

test("two rows whose ciphertexts were swapped in the store do not open", async () => {
  const place = await newSqlitePlace();
  const store = await place.open();
  const users = [userRecord(), userRecord()];
  for (const user of users) {
    await store.users.insert(user);
    const encryptedSecret = cipher.encrypt("totp", placeOf(user.id), `secret of ${user.id}`);
    await store.twoFactors.putPending(twoFactorRecord(user.id, { encryptedSecret }));
  }
  const open = async (userId: string): Promise<string> =>
    cipher.decrypt("totp", placeOf(userId), (await store.twoFactors.find(userId))?.encryptedSecret ?? "");
  for (const user of users) expect(await open(user.id)).toBe(`secret of ${user.id}`);
  const [one, other] = await Promise.all(users.map((user) => store.twoFactors.find(user.id)));
  await place.raw(`update two_factors set secret_sealed =
    case user_id when '${one?.userId}' then '${other?.encryptedSecret}' else '${one?.encryptedSecret}' end`);
  for (const user of users) {
    await expect(open(user.id)).rejects.toMatchObject({
      code: "internal",
      message: expect.stringContaining("changed or moved"),
    });
  }
  await place.remove();
});

test("a secret does not open in another column, row, or for another purpose", () => {
  const sealed = cipher.encrypt("upstream-key", PLACE, PLAIN);
  for (const elsewhere of ["channels/chn_1/keys/k2", "channels/chn_2/keys/k1", "", `${PLACE} `]) {
    expect(() => cipher.decrypt("upstream-key", elsewhere, sealed)).toThrow("changed or moved");
  }
  expect(() => cipher.decrypt("totp", PLACE, sealed)).toThrow("changed or moved");
});

test("a text changed in any place does not open", () => {
  const sealed = cipher.encrypt("upstream-key", PLACE, PLAIN);
  for (let at = 0; at < sealed.length; at++) {
    // Far from the bits that base64url leaves unused at an end.
    const other = sealed[at] === "A" ? "_" : sealed[at] === "." ? "-" : "A";
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    expect(() => cipher.decrypt("upstream-key", PLACE, changed), changed).toThrow();
  }
  for (let length = 0; length < sealed.length; length++) {
    expect(() => cipher.decrypt("upstream-key", PLACE, sealed.slice(0, length))).toThrow();
  }
  expect(() => cipher.decrypt("upstream-key", PLACE, `${sealed}.x`)).toThrow("not in a form");
});

test("another secret does not open it and says which key is missing; the secret before opens it still", () => {
  const sealed = cipher.encrypt("upstream-key", PLACE, PLAIN);
  const keyId = encryptionKeyId(sealed);
  const other = createCipher({ current: "another instance secret, long enough", previous: [] });
  expect(() => other.decrypt("upstream-key", PLACE, sealed)).toThrow(`key ${keyId}, which is not loaded`);
  const rotated = createCipher({ current: "another instance secret, long enough", previous: [SECRET] });
  expect(rotated.decrypt("upstream-key", PLACE, sealed)).toBe(PLAIN);
  expect(encryptionKeyId(rotated.encrypt("upstream-key", PLACE, PLAIN))).not.toBe(keyId);
  // Named as the right key's, and still not opened by it.
  const forged = other.encrypt("upstream-key", PLACE, PLAIN).replace(/^v1\.[0-9a-f]{8}/, `v1.${keyId}`);
  expect(() => cipher.decrypt("upstream-key", PLACE, forged)).toThrow("changed or moved");
  expect(encryptionKeyId("not sealed")).toBeNull();
});

test("digests are keyed, by secret and by purpose", () => {
  const other = createCipher({ current: "another instance secret, long enough", previous: [SECRET] });
  const digests = [
    cipher.digest("backup-code", "value"),
    cipher.digest("login-name", "value"),
    other.digest("backup-code", "value"),
  ];
  expect(new Set(digests).size).toBe(3);
  expect(cipher.digest("backup-code", "value")).toBe(digests[0]);
});

test("the file, its log and a backup hold no byte of a sealed secret", async () => {
  const place = await newSqlitePlace();
  const store = await place.open();
  const sealed = cipher.encrypt("upstream-key", PLACE, PLAIN);
  await store.channels.insert(channelRecord({ keys: [{ id: "k1", sealed, display: "****cret" }] }));
  const backup = path.join(path.dirname(place.file), "backup.db");
  await store.backup(backup);
  const wal = readFileSync(`${place.file}-wal`);
  await store.close();
  const kept = [wal, readFileSync(place.file), readFileSync(backup)];
  for (const bytes of kept) expect(bytes.includes(PLAIN)).toBe(false);
  // What was looked for is what would have been there.
  for (const bytes of kept) expect(bytes.includes(sealed)).toBe(true);
  await place.remove();
});
