import { recordAudit } from "../../console/audit/record";
import { removeTwoFactor } from "../../console/auth/two-factor/remove";
import { type Command, CommandError, readArguments } from "./command";
import { findUser, withStore } from "./open-store";

export const resetTwoFactor: Command = {
  name: "reset-2fa",
  usage: "<username>",
  summary: "turn off a user's 2FA and end their sessions",
  async run({ env, terminal }, args) {
    const { positionals } = readArguments(args, {}, ["username"]);
    await withStore(env, async (admin) => {
      const { store } = admin;
      const user = await findUser(store, positionals[0] ?? "");
      await store.transaction(async (tx) => {
        if ((await tx.twoFactors.find(user.id)) === null) {
          throw new CommandError(`${user.username} does not use 2FA.`);
        }
        await removeTwoFactor(tx, user.id);
        await recordAudit(tx, admin, { action: "2fa.reset", target: user.id });
      });
      terminal.note(`${user.username} no longer uses 2FA; their sessions have ended.`);
    });
  },
};
