import { createHmac } from "node:crypto";
import type { WebhookSecret } from "../../contracts/console/alerts";
import { AppError, hasCode } from "../../errors";
import { randomBase62 } from "../../gateway/new-id";
import type { Cipher } from "../../ports/cipher";
import type { Repositories, Store, WebhookKind } from "../../ports/store";
import { requireSignedInOperator } from "../access/guards";
import { recordAudit } from "../audit/record";
import type { ConsoleContext, ConsoleServices } from "../context";

/**
 * The webhook URLs are stored encrypted and apart from the other settings: anyone who knows one can post in our name.
 * `field`: the URL's name in the API's settings. `setting`: its name in the store.
 */
export const WEBHOOKS = {
  signed: {
    field: "webhook_url",
    setting: "alerts_webhook_url",
    aad: "settings/alerts_webhook_url/value",
  },
  slack: { field: "slack_url", setting: "alerts_slack_url", aad: "settings/alerts_slack_url/value" },
} as const satisfies Record<WebhookKind, { field: string; setting: string; aad: string }>;
export const WEBHOOK_KINDS = ["signed", "slack"] as const satisfies readonly WebhookKind[];

const MASK = "****";
const SHOWN_CHARACTERS = 4;
/** Nothing of a shorter path is shown, because its last characters would be most of it. */
const MIN_MASKED_LENGTH = 16;

/** Whether alerts are sent anywhere. */
export async function hasWebhook(store: Pick<Repositories, "settings">): Promise<boolean> {
  const stored = await store.settings.all();
  return WEBHOOK_KINDS.some((kind) => typeof stored[WEBHOOKS[kind].setting] === "string");
}

/** The decrypted webhook URL; null when there is none. Throws `internal` when the stored text was tampered with. */
export async function decryptWebhookUrl(
  store: Pick<Repositories, "settings">,
  cipher: Cipher,
  kind: WebhookKind,
): Promise<string | null> {
  const { setting, aad } = WEBHOOKS[kind];
  const encrypted = (await store.settings.all())[setting];
  return typeof encrypted === "string" ? cipher.decrypt("webhook-url", aad, encrypted) : null;
}

/** Shown instead of a stored URL that cannot be decrypted; the name leads nowhere (RFC 6761). */
const UNDECRYPTABLE_URL = `https://undecryptable.invalid/${MASK}`;

/** The webhook URL to show; null when there is none. One that cannot be decrypted can be replaced and removed. */
export async function readWebhookUrl(
  store: Pick<Repositories, "settings">,
  cipher: Cipher,
  kind: WebhookKind,
): Promise<string | null> {
  return decryptWebhookUrl(store, cipher, kind).catch((error: unknown) => {
    if (hasCode(error, "internal")) return UNDECRYPTABLE_URL;
    throw error;
  });
}

async function putWebhookUrl(
  tx: Repositories,
  cipher: Cipher,
  kind: WebhookKind,
  url: string | null,
): Promise<void> {
  const { setting, aad } = WEBHOOKS[kind];
  await tx.settings.put(setting, url === null ? null : cipher.encrypt("webhook-url", aad, url));
}

/** The form in replies: the host and the last characters (`https://hooks.example.com/****cdef`). */
export function maskWebhookUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const secret = `${pathname}${search}`;
  if (secret === "/") return `${origin}/`;
  return `${origin}/${MASK}${secret.length < MIN_MASKED_LENGTH ? "" : secret.slice(-SHOWN_CHARACTERS)}`;
}

/** The form in the audit log and for readers of a demo site: the origin alone. */
export function webhookHost(url: string | null): string | null {
  return url === null ? null : new URL(url).origin;
}

function refusalOf(webhook: ConsoleServices["webhook"], url: string): string | null {
  if (url.includes(MASK)) return "Must be a complete URL, not the masked form of a stored one.";
  return webhook.refusalOf(url);
}

/**
 * Stores one webhook URL of a settings change: null removes it; undefined, the stored URL and its masked form leave it
 * unchanged. Throws `invalid` for any other text that contains the mask, and for a URL that is not allowed.
 */
export async function changeWebhookUrl(
  tx: Repositories,
  { cipher, webhook }: Pick<ConsoleServices, "cipher" | "webhook">,
  kind: WebhookKind,
  sent: string | null | undefined,
): Promise<{ before: string | null; after: string | null }> {
  const before = await readWebhookUrl(tx, cipher, kind);
  const isPresent = before !== null && (sent === before || sent === maskWebhookUrl(before));
  if (sent === undefined || isPresent) return { before, after: before };
  const message = sent === null ? null : refusalOf(webhook, sent);
  if (message !== null) {
    const path = `alerts.${WEBHOOKS[kind].field}`;
    throw new AppError("invalid", `${path}: ${message}`, { issues: [{ path, message }] });
  }
  await putWebhookUrl(tx, cipher, kind, sent);
  return { before, after: sent };
}

/** Encrypts a webhook URL that an older version stored in clear among the alert rules. Runs at every start. */
export async function encryptClearWebhookUrl(store: Store, cipher: Cipher): Promise<void> {
  await store.transaction(async (tx) => {
    const { alerts } = await tx.settings.all();
    if (typeof alerts !== "object" || alerts === null || !("webhook_url" in alerts)) return;
    const { webhook_url: url, ...rules } = alerts;
    if (typeof url === "string") await putWebhookUrl(tx, cipher, "signed", url);
    await tx.settings.put("alerts", rules);
  });
}

export const WEBHOOK_SECRET_SETTING = "alerts_webhook_secret";
export const WEBHOOK_SECRET_AAD = `settings/${WEBHOOK_SECRET_SETTING}/value`;
const SECRET_LENGTH = 40;

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
  const secret = `whsec_${randomBase62(ctx.random, SECRET_LENGTH)}`;
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
