import { AppError } from "../../errors";
import { channelKeyPlace } from "../../ports/channel-probe";
import type { Sealer, SealPurpose } from "../../ports/cipher";
import type { ChannelKey, Store } from "../../ports/store";
import { recordAudit, type Witness } from "../audit/record";
import { secretPlace } from "../auth/match-code";

/** Rows of one transaction: other writers wait no longer than for these. */
const BATCH = 100;
/** Rounds before giving up: a server that knows the old secret alone makes old rows as fast as they are replaced. */
const ROUNDS = 5;

export interface SealedAnew {
  secondFactors: number;
  upstreamKeys: number;
  settings: number;
}

interface Needs extends Witness {
  store: Store;
  sealer: Sealer;
}

/**
 * Seals every secret of the store under the newest instance secret, in batches, while servers that know both secrets
 * go on working. What is sealed so already is passed over, so a run that was cut off is simply begun again.
 * `settings`: names of settings that hold a sealed text, with purpose and place of each. Throws `internal` when a text
 * does not open, `conflict` when old ones keep coming.
 */
export async function sealAnew(
  ctx: Needs,
  settings: readonly { name: string; purpose: SealPurpose; place: string }[],
): Promise<SealedAnew> {
  const done: SealedAnew = { secondFactors: 0, upstreamKeys: 0, settings: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const before = done.secondFactors + done.upstreamKeys + done.settings;
    done.secondFactors += await sealSecondFactors(ctx);
    done.upstreamKeys += await sealUpstreamKeys(ctx);
    done.settings += await sealSettings(ctx, settings);
    if (done.secondFactors + done.upstreamKeys + done.settings > before) continue;
    await ctx.store.transaction((tx) =>
      recordAudit(tx, ctx, { action: "secret.rotate", detail: { ...done } }),
    );
    return done;
  }
  throw new AppError(
    "conflict",
    "Secrets are still being sealed under the old secret: a server runs that does not know the new one. Restart it, then run this again.",
  );
}

function anew(sealer: Sealer, purpose: SealPurpose, place: string, sealed: string): string {
  return sealer.seal(purpose, place, sealer.open(purpose, place, sealed));
}

async function sealSecondFactors({ store, sealer }: Needs): Promise<number> {
  let count = 0;
  let after = "";
  for (;;) {
    const rows = await store.twoFactors.listSealed(after, BATCH);
    const old = rows.filter((row) => !sealer.isCurrent(row.secretSealed));
    if (old.length > 0) {
      await store.transaction(async (tx) => {
        for (const { userId, secretSealed } of old) {
          // A user who enrols at this moment has a new secret; the next round looks at it.
          await tx.twoFactors.reseal(
            userId,
            secretSealed,
            anew(sealer, "totp", secretPlace(userId), secretSealed),
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

async function sealUpstreamKeys({ store, sealer }: Needs): Promise<number> {
  let count = 0;
  const isOld = (key: ChannelKey) => !sealer.isCurrent(key.sealed);
  for (const { id } of (await store.channels.all()).filter((channel) => channel.keys.some(isOld))) {
    count += await store.transaction(async (tx) => {
      const channel = await tx.channels.find(id);
      if (channel === null) return 0;
      const keys = channel.keys.map((key) =>
        isOld(key)
          ? { ...key, sealed: anew(sealer, "upstream-key", channelKeyPlace(id, key.id), key.sealed) }
          : key,
      );
      await tx.channels.update(channel, { keys });
      return channel.keys.filter(isOld).length;
    });
  }
  return count;
}

async function sealSettings(
  { store, sealer }: Needs,
  settings: readonly { name: string; purpose: SealPurpose; place: string }[],
): Promise<number> {
  return store.transaction(async (tx) => {
    const stored = await tx.settings.all();
    let count = 0;
    for (const { name, purpose, place } of settings) {
      const sealed = stored[name];
      if (typeof sealed !== "string" || sealer.isCurrent(sealed)) continue;
      await tx.settings.put(name, anew(sealer, purpose, place, sealed));
      count += 1;
    }
    return count;
  });
}
