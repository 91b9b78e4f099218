import type { Settings, UpdateSettings, VersionedSettings } from "../../contracts/settings";
import { AppError } from "../../errors";
import type { Repositories, UserRecord } from "../../ports/store";
import { recordAudit } from "../audit/record";
import { requireSignedInAdmin } from "../auth/guards";
import type { ConsoleContext, ReadContext } from "../context";
import { readSettings } from "./read";
import { requireOwnFactor } from "./two-factor-roles";
import { raiseVersion, readVersioned } from "./version";

/** Throws `forbidden` when this is a demo site and `user` is not its owner. Guards every change of configuration. */
export async function requireWritableSite(ctx: ConsoleContext, user: UserRecord): Promise<void> {
  if (user.role === "owner") return;
  const { demo_site: isDemo } = await readSettings(ctx.store);
  if (isDemo) throw new AppError("forbidden", "This is a demo site: only its owner changes settings.");
}

/** The address of a webhook may be all that guards it: of it the audit, and who may not change it, see the host. */
function shown<Some extends Partial<Settings>>(settings: Some): Some {
  const url = settings.alerts?.webhook_url;
  if (!settings.alerts || !url) return settings;
  return { ...settings, alerts: { ...settings.alerts, webhook_url: new URL(url).origin } };
}

/**
 * Writes the settings that are named, with their audit row, inside a transaction. Throws `forbidden` (the owner's
 * alone), `invalid` (it would shut its author out).
 */
export async function applySettings(
  tx: Repositories,
  ctx: ConsoleContext,
  user: UserRecord,
  change: Partial<Settings>,
  action = "settings.update",
): Promise<void> {
  const before = await readSettings(tx);
  if (change.demo_site !== undefined && user.role !== "owner")
    throw new AppError("forbidden", "Only the owner makes this a demo site or ends it.");
  if (change.two_factor_roles !== undefined)
    await requireOwnFactor(tx, user, before.two_factor_roles, change.two_factor_roles);
  // The names of `change` are those of the settings.
  const names = (Object.keys(change) as (keyof Settings)[]).filter((name) => change[name] !== undefined);
  for (const name of names) await tx.settings.put(name, change[name]);
  const was = Object.fromEntries(names.map((name) => [name, before[name]]));
  await recordAudit(tx, ctx, { action, detail: { before: shown(was), change: shown(change) } });
}

/** The settings, for administrators; a webhook's whole address for those alone who may change it. Throws `forbidden`. */
export async function showSettings(ctx: ReadContext): Promise<VersionedSettings> {
  const { role } = requireSignedInAdmin(ctx);
  const settings = await readVersioned(ctx.store);
  return role === "owner" || !settings.demo_site ? settings : shown(settings);
}

/** Changes the settings that are named. Throws `forbidden`, `invalid`, `conflict` (stale version). */
export async function updateSettings(ctx: ConsoleContext, input: UpdateSettings): Promise<VersionedSettings> {
  const user = requireSignedInAdmin(ctx);
  await requireWritableSite(ctx, user);
  const { version, ...change } = input;
  const after = await ctx.store.transaction(async (tx) => {
    await raiseVersion(tx, version);
    await applySettings(tx, ctx, user, change);
    return readVersioned(tx);
  });
  // In force here before the reply says so.
  await ctx.instance.refreshSettings?.();
  return after;
}
