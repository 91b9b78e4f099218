import { AppError } from "../../errors";
import type { ChannelRecord, Repositories, UserRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { requireAdmin } from "./guards";
import { readSettings } from "./read-settings";

/** Throws `forbidden` when this is a demo site and `user` is not its owner. Guards every change of configuration. */
export async function requireWritableSite(ctx: ConsoleContext, user: UserRecord): Promise<void> {
  if (user.role === "owner") return;
  const { demo_site: isDemo } = await readSettings(ctx.store);
  if (isDemo) throw new AppError("forbidden", "This is a demo site: only its owner changes settings.");
}

/** Who may change channels and models: owner and admins, by session or manage key, on a site that is no demo. */
export async function requireOperator(ctx: ConsoleContext): Promise<UserRecord> {
  const user = requireAdmin(ctx);
  await requireWritableSite(ctx, user);
  return user;
}

/** The channel. Throws `not_found`. */
export async function getChannelRecord(
  store: Pick<Repositories, "channels">,
  id: string,
): Promise<ChannelRecord> {
  const record = await store.channels.find(id);
  if (record === null) throw new AppError("not_found", "There is no such channel.");
  return record;
}

export function staleVersion(): AppError {
  return new AppError(
    "conflict",
    "Somebody has changed this meanwhile. Load it again and repeat your change.",
  );
}
