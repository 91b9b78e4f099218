import { AppError } from "../../errors";
import type { Cipher } from "../../ports/cipher";
import type { Repositories, Store } from "../../ports/store";

/** The webhook URL is stored encrypted and apart from the other settings: anyone who knows it can post in our name. */
export const WEBHOOK_URL_SETTING = "alerts_webhook_url";
export const WEBHOOK_URL_AAD = `settings/${WEBHOOK_URL_SETTING}/value`;

const MASK = "****";
const SHOWN_CHARACTERS = 4;
/** Of a shorter path nothing is shown: its last characters would be most of it. */
const LEAST_LENGTH = 16;

/** The encrypted webhook URL; null when there is none. */
export async function encryptedWebhookUrl(store: Pick<Repositories, "settings">): Promise<string | null> {
  const stored = (await store.settings.all())[WEBHOOK_URL_SETTING];
  return typeof stored === "string" ? stored : null;
}

/** The decrypted webhook URL; null when there is none. Throws `internal` when the stored text was tampered with. */
export async function decryptWebhookUrl(
  store: Pick<Repositories, "settings">,
  cipher: Cipher,
): Promise<string | null> {
  const encrypted = await encryptedWebhookUrl(store);
  return encrypted === null ? null : cipher.decrypt("webhook-url", WEBHOOK_URL_AAD, encrypted);
}

async function putWebhookUrl(tx: Repositories, cipher: Cipher, url: string | null): Promise<void> {
  const encrypted = url === null ? null : cipher.encrypt("webhook-url", WEBHOOK_URL_AAD, url);
  await tx.settings.put(WEBHOOK_URL_SETTING, encrypted);
}

/** The form in replies: the host and the last characters (`https://hooks.example.com/****cdef`). */
export function maskWebhookUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const secret = `${pathname}${search}`;
  if (secret === "/") return `${origin}/`;
  return `${origin}/${MASK}${secret.length < LEAST_LENGTH ? "" : secret.slice(-SHOWN_CHARACTERS)}`;
}

/** The form in the audit log and for readers of a demo site: the origin alone. */
export function webhookHost(url: string | null): string | null {
  return url === null ? null : new URL(url).origin;
}

/**
 * Stores the webhook URL of a settings change: null removes it; undefined, or the masked form of the present one,
 * leaves it as it is. Throws `invalid` for any other text that contains the mask.
 */
export async function changeWebhookUrl(
  tx: Repositories,
  cipher: Cipher,
  sent: string | null | undefined,
): Promise<{ before: string | null; after: string | null }> {
  const before = await decryptWebhookUrl(tx, cipher);
  if (sent === undefined || (before !== null && sent === maskWebhookUrl(before))) {
    return { before, after: before };
  }
  if (sent?.includes(MASK)) {
    const message = "Must be a complete URL, not the masked form of a stored one.";
    const path = "alerts.webhook_url";
    throw new AppError("invalid", `${path}: ${message}`, { param: path, issues: [{ path, message }] });
  }
  await putWebhookUrl(tx, cipher, sent);
  return { before, after: sent };
}

/** Encrypts a webhook URL that an older version stored in clear among the alert rules. Runs at every start. */
export async function encryptClearWebhookUrl(store: Store, cipher: Cipher): Promise<void> {
  await store.transaction(async (tx) => {
    const { alerts } = await tx.settings.all();
    if (typeof alerts !== "object" || alerts === null || !("webhook_url" in alerts)) return;
    const { webhook_url: url, ...rules } = alerts;
    if (typeof url === "string") await putWebhookUrl(tx, cipher, url);
    await tx.settings.put("alerts", rules);
  });
}
