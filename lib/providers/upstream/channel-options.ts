import type { z } from "zod";
import { renameOldOptions } from "../../contracts/console/channel-options";
import { AppError } from "../../errors";
import type { ChannelRecord } from "../../ports/store";

/** A provider's options, checked strictly when a channel is saved and read leniently when it is used. */
interface OptionsReader<T> {
  /** Throws `invalid` with `issues` under `options.*`. */
  check(options: Readonly<Record<string, unknown>>): Record<string, unknown>;
  of(channel: ChannelRecord): T;
}

/** Both schemas have the same fields: `strict` rejects unknown ones, `lenient` drops them. */
export function optionsReader<T extends Record<string, unknown>>(
  strict: z.ZodType<T>,
  lenient: z.ZodType<T>,
): OptionsReader<T> {
  const read = new WeakMap<ChannelRecord, T>();
  return {
    check(options) {
      const parsed = strict.safeParse(options);
      if (parsed.success) return renameOldOptions<unknown>(parsed.data);
      const issues = parsed.error.issues.map((issue) => ({
        path: ["options", ...issue.path].join("."),
        message: issue.message,
      }));
      const [first] = issues;
      throw new AppError("invalid", `'${first?.path ?? "options"}' ${first?.message ?? "is not valid"}`, {
        param: "options",
        issues,
      });
    },
    of(channel) {
      const known = read.get(channel);
      if (known !== undefined) return known;
      const parsed = lenient.safeParse(channel.options);
      // Saved options have passed `check`; options of an older version that do not fit count as absent.
      const options = parsed.success ? parsed.data : lenient.parse({});
      read.set(channel, options);
      return options;
    },
  };
}
