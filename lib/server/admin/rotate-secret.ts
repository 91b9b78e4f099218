import { WEBHOOK_SECRET_AAD, WEBHOOK_SECRET_SETTING } from "../../console/alerts/webhook-secret";
import { WEBHOOK_URL_AAD, WEBHOOK_URL_SETTING } from "../../console/alerts/webhook-url";
import { type ReEncrypted, reEncryptSecrets } from "../../console/settings/re-encrypt";
import { DIGEST_KEY_AAD, DIGEST_KEY_SETTING } from "../process/digest-key";
import type { Environment } from "../process/env";
import { forgetPreviousSecret, renewSecretFile } from "../process/secret";
import { SECRET_CHECK_AAD, SECRET_CHECK_SETTING } from "../process/secret-check";
import { type Command, CommandError, readArguments } from "./command";
import { runningServers, withStore } from "./open-store";

/** Settings that hold a sealed text. The word that proves the secret comes last: it is the sign that all is done. */
const ENCRYPTED_SETTINGS = [
  { name: DIGEST_KEY_SETTING, purpose: "digest-key", place: DIGEST_KEY_AAD },
  { name: WEBHOOK_SECRET_SETTING, purpose: "webhook-secret", place: WEBHOOK_SECRET_AAD },
  { name: WEBHOOK_URL_SETTING, purpose: "webhook-url", place: WEBHOOK_URL_AAD },
  { name: SECRET_CHECK_SETTING, purpose: "secret-check", place: SECRET_CHECK_AAD },
] as const;

export const rotateSecret: Command = {
  name: "rotate-secret",
  usage: "[--force]",
  summary: "seal every stored secret under a new instance secret",
  async run({ env, terminal }, args) {
    const { values } = readArguments(args, { force: { type: "boolean" } }, []);
    if (env.secret === null) {
      await requireNoServer(env, values.force === true);
      renewSecretFile(env.dataDirectory);
    }
    const done = await withStore(env, (operator) => reEncryptSecrets(operator, ENCRYPTED_SETTINGS));
    if (env.secret === null) forgetPreviousSecret(env.dataDirectory);
    terminal.note(summaryOf(done));
    terminal.note(
      env.secret === null
        ? "The file 'secret' of the data directory is new; backups of before need the old one. Everybody signs in anew."
        : "PATCHBAY_SECRET_PREVIOUS is not needed any more, except for backups of before.",
    );
  },
};

/** A server that made its secret itself does not know the new one before it starts again. */
async function requireNoServer(env: Environment, isForced: boolean): Promise<void> {
  const running = await withStore(env, ({ store, clock }) => runningServers(store, clock.now()));
  if (running.length === 0 || isForced) return;
  throw new CommandError(
    "A server is running on this store and knows the old secret alone. Stop it first. To go on without a stop, start it " +
      "with PATCHBAY_SECRET set to a new secret and PATCHBAY_SECRET_PREVIOUS to the old one, then run this in the same environment.",
  );
}

function summaryOf({ twoFactors, upstreamKeys, settings }: ReEncrypted): string {
  if (twoFactors + upstreamKeys + settings === 0) {
    return "Everything is sealed under the present secret already.";
  }
  return `Sealed anew: ${twoFactors} second factors, ${upstreamKeys} upstream keys, ${settings} of the instance's own.`;
}
