import type { Settings, UpdateSettings } from "../../contracts/settings";
import { AppError } from "../../errors";
import type { UserRecord } from "../../ports/store";
import { recordAudit } from "../audit/record";
import { requireAdmin, requireSession } from "../auth/guards";
import type { ConsoleContext } from "../context";
import { readSettings } from "./read";

/** Throws `forbidden` when this is a demo site and `user` is not its owner. Guards every change of configuration. */
export async function requireWritableSite(ctx: ConsoleContext, user: UserRecord): Promise<void> {
  if (user.role === "owner") return;
  const { demo_site: isDemo } = await readSettings(ctx.store);
  if (isDemo) throw new AppError("forbidden", "This is a demo site: only its owner changes settings.");
}

/** Changes the settings that are named. Throws `forbidden`. */
export async function updateSettings(ctx: ConsoleContext, input: UpdateSettings): Promise<Settings> {
  requireSession(ctx);
  const user = requireAdmin(ctx);
  await requireWritableSite(ctx, user);
  if (input.demo_site !== undefined && user.role !== "owner") {
    throw new AppError("forbidden", "Only the owner makes this a demo site or ends it.");
  }
  return ctx.store.transaction(async (tx) => {
    const before = await readSettings(tx);
    for (const [name, value] of Object.entries(input)) {
      if (value !== undefined) await tx.settings.put(name, value);
    }
    await recordAudit(tx, ctx, { action: "settings.update", detail: { before, change: input } });
    return readSettings(tx);
  });
}
