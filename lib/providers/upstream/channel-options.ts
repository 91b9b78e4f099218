import type { z } from "zod";
import { renameOldOptions } from "../../contracts/console/channel-options";
import { describeAsSentence, issuesOf } from "../../contracts/describe-issue";
import { AppError } from "../../errors";
import type { ChannelRecord } from "../../ports/store";

/** A provider's options: unknown ones are rejected when a channel is saved and dropped when it is used. */
interface OptionsReader<T> {
  /** Throws `invalid` with `issues` under `options.*`. */
  check(options: Readonly<Record<string, unknown>>): Record<string, unknown>;
  of(channel: ChannelRecord): T;
}

export function optionsReader<Schema extends z.ZodObject>(schema: Schema): OptionsReader<z.output<Schema>> {
  const strict = schema.strict();
  const read = new WeakMap<ChannelRecord, z.output<Schema>>();
  return {
    check(options) {
      const parsed = strict.safeParse(options, { error: describeAsSentence });
      if (parsed.success) return renameOldOptions<unknown>(parsed.data);
      const issues = issuesOf(parsed.error).map(({ path, message }) => ({
        path: path === "" ? "options" : `options.${path}`,
        message,
      }));
      const [first = { path: "options", message: "Is not valid." }] = issues;
      throw new AppError("invalid", `${first.path}: ${first.message}`, { param: "options", issues });
    },
    of(channel) {
      const known = read.get(channel);
      if (known !== undefined) return known;
      const parsed = schema.safeParse(channel.options);
      // Saved options have passed `check`; options of an older version that do not fit count as absent.
      const options = parsed.success ? parsed.data : schema.parse({});
      read.set(channel, options);
      return options;
    },
  };
}
