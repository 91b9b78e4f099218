import { z } from "zod";
import type { AllowedUpstreams, AllowUpstream } from "../../contracts/console/channels";
import { AppError } from "../../errors";
import type { Repositories } from "../../ports/store";
import { requireOwner } from "../access/guards";
import { recordAudit } from "../audit/record";
import { verifyOwnPassword } from "../auth/step-up";
import type { ConsoleContext } from "../context";

/** Key of the owner's list in the settings table. */
const SETTING = "allowed_upstreams";
const Targets = z.array(z.string());

/** The `host:port` targets that the owner has allowed; an unreadable list counts as empty. */
export async function readAllowedUpstreams(store: Pick<Repositories, "settings">): Promise<string[]> {
  const stored = Targets.safeParse((await store.settings.all())[SETTING]);
  return stored.success ? stored.data : [];
}

const OWNER_ONLY = "Only the owner may allow private addresses as upstreams.";

/**
 * Allows one host and port as an upstream, even if private or plain HTTP, after checking the password. Throws
 * `forbidden`, `step_up_failed`, `invalid` (not an address, or one that is never allowed).
 */
export async function allowUpstream(ctx: ConsoleContext, input: AllowUpstream): Promise<AllowedUpstreams> {
  const owner = requireOwner(ctx, OWNER_ONLY);
  const target = ctx.providers.targetOf(input.base_url);
  await verifyOwnPassword(ctx, owner, input.password);
  const targets = await ctx.store.transaction(async (tx) => {
    const next = [...new Set([...(await readAllowedUpstreams(tx)), target])];
    await tx.settings.put(SETTING, next);
    await recordAudit(tx, ctx, { action: "upstream.allow", target });
    return next;
  });
  return { targets };
}

/** Removes an allowed target; channels that need it fail from the next call on. Throws `forbidden`, `not_found`. */
export async function disallowUpstream(ctx: ConsoleContext, target: string): Promise<void> {
  requireOwner(ctx, OWNER_ONLY);
  await ctx.store.transaction(async (tx) => {
    const before = await readAllowedUpstreams(tx);
    const next = before.filter((one) => one !== target);
    if (next.length === before.length)
      throw new AppError("not_found", "This address is not in the list of allowed upstreams.");
    await tx.settings.put(SETTING, next);
    await recordAudit(tx, ctx, { action: "upstream.disallow", target });
  });
}
