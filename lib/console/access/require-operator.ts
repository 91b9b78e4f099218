import { AppError } from "../../errors";
import type { ConsoleContext } from "../../gateway/context";
import type { ChannelRecord, Repositories, UserRecord } from "../../ports/store";
import { requireWritableSite } from "../settings/update";
import { requireAdmin } from "./guards";

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
