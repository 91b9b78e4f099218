import { rmSync } from "node:fs";
import { createOwner, requireNotSetUp } from "../../console/setup/create-owner";
import { PROGRESS_SETTING } from "../../console/setup/state";
import { SetupRequest } from "../../contracts/console/setup";
import { parseInput } from "../../http/console/pipeline";
import { setupTokenFile } from "../process/setup-guard";
import { type Command, readArguments, UsageError } from "./command";
import { withStore } from "./open-store";
import { readNewPassword } from "./password";

export const setup: Command = {
  name: "setup",
  usage: "--username <name> [--email <address>] [--self-use] [--demo] [--generate]",
  summary: "do the initial setup and create the owner",
  async run({ env, terminal }, args) {
    const { values } = readArguments(
      args,
      {
        username: { type: "string" },
        email: { type: "string" },
        "self-use": { type: "boolean" },
        demo: { type: "boolean" },
        generate: { type: "boolean" },
      },
      [],
    );
    if (values.username === undefined) throw new UsageError("--username is missing.");
    const { username, email } = values;
    await withStore(env, async (admin) => {
      await requireNotSetUp(admin);
      const password = await readNewPassword(terminal, values.generate === true);
      const input = parseInput(SetupRequest, {
        username,
        password,
        email,
        SelfUseModeEnabled: values["self-use"],
        DemoSiteEnabled: values.demo,
      });
      // An owner created by command skips the rest of the wizard.
      await createOwner(admin, input, (tx) =>
        tx.settings.put(PROGRESS_SETTING, { step: "sound", finished: true }),
      );
      rmSync(setupTokenFile(env.dataDirectory), { force: true });
      terminal.note(`Patchbay is set up; its owner is ${username}.`);
      if (values.generate === true) {
        terminal.note("The password, shown only once:");
        terminal.say(password);
      }
    });
  },
};
