import { createKeyOf } from "../../console/api-keys/create";
import { CreateKey } from "../../contracts/console/api-keys";
import { parseInput } from "../../http/console/pipeline";
import { type Command, listOf, readArguments, UsageError } from "./command";
import { findUser, withStore } from "./open-store";

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${option} must be a whole number, not '${text}'.`);
  return Number(text);
}

export const createKey: Command = {
  name: "create-key",
  usage:
    "--user <name> --name <label> [--operations speech,embeddings,manage] [--models <a,b>] " +
    "[--addresses <a,b>] [--expires <time>] [--rpm <n>]",
  summary: "create an API key; it is printed only once",
  async run({ env, terminal }, args) {
    const text = { type: "string" } as const;
    const { values } = readArguments(
      args,
      {
        user: text,
        name: text,
        operations: text,
        models: text,
        addresses: text,
        expires: text,
        rpm: text,
      },
      [],
    );
    const { user, name, expires } = values;
    if (user === undefined || name === undefined) {
      throw new UsageError(`--${user === undefined ? "user" : "name"} is missing.`);
    }
    const input = parseInput(CreateKey, {
      name,
      operations: listOf(values.operations),
      allowed_models: listOf(values.models),
      allowed_addresses: listOf(values.addresses),
      expires_at: expires,
      rpm: wholeNumber("rpm", values.rpm),
    });
    await withStore(env, async (admin) => {
      const owner = await findUser(admin.store, user);
      const created = await createKeyOf(admin, owner, input);
      terminal.note(
        `Key ${created.id} of ${owner.username} for ${created.operations.join(" and ")}, shown only once:`,
      );
      terminal.say(created.key);
    });
  },
};
