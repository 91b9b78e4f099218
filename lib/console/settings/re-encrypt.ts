import { AppError } from "../../errors";
import { channelKeyAad } from "../../ports/channel-probe";
import type { Cipher, CipherPurpose } from "../../ports/cipher";
import type { ChannelKey, Store } from "../../ports/store";
import { type ActorContext, recordAudit } from "../audit/record";
import { secretAad } from "../auth/two-factor/codes";

/** Rows per transaction, so that other writers wait only briefly. */
const BATCH = 100;
/**
 * Rounds before giving up: a server that knows only the old secret can write rows under it as fast as they are
 * replaced.
 */
const ROUNDS = 5;

export interface ReEncrypted {
  twoFactors: number;
  upstreamKeys: number;
  settings: number;
}

interface Needs extends ActorContext {
  store: Store;
  cipher: Cipher;
}

/**
 * Re-encrypts every secret of the store under the newest instance secret, in batches, while servers that know both
 * secrets keep running. Secrets already under it are skipped, so an interrupted run can be repeated. `settings`: the
 * settings that hold ciphertext, with purpose and AAD. Throws `internal` when a ciphertext cannot be decrypted,
 * `conflict` when old ones keep appearing.
 */
export async function reEncryptSecrets(
  ctx: Needs,
  settings: readonly { name: string; purpose: CipherPurpose; aad: string }[],
): Promise<ReEncrypted> {
  const done: ReEncrypted = { twoFactors: 0, upstreamKeys: 0, settings: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const before = done.twoFactors + done.upstreamKeys + done.settings;
    done.twoFactors += await reEncryptTwoFactors(ctx);
    done.upstreamKeys += await reEncryptUpstreamKeys(ctx);
    done.settings += await reEncryptSettings(ctx, settings);
    if (done.twoFactors + done.upstreamKeys + done.settings > before) continue;
    if (before === 0) return done;
    // The audit log's stored field is `secondFactors`.
    const { twoFactors: secondFactors, ...others } = done;
    await ctx.store.transaction((tx) =>
      recordAudit(tx, ctx, { action: "secret.rotate", detail: { secondFactors, ...others } }),
    );
    return done;
  }
  throw new AppError(
    "conflict",
    "Secrets are still being encrypted under the old secret: a running server does not know the new one. Restart it, then run this again.",
  );
}

function reEncrypt(cipher: Cipher, purpose: CipherPurpose, aad: string, encrypted: string): string {
  return cipher.encrypt(purpose, aad, cipher.decrypt(purpose, aad, encrypted));
}

async function reEncryptTwoFactors({ store, cipher }: Needs): Promise<number> {
  let count = 0;
  let after = "";
  for (;;) {
    const rows = await store.twoFactors.listEncrypted(after, BATCH);
    const old = rows.filter((row) => !cipher.isCurrent(row.encryptedSecret));
    if (old.length > 0) {
      await store.transaction(async (tx) => {
        for (const { userId, encryptedSecret } of old) {
          // Replaces only the secret that was read: a user may have enrolled since. The next round checks the new one.
          await tx.twoFactors.replaceEncryptedSecret(
            userId,
            encryptedSecret,
            reEncrypt(cipher, "totp", secretAad(userId), encryptedSecret),
          );
        }
      });
      count += old.length;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return count;
    after = last.userId;
  }
}

async function reEncryptUpstreamKeys({ store, cipher }: Needs): Promise<number> {
  let count = 0;
  const isOld = (key: ChannelKey) => !cipher.isCurrent(key.encrypted);
  for (const { id } of (await store.channels.all()).filter((channel) => channel.keys.some(isOld))) {
    count += await store.transaction(async (tx) => {
      const channel = await tx.channels.find(id);
      if (channel === null) return 0;
      const keys = channel.keys.map((key) =>
        isOld(key)
          ? { ...key, encrypted: reEncrypt(cipher, "upstream-key", channelKeyAad(id, key.id), key.encrypted) }
          : key,
      );
      await tx.channels.update(channel, { keys });
      return channel.keys.filter(isOld).length;
    });
  }
  return count;
}

async function reEncryptSettings(
  { store, cipher }: Needs,
  settings: readonly { name: string; purpose: CipherPurpose; aad: string }[],
): Promise<number> {
  return store.transaction(async (tx) => {
    const stored = await tx.settings.all();
    let count = 0;
    for (const { name, purpose, aad } of settings) {
      const encrypted = stored[name];
      if (typeof encrypted !== "string" || cipher.isCurrent(encrypted)) continue;
      await tx.settings.put(name, reEncrypt(cipher, purpose, aad, encrypted));
      count += 1;
    }
    return count;
  });
}
