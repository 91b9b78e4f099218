import { WEBHOOK_SECRET_PLACE, WEBHOOK_SECRET_SETTING } from "../../console/alerts/webhook-secret";
import { WEBHOOK_URL_PLACE, WEBHOOK_URL_SETTING } from "../../console/alerts/webhook-url";
import { type SealedAnew, sealAnew } from "../../console/settings/re-encrypt";
import { DIGEST_KEY_PLACE, DIGEST_KEY_SETTING } from "../process/digest-key";
import type { Environment } from "../process/env";
import { forgetPreviousSecret, renewSecretFile } from "../process/secret";
import { SECRET_CHECK_PLACE, SECRET_CHECK_SETTING } from "../process/secret-check";
import { type Command, CommandError, readArguments } from "./command";
import { runningServers, withBooks } from "./open-store";

/** Settings that hold a sealed text. The word that proves the secret comes last: it is the sign that all is done. */
const SEALED_SETTINGS = [
  { name: DIGEST_KEY_SETTING, purpose: "digest-key", place: DIGEST_KEY_PLACE },
  { name: WEBHOOK_SECRET_SETTING, purpose: "webhook-secret", place: WEBHOOK_SECRET_PLACE },
  { name: WEBHOOK_URL_SETTING, purpose: "webhook-url", place: WEBHOOK_URL_PLACE },
  { name: SECRET_CHECK_SETTING, purpose: "secret-check", place: SECRET_CHECK_PLACE },
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
    const done = await withBooks(env, (operator) => sealAnew(operator, SEALED_SETTINGS));
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
  const running = await withBooks(env, ({ store, clock }) => runningServers(store, clock.now()));
  if (running.length === 0 || isForced) return;
  throw new CommandError(
    "A server is running on this store and knows the old secret alone. Stop it first. To go on without a stop, start it " +
      "with PATCHBAY_SECRET set to a new secret and PATCHBAY_SECRET_PREVIOUS to the old one, then run this in the same environment.",
  );
}

function summaryOf({ secondFactors, upstreamKeys, settings }: SealedAnew): string {
  if (secondFactors + upstreamKeys + settings === 0) {
    return "Everything is sealed under the present secret already.";
  }
  return `Sealed anew: ${secondFactors} second factors, ${upstreamKeys} upstream keys, ${settings} of the instance's own.`;
}
