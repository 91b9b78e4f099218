import { afterEach, expect, test } from "vitest";
import { secretAad } from "@/lib/console/auth/two-factor/codes";
import { reEncryptSecrets } from "@/lib/console/settings/re-encrypt";
import { createCipher } from "@/lib/store/cipher";
import { twoFactorRecord, userRecord } from "../../support/factories";
import { type TestServices, testServices } from "../../support/services";

let services: TestServices;
afterEach(() => services.close());

test("re-encrypts the secrets of more users than one transaction holds", async () => {
  const old = "the old secret of the tests, long enough";
  const before = createCipher({ current: old, previous: [] });
  const cipher = createCipher({ current: "the new secret of the tests, long enough", previous: [old] });
  services = await testServices();
  const { store, clock } = services;
  const users = Array.from({ length: 201 }, () => userRecord());
  await store.transaction(async (tx) => {
    for (const user of users) {
      await tx.users.insert(user);
      const encryptedSecret = before.encrypt("totp", secretAad(user.id), user.id);
      await tx.twoFactors.putPending(twoFactorRecord(user.id, { encryptedSecret }));
    }
  });
  const caller = { kind: "admin-command" } as const;
  const peer = { address: null, isLocal: true, isSecure: false };
  const ctx = { store, cipher, clock, caller, peer, requestId: "" };
  expect(await reEncryptSecrets(ctx, [])).toMatchObject({ twoFactors: 201 });
  for (const { id } of users) {
    const encrypted = (await store.twoFactors.find(id))?.encryptedSecret ?? "";
    expect(cipher.isCurrent(encrypted)).toBe(true);
    expect(cipher.decrypt("totp", secretAad(id), encrypted)).toBe(id);
  }
});
