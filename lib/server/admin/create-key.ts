import { createKeyOf } from "../../console/api-keys/create";
import { CreateKey } from "../../contracts/console/api-keys";
import { parseInput } from "../../http/console/pipeline";
import type { Store } from "../../ports/store";
import { type Command, listOf, readArguments, UsageError, withOptionNames } from "./command";
import { findUser, withStore } from "./open-store";

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${option} must be a whole number, not '${text}'.`);
  return Number(text);
}

/** The command-line option of each field of the API request. */
const OPTION_OF = {
  name: "name",
  operations: "operations",
  allowed_models: "models",
  allowed_addresses: "addresses",
  expires_at: "expires",
  rpm: "rpm",
} as const satisfies Partial<Record<keyof CreateKey, string>>;

/**
 * The names that no model or alias has. Empty in a store without models, where no server has created the built-in ones.
 */
async function unknownModels(store: Store, names: readonly string[]): Promise<string[]> {
  const known = (await store.models.all()).flatMap((model) => [model.name, ...model.aliases]);
  return known.length === 0 ? [] : names.filter((name) => !known.includes(name));
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
    const request = {
      name,
      operations: listOf(values.operations),
      allowed_models: listOf(values.models),
      allowed_addresses: listOf(values.addresses),
      expires_at: expires,
      rpm: wholeNumber("rpm", values.rpm),
    };
    await withOptionNames(request, OPTION_OF, async () => {
      const input = parseInput(CreateKey, request);
      await withStore(env, async (admin) => {
        const owner = await findUser(admin.store, user);
        const created = await createKeyOf(admin, owner, input);
        terminal.note(
          `Key ${created.id} of ${owner.username} for ${created.operations.join(" and ")}, shown only once:`,
        );
        terminal.say(created.key);
        const unknown = await unknownModels(admin.store, created.allowed_models);
        if (unknown.length > 0) {
          terminal.note(
            `Unknown model: ${unknown.join(", ")}. The key can use only the models listed, so check the spelling.`,
          );
        }
      });
    });
  },
};
