import { createHmac } from "node:crypto";
import type { WebhookSecret } from "../../contracts/console/alerts";
import { randomBase62 } from "../../gateway/new-id";
import type { Repositories } from "../../ports/store";
import { requireSignedInOperator } from "../access/require-operator";
import { recordAudit } from "../audit/record";
import type { ConsoleContext, ConsoleServices } from "../context";

export const WEBHOOK_SECRET_SETTING = "alerts_webhook_secret";
export const WEBHOOK_SECRET_AAD = `settings/${WEBHOOK_SECRET_SETTING}/value`;
const LENGTH = 40;

/** The encrypted secret; null when there is none. */
export async function encryptedWebhookSecret(store: Pick<Repositories, "settings">): Promise<string | null> {
  const stored = (await store.settings.all())[WEBHOOK_SECRET_SETTING];
  return typeof stored === "string" ? stored : null;
}

/** The decrypted secret; null when there is none. */
export async function decryptWebhookSecret({
  store,
  cipher,
}: Pick<ConsoleServices, "store" | "cipher">): Promise<string | null> {
  const encrypted = await encryptedWebhookSecret(store);
  return encrypted === null ? null : cipher.decrypt("webhook-secret", WEBHOOK_SECRET_AAD, encrypted);
}

/** Creates a signing secret that replaces the old one; it is returned only here. Throws `forbidden`. */
export async function createWebhookSecret(ctx: ConsoleContext): Promise<WebhookSecret> {
  await requireSignedInOperator(ctx);
  const secret = `whsec_${randomBase62(ctx.random, LENGTH)}`;
  const encrypted = ctx.cipher.encrypt("webhook-secret", WEBHOOK_SECRET_AAD, secret);
  await ctx.store.transaction(async (tx) => {
    const isRotation = (await encryptedWebhookSecret(tx)) !== null;
    await tx.settings.put(WEBHOOK_SECRET_SETTING, encrypted);
    await recordAudit(tx, ctx, { action: "alerts.webhook_secret", detail: { rotated: isRotation } });
  });
  return { secret };
}

/**
 * The value of `x-patchbay-signature`: `t=<unix seconds>,v1=<hex>`, where v1 is the HMAC-SHA256 under the secret of
 * `<t>.<body>` (the scheme of Stripe's webhooks). A receiver compares in constant time and refuses an old `t`.
 */
export function signMessage(secret: string, atMs: number, body: string): string {
  const seconds = Math.floor(atMs / 1_000);
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}
