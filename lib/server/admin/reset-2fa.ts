import { recordAudit } from "../../console/audit/record";
import { removeTwoFactor } from "../../console/auth/two-factor/remove";
import { type Command, CommandError, readArguments } from "./command";
import { findUser, withStore } from "./open-store";

export const resetTwoFactor: Command = {
  name: "reset-2fa",
  usage: "<username>",
  summary: "take away a user's second factor and end their sessions",
  async run({ env, terminal }, args) {
    const { positionals } = readArguments(args, {}, ["username"]);
    await withStore(env, async (operator) => {
      const { store } = operator;
      const user = await findUser(store, positionals[0] ?? "");
      await store.transaction(async (tx) => {
        if ((await tx.twoFactors.find(user.id)) === null) {
          throw new CommandError(`${user.username} has no second factor.`);
        }
        await removeTwoFactor(tx, user.id);
        await recordAudit(tx, operator, { action: "2fa.reset", target: user.id });
      });
      terminal.note(`${user.username} has no second factor any more; their sessions have ended.`);
    });
  },
};
