import { resetPassword as resetPasswordOf } from "../../console/users/reset-password";
import { type Command, readArguments } from "./command";
import { findUser, withStore } from "./open-store";
import { readNewPassword } from "./password";

export const resetPassword: Command = {
  name: "reset-password",
  usage: "<username> [--generate]",
  summary: "set a user's password and end their sessions",
  async run({ env, terminal }, args) {
    const { values, positionals } = readArguments(args, { generate: { type: "boolean" } }, ["username"]);
    await withStore(env, async (admin) => {
      const user = await findUser(admin.store, positionals[0] ?? "");
      const password = await readNewPassword(terminal, values.generate === true);
      await resetPasswordOf(admin, user, password);
      terminal.note(`${user.username} has a new password; their sessions have ended.`);
      if ((await admin.store.twoFactors.find(user.id))?.state === "enabled") {
        terminal.note("Their 2FA is still on; 'reset-2fa' turns it off.");
      }
      if (!user.enabled) terminal.note("Their account is disabled, so they cannot sign in yet.");
      if (values.generate === true) {
        terminal.note("The password, shown only once:");
        terminal.say(password);
      }
    });
  },
};
