import { AppError } from "../../errors";
import type { ChannelRecord, Repositories, UserRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { requireAdmin, requireSignedInAdmin } from "./guards";
import { readSettings } from "./read-settings";

/** Throws `forbidden` when this is a demo site and `user` is not its owner. Guards every configuration change. */
export async function requireWritableSite(ctx: ConsoleContext, user: UserRecord): Promise<void> {
  if (user.role === "owner") return;
  const { demo_site: isDemo } = await readSettings(ctx.store);
  if (isDemo) throw new AppError("forbidden", "This is a demo site: only its owner can change settings.");
}

/** The owner or an admin, by session or manage key, unless a demo site refuses them: may change channels and models. */
export async function requireOperator(ctx: ConsoleContext): Promise<UserRecord> {
  const user = requireAdmin(ctx);
  await requireWritableSite(ctx, user);
  return user;
}

/** The signed-in owner or an admin, unless a demo site refuses them: may change users and settings; API keys may not. */
export async function requireSignedInOperator(ctx: ConsoleContext): Promise<UserRecord> {
  const user = requireSignedInAdmin(ctx);
  await requireWritableSite(ctx, user);
  return user;
}

/** The channel. Throws `not_found`. */
export async function getChannelRecord(
  store: Pick<Repositories, "channels">,
  id: string,
): Promise<ChannelRecord> {
  const record = await store.channels.find(id);
  if (record === null) throw new AppError("not_found", "Channel not found.");
  return record;
}

export function staleVersion(): AppError {
  return new AppError(
    "conflict",
    "This was changed by another request. Load it again and repeat your change.",
  );
}
