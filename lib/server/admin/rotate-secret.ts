import {
  WEBHOOK_KINDS,
  WEBHOOK_SECRET_AAD,
  WEBHOOK_SECRET_SETTING,
  WEBHOOKS,
} from "../../console/alerts/webhook-credentials";
import { type ReEncrypted, reEncryptSecrets } from "../../console/settings/re-encrypt";
import type { Environment } from "../process/env";
import { keepPreviousSecret, previousSecrets, rotateSecretFile } from "../process/secret";
import {
  DIGEST_KEY_AAD,
  DIGEST_KEY_SETTING,
  SECRET_CHECK_AAD,
  SECRET_CHECK_SETTING,
} from "../process/secret-check";
import { type Command, CommandError, counted, readArguments } from "./command";
import { runningServers, withStore } from "./open-store";

/** Settings with encrypted values. The secret check comes last: it marks that all others are done. */
const ENCRYPTED_SETTINGS = [
  { name: DIGEST_KEY_SETTING, purpose: "digest-key", aad: DIGEST_KEY_AAD },
  { name: WEBHOOK_SECRET_SETTING, purpose: "webhook-secret", aad: WEBHOOK_SECRET_AAD },
  ...WEBHOOK_KINDS.map((kind) => {
    const { setting, aad } = WEBHOOKS[kind];
    return { name: setting, purpose: "webhook-url", aad } as const;
  }),
  { name: SECRET_CHECK_SETTING, purpose: "secret-check", aad: SECRET_CHECK_AAD },
] as const;

export const rotateSecret: Command = {
  name: "rotate-secret",
  usage: "[--force]",
  summary: "re-encrypt every stored secret with a new instance secret",
  async run({ env, terminal }, args) {
    const { values } = readArguments(args, { force: { type: "boolean" } }, []);
    if (env.secret !== null && previousSecrets(env.previousSecrets, env.dataDirectory).length === 0)
      throw new CommandError(
        "PATCHBAY_SECRET is the only secret, so there is nothing to rotate. Set PATCHBAY_SECRET to a new secret and " +
          "PATCHBAY_SECRET_PREVIOUS to the present one on all servers, restart them, then run this in the same environment.",
      );
    if (env.secret === null) {
      await requireNoServer(env, values.force === true);
      rotateSecretFile(env.dataDirectory);
    }
    const done = await withStore(env, (admin) => reEncryptSecrets(admin, ENCRYPTED_SETTINGS));
    const kept = env.secret === null ? keepPreviousSecret(env.dataDirectory) : null;
    terminal.note(summaryOf(done));
    terminal.note(
      kept !== null
        ? `The file 'secret' in the data directory is new. The old one is now '${kept}': older backups need it in ` +
            "PATCHBAY_SECRET_PREVIOUS; delete it with them. All users must sign in again."
        : "PATCHBAY_SECRET_PREVIOUS is no longer needed, except for older backups.",
    );
  },
};

/** A running server with a generated secret does not know the new one until it restarts. Throws CommandError. */
async function requireNoServer(env: Environment, isForced: boolean): Promise<void> {
  const running = await withStore(env, ({ store, clock }) => runningServers(store, clock.now()));
  if (running.length === 0 || isForced) return;
  throw new CommandError(
    "A server is running on this store and knows only the old secret. Stop it first. To avoid the stop, start it " +
      "with PATCHBAY_SECRET set to a new secret and PATCHBAY_SECRET_PREVIOUS to the old one, then run this in the same environment.",
  );
}

function summaryOf({ twoFactors, upstreamKeys, settings }: ReEncrypted): string {
  if (twoFactors + upstreamKeys + settings === 0) {
    return "Everything is already encrypted with the current secret.";
  }
  const secrets = counted(twoFactors, "TOTP secret");
  return `Re-encrypted: ${secrets}, ${counted(upstreamKeys, "upstream key")}, ${counted(settings, "instance setting")}.`;
}
