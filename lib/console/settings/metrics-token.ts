import { createHash } from "node:crypto";
import { z } from "zod";
import type { MetricsToken, OwnerProof } from "../../contracts/console/settings";
import { AppError } from "../../errors";
import type { Repositories } from "../../ports/store";
import { requireOwner } from "../access/guards";
import { recordAudit } from "../audit/record";
import { verifyOwnPassword } from "../auth/step-up";
import type { ConsoleContext } from "../context";

const SETTING = "metrics_token";
/** The stored token: its digest in hex, never the token. */
const StoredToken = z.object({ digest: z.string(), madeAt: z.number() });

/** The stored token; null when there is none. */
export async function readMetricsToken(
  store: Pick<Repositories, "settings">,
): Promise<z.output<typeof StoredToken> | null> {
  const stored = StoredToken.safeParse((await store.settings.all())[SETTING]);
  return stored.success ? stored.data : null;
}

/** The form in which tokens are stored and compared. */
export function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Creates the token of /metrics, replacing an earlier one. Throws `forbidden`, `step_up_failed`, `conflict`
 * (PATCHBAY_METRICS_TOKEN is set and takes precedence).
 */
export async function createMetricsToken(ctx: ConsoleContext, proof: OwnerProof): Promise<MetricsToken> {
  const owner = requireOwner(ctx, "Only the owner may create the /metrics token.");
  if (ctx.metrics.exposition?.token) {
    const message = "PATCHBAY_METRICS_TOKEN sets the token; change it there.";
    throw new AppError("conflict", message);
  }
  await verifyOwnPassword(ctx, owner, proof.password);
  const token = `pbm_${Buffer.from(ctx.random.bytes(24)).toString("base64url")}`;
  await ctx.store.transaction(async (tx) => {
    await tx.settings.put(SETTING, { digest: digestOf(token), madeAt: ctx.clock.now() });
    await recordAudit(tx, ctx, { action: "metrics_token.make" });
  });
  await ctx.instance.refreshSettings?.();
  return { token };
}

/** Deletes the token made in the console. Throws `forbidden`, `not_found`. */
export async function removeMetricsToken(ctx: ConsoleContext): Promise<void> {
  requireOwner(ctx, "Only the owner may remove the /metrics token.");
  await ctx.store.transaction(async (tx) => {
    if ((await readMetricsToken(tx)) === null) throw new AppError("not_found", "No /metrics token exists.");
    await tx.settings.put(SETTING, null);
    await recordAudit(tx, ctx, { action: "metrics_token.remove" });
  });
  await ctx.instance.refreshSettings?.();
}
