import { recordAudit } from "../../console/audit/record";
import { liftLocks } from "../../console/users/unlock";
import { type Command, readArguments } from "./command";
import { findUser, withStore } from "./open-store";

export const unlock: Command = {
  name: "unlock",
  usage: "<username>",
  summary: "lift a user's sign-in delay and 2FA lock",
  async run({ env, terminal }, args) {
    const { positionals } = readArguments(args, {}, ["username"]);
    await withStore(env, async (admin) => {
      const user = await findUser(admin.store, positionals[0] ?? "");
      await admin.store.transaction(async (tx) => {
        await liftLocks(tx, admin, user);
        await recordAudit(tx, admin, { action: "user.unlock", target: user.id });
      });
      terminal.note(`${user.username} may sign in again.`);
    });
  },
};
