import type { UpdateSettings, VersionedSettings } from "../../contracts/console/settings";
import { AppError, invalidField } from "../../errors";
import type { Repositories, UserRecord, WebhookKind } from "../../ports/store";
import { requireSignedInAdmin, requireSignedInOperator } from "../access/guards";
import { readSettings } from "../access/read-settings";
import { requireOwnTwoFactor } from "../access/two-factor-roles";
import { changeWebhookUrl, maskWebhookUrl, readWebhookUrl, webhookHost } from "../alerts/webhook-credentials";
import { recordAudit } from "../audit/record";
import type { ConsoleContext, ReadContext } from "../context";

/** Setting that counts the changes of the settings. */
const SETTING = "settings_version";

async function readVersion(store: Pick<Repositories, "settings">): Promise<number> {
  const stored = (await store.settings.all())[SETTING];
  return typeof stored === "number" ? stored : 1;
}

/**
 * Raises the version of the settings inside the change's transaction. `read`: the version that the change is based on;
 * "any" for changes that may replace any version, such as an import. Throws `conflict` when `read` is not the present
 * version.
 */
export async function raiseVersion(tx: Repositories, read: number | "any"): Promise<void> {
  const present = await readVersion(tx);
  if (read !== "any" && read !== present)
    throw new AppError(
      "conflict",
      "The settings were changed by another request. Load them again and repeat your change.",
    );
  await tx.settings.put(SETTING, present + 1);
}

type SettingsChange = Omit<UpdateSettings, "version">;

/**
 * Writes the given settings and their audit row inside a transaction. Throws `forbidden` (owner only), `invalid` (the
 * change would lock its author out, or has a webhook URL that is incomplete or not allowed).
 */
export async function applySettings(
  tx: Repositories,
  ctx: ConsoleContext,
  user: UserRecord,
  change: SettingsChange,
): Promise<void> {
  const before = await readSettings(tx);
  if (change.demo_site !== undefined && user.role !== "owner")
    throw new AppError("forbidden", "Only the owner may turn the demo site on or off.");
  if (change.two_factor_roles !== undefined)
    await requireOwnTwoFactor(tx, user, before.two_factor_roles, change.two_factor_roles);
  // The keys of `change` are setting names.
  const names = (Object.keys(change) as (keyof SettingsChange)[]).filter(
    (name) => change[name] !== undefined,
  );
  const was: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, before[name]]));
  const is: Record<string, unknown> = { ...change };
  for (const name of names) if (name !== "alerts") await tx.settings.put(name, change[name]);
  if (change.alerts !== undefined) {
    const { webhook_url: signedUrl, slack_url: slackUrl, ...general } = change.alerts;
    const rules = { ...general, rules: general.rules ?? before.alerts.rules };
    await tx.settings.put("alerts", rules);
    const signed = await changeWebhookUrl(tx, ctx, "signed", signedUrl);
    const slack = await changeWebhookUrl(tx, ctx, "slack", slackUrl);
    was.alerts = { ...before.alerts, ...hostsOf(signed.before, slack.before) };
    is.alerts = { ...rules, ...hostsOf(signed.after, slack.after) };
  }
  await recordAudit(tx, ctx, { action: "settings.update", detail: { before: was, change: is } });
}

/** The webhook URLs as the audit log shows them. */
function hostsOf(signed: string | null, slack: string | null) {
  return { webhook_url: webhookHost(signed), slack_url: webhookHost(slack) };
}

/**
 * The settings as the API returns them: webhook URLs are masked; users who may not change settings get their origins.
 */
async function present(
  store: Pick<Repositories, "settings">,
  { cipher }: Pick<ReadContext, "cipher">,
  user: UserRecord,
): Promise<VersionedSettings> {
  const { alerts, ...settings } = await readSettings(store);
  const mayChange = user.role === "owner" || !settings.demo_site;
  const shown = async (kind: WebhookKind) => {
    const url = await readWebhookUrl(store, cipher, kind);
    return url !== null && mayChange ? maskWebhookUrl(url) : webhookHost(url);
  };
  return {
    ...settings,
    version: await readVersion(store),
    alerts: { ...alerts, webhook_url: await shown("signed"), slack_url: await shown("slack") },
  };
}

/** The settings, for administrators. Throws `forbidden`. */
export async function showSettings(ctx: ReadContext): Promise<VersionedSettings> {
  return present(ctx.store, ctx, requireSignedInAdmin(ctx));
}

/** Why a new minimum password length is refused: it may not be below the environment's. Null: it is accepted. */
export function passwordMinimumIssue(
  { instance }: Pick<ConsoleContext, "instance">,
  minimum: number | null | undefined,
): string | null {
  const shortest = instance.base?.passwordMinimum ?? 0;
  return (minimum ?? shortest) < shortest ? `Must be at least ${shortest}.` : null;
}

/** Changes the given settings. Throws `forbidden`, `invalid`, `conflict` (stale version). */
export async function updateSettings(ctx: ConsoleContext, input: UpdateSettings): Promise<VersionedSettings> {
  const user = await requireSignedInOperator(ctx);
  const { version, ...change } = input;
  const issue = passwordMinimumIssue(ctx, change.password_minimum);
  if (issue !== null) throw invalidField("password_minimum", issue);
  const after = await ctx.store.transaction(async (tx) => {
    await raiseVersion(tx, version);
    await applySettings(tx, ctx, user, change);
    return present(tx, ctx, user);
  });
  // Applied in this process before the reply.
  await ctx.instance.refreshSettings?.();
  return after;
}
