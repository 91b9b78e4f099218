import { recordAudit } from "../../console/audit/record";
import { liftLocks } from "../../console/users/unlock";
import { type Command, readArguments } from "./command";
import { findUser, withStore } from "./open-store";

export const unlock: Command = {
  name: "unlock",
  usage: "<username>",
  summary: "lift the delays of a user's name and the lock of their second step",
  async run({ env, terminal }, args) {
    const { positionals } = readArguments(args, {}, ["username"]);
    await withStore(env, async (operator) => {
      const user = await findUser(operator.store, positionals[0] ?? "");
      await operator.store.transaction(async (tx) => {
        await liftLocks(tx, operator, user);
        await recordAudit(tx, operator, { action: "user.unlock", target: user.id });
      });
      terminal.note(`${user.username} may try to sign in again.`);
    });
  },
};
