import { rmSync } from "node:fs";
import { recordAudit } from "../../console/audit/record";
import { removeTwoFactor } from "../../console/auth/two-factor/manage";
import { createOwner, requireNotSetUp } from "../../console/setup/create-owner";
import { PROGRESS_SETTING } from "../../console/setup/state";
import { clearLocks, resetPassword as resetPasswordOf } from "../../console/users/manage";
import { SetupRequest } from "../../contracts/console/setup";
import { parseInput } from "../../http/console/pipeline";
import type { Repositories, Role, UserRecord } from "../../ports/store";
import { setupTokenFile } from "../process/setup-guard";
import { type Command, CommandError, readArguments, UsageError, withOptionNames } from "./command";
import { findUser, withNewStore, withStore } from "./open-store";
import { readNewPassword } from "./password";
import type { Terminal } from "./terminal";

const STILL_DISABLED = "Their account is disabled, so they cannot sign in yet.";

function showPassword(terminal: Terminal, password: string): void {
  terminal.note("The password, shown only once:");
  terminal.say(password);
}

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
    await withNewStore(env, async (admin) => {
      await requireNotSetUp(admin);
      const password = await readNewPassword(terminal, values.generate === true);
      const request = {
        username,
        password,
        email,
        SelfUseModeEnabled: values["self-use"],
        DemoSiteEnabled: values.demo,
      };
      await withOptionNames(request, { username: "username", email: "email" }, () =>
        // An owner created by command skips the rest of the wizard.
        createOwner(admin, parseInput(SetupRequest, request), (tx) =>
          tx.settings.put(PROGRESS_SETTING, { step: "sound", finished: true }),
        ),
      );
      terminal.note(`Patchbay is set up; its owner is ${username}.`);
      if (values.generate === true) showPassword(terminal, password);
      rmSync(setupTokenFile(env.dataDirectory), { force: true });
    });
  },
};

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
      if (values.generate === true) showPassword(terminal, password);
      if ((await admin.store.twoFactors.find(user.id))?.state === "enabled") {
        terminal.note("Their 2FA is still on; 'reset-2fa' turns it off.");
      }
      if (!user.enabled) terminal.note(STILL_DISABLED);
    });
  },
};

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

export const unlock: Command = {
  name: "unlock",
  usage: "<username>",
  summary: "lift a user's sign-in delay and 2FA lock",
  async run({ env, terminal }, args) {
    const { positionals } = readArguments(args, {}, ["username"]);
    await withStore(env, async (admin) => {
      const user = await findUser(admin.store, positionals[0] ?? "");
      await admin.store.transaction(async (tx) => {
        await clearLocks(tx, admin, user);
        await recordAudit(tx, admin, { action: "user.unlock", target: user.id });
      });
      terminal.note(
        user.enabled
          ? `${user.username} may sign in again.`
          : `${user.username} has no delay or lock any more.\n${STILL_DISABLED}`,
      );
    });
  },
};

/** All owners; an initial setup creates one. */
async function findOwners(tx: Repositories): Promise<UserRecord[]> {
  const owners: UserRecord[] = [];
  let cursor: string | null = null;
  do {
    const page = await tx.users.list({ limit: 100, cursor, q: null });
    owners.push(...page.items.filter(({ role }) => role === "owner"));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return owners;
}

export const transferOwnership: Command = {
  name: "transfer-ownership",
  usage: "<username>",
  summary: "make a user the owner, and the present owner an administrator",
  async run({ env, terminal }, args) {
    const { positionals } = readArguments(args, {}, ["username"]);
    await withStore(env, async (admin) => {
      const heir = await findUser(admin.store, positionals[0] ?? "");
      if (!heir.enabled) throw new CommandError(`${heir.username} is disabled. Enable the account first.`);
      if (heir.role === "owner") throw new CommandError(`${heir.username} is already the owner.`);
      const owners = await admin.store.transaction(async (tx) => {
        const before = await findOwners(tx);
        const setRole = async (user: UserRecord, role: Role): Promise<void> => {
          if ((await tx.users.update(user, { role })) === null)
            throw new CommandError(`${user.username} was changed meanwhile. Try again.`);
          await tx.sessions.deleteByUser(user.id);
          await tx.flows.deleteByUser(user.id);
          const detail = { before: { role: user.role }, change: { role } };
          await recordAudit(tx, admin, { action: "user.update", target: user.id, detail });
        };
        for (const owner of before) await setRole(owner, "admin");
        await setRole(heir, "owner");
        return before;
      });
      const former = owners.map(({ username }) => `, ${username} an administrator`).join("");
      terminal.note(`${heir.username} is the owner${former}; their sessions have ended.`);
    });
  },
};
