import type { TestWebhook, WebhookMessage, WebhookTest } from "../../contracts/console/alerts";
import { HOUR_MS, MINUTE_MS } from "../../contracts/durations";
import { toTimestamp } from "../../contracts/timestamp";
import { AppError, hasCode } from "../../errors";
import { newId } from "../../gateway/new-id";
import type { AlertRecord, WebhookKind } from "../../ports/store";
import type { WebhookFailure } from "../../ports/webhook";
import { requireSignedInOperator } from "../access/guards";
import type { ConsoleContext, ConsoleServices } from "../context";
import { toAlert } from "./to-alert";
import { decryptWebhookSecret, decryptWebhookUrl, signMessage, WEBHOOK_KINDS } from "./webhook-credentials";

/** Slack's limits in characters: a header block, and the text of a section. */
const MAX_HEADER_CHARACTERS = 150;
const MAX_TEXT_CHARACTERS = 3_000;

const SLACK_HEADINGS: Readonly<Record<WebhookMessage["kind"], string>> = {
  channel_open: "Channel down",
  error_rate: "High error rate",
  budget_nearly_spent: "Budget nearly spent",
  budget_spent: "Budget spent",
  disk: "Disk almost full",
  second_server: "Several servers on one database file",
  redis: "Redis does not answer",
  test: "Test message",
};

/** `{type: "plain_text"}`: Slack reads no mentions, links or markup in it. */
const plain = (text: string, maxCharacters: number) => ({
  type: "plain_text" as const,
  text: text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text,
  emoji: false,
});

/**
 * Text without a mention or link: `text` of a message is markup in Slack (`<!channel>`, `<url|label>`), and receivers
 * with the same interface read `@all` and Markdown in it. Names of keys and channels are user input.
 */
function withoutMarkup(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "@\u200b")
    .replaceAll("](", "]\u200b(");
}

/**
 * A message as Slack's incoming webhooks take it
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). `text` is what notifications, and
 * receivers without blocks, show.
 */
function slackMessage({ kind, state, message, at, detail }: WebhookMessage) {
  const isBudgetLeft = kind === "budget_spent" && Number(detail.percent) < 100;
  const subject = isBudgetLeft ? "Requests refused by a budget" : SLACK_HEADINGS[kind];
  const heading = `${state === "resolved" ? "Resolved: " : ""}${subject}`;
  return {
    text: withoutMarkup(`Patchbay: ${heading}. ${message}`),
    blocks: [
      { type: "header", text: plain(heading, MAX_HEADER_CHARACTERS) },
      { type: "section", text: plain(message, MAX_TEXT_CHARACTERS) },
      { type: "context", elements: [plain(`Patchbay · ${at}`, MAX_HEADER_CHARACTERS)] },
    ],
  };
}

type DeliveryServices = Pick<ConsoleServices, "store" | "clock" | "cipher" | "webhook" | "log">;

const TIMEOUT_MS = 10_000;
/** An attempt that has not ended after this time was interrupted by the death of its process. */
const LEASE_MS = 60_000;
/**
 * `atOnce`: most messages of one run. `perMinute`: most alerts that had a message within the last minute, over all
 * instances. Receivers reject floods; later runs send the rest. An alert counts once, even if its message goes to both
 * webhooks, or if it has a second message within the minute (a retry, or its resolution).
 */
const MAX_MESSAGES = { atOnce: 10, perMinute: 30 } as const;
/** Delays after the first, second, … failure; after the last one the message is given up. */
export const BACKOFF_MS: readonly number[] = [
  15_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
];

/**
 * A webhook that messages are sent to; `secret` null: no secret exists, and nothing is sent, because messages are never
 * unsigned.
 */
type WebhookTarget = { kind: "signed"; url: string; secret: string | null } | { kind: "slack"; url: string };

/** Its stored URL or secret cannot be decrypted. */
interface UndecryptableTarget {
  kind: WebhookKind;
  url: null;
}

/** The webhook of a kind; null when none is set. */
async function webhookTarget(
  services: Pick<ConsoleServices, "store" | "cipher">,
  kind: WebhookKind,
): Promise<WebhookTarget | UndecryptableTarget | null> {
  try {
    const url = await decryptWebhookUrl(services.store, services.cipher, kind);
    if (url === null) return null;
    return kind === "slack" ? { kind, url } : { kind, url, secret: await decryptWebhookSecret(services) };
  } catch (error) {
    // The other webhook still gets its messages.
    if (hasCode(error, "internal")) return { kind, url: null };
    throw error;
  }
}

/** Posts one message, signed or in Slack's form; null when it was accepted. */
async function postMessage(
  { clock, webhook }: Pick<ConsoleServices, "clock" | "webhook">,
  target: WebhookTarget | UndecryptableTarget,
  message: WebhookMessage,
): Promise<WebhookFailure | "no_secret" | "undecryptable" | null> {
  if (target.url === null) return "undecryptable";
  const { url } = target;
  if (target.kind === "slack")
    return webhook.post({ url, headers: {}, body: slackMessage(message), timeoutMs: TIMEOUT_MS });
  if (target.secret === null) return "no_secret";
  // The signed bytes equal the sent bytes: both are the JSON.stringify of this value.
  const signature = signMessage(target.secret, clock.now(), JSON.stringify(message));
  const headers = { "x-patchbay-signature": signature };
  return webhook.post({ url, headers, body: message, timeoutMs: TIMEOUT_MS });
}

function messageOf(record: AlertRecord): WebhookMessage {
  const { id, kind, subject, subject_name, state, message, detail, opened_at, resolved_at } = toAlert(record);
  const at = toTimestamp(record.resolvedAt ?? record.openedAt);
  return { id, kind, subject, subject_name, state, at, message, detail, opened_at, resolved_at };
}

async function deliver(
  services: DeliveryServices,
  targets: readonly (WebhookTarget | UndecryptableTarget)[],
  claimed: AlertRecord,
): Promise<void> {
  const { store, clock, log } = services;
  const attempts = claimed.deliveryAttempts;
  const message = messageOf(claimed);
  const due = targets.filter(({ kind }) => !claimed.deliveredTo.includes(kind));
  const results = await Promise.all(
    due.map(async (target) => ({ kind: target.kind, error: await postMessage(services, target, message) })),
  );
  const at = clock.now();
  const failures = results.filter((one) => one.error !== null);
  const [failure] = failures;
  const waitMs = BACKOFF_MS[attempts - 1];
  const isLast = waitMs === undefined;
  const state = isLast ? "given_up" : "retry";
  for (const { kind, error } of failures)
    log.warn("webhook_failed", { alert: claimed.id, kind, code: error, attempts, state });
  await store.alerts.finishDelivery(claimed, {
    delivery:
      targets.length === 0 ? "none" : failure === undefined ? "delivered" : isLast ? "failed" : "pending",
    deliveryDueAt: failure === undefined || isLast ? null : at + waitMs,
    deliveryError: failure?.error ?? null,
    deliveryWebhook: failure?.kind ?? null,
    deliveryAt: targets.length === 0 ? null : at,
    deliveredTo: [
      ...claimed.deliveredTo,
      ...results.filter((one) => one.error === null).map((one) => one.kind),
    ],
  });
}

/**
 * Sends the messages that are due. Each message is claimed by one instance; the claim of a process that died expires
 * after a minute.
 */
export async function deliverAlerts(services: DeliveryServices): Promise<void> {
  const { store, clock } = services;
  const claimed = await store.alerts.claimDeliveries(clock.now(), LEASE_MS, MAX_MESSAGES);
  if (claimed.length === 0) return;
  const all = await Promise.all(WEBHOOK_KINDS.map((kind) => webhookTarget(services, kind)));
  const targets = all.filter((target) => target !== null);
  await Promise.all(claimed.map((record) => deliver(services, targets, record)));
}

/**
 * Posts one message of kind `test` to a saved webhook and returns the outcome. Throws `forbidden`; `invalid` when no
 * URL is saved for the webhook, or no signing secret exists for the signed one.
 */
export async function testWebhook(
  ctx: ConsoleContext,
  { kind = "signed" }: TestWebhook,
): Promise<WebhookTest> {
  await requireSignedInOperator(ctx);
  const target = await webhookTarget(ctx, kind);
  if (target === null) throw new AppError("invalid", "No webhook URL is saved. Save one first.");
  if ("secret" in target && target.secret === null)
    throw new AppError("invalid", "No signing secret exists. Create one first.");
  const at = toTimestamp(ctx.clock.now());
  const startedAt = ctx.clock.monotonic();
  const error = await postMessage(ctx, target, {
    id: newId(ctx.random, "alt"),
    kind: "test",
    subject: "",
    subject_name: null,
    state: "opened",
    at,
    message: "This is a test alert. No action is needed.",
    detail: {},
    opened_at: at,
    resolved_at: null,
  });
  return { ok: error === null, error, latency_ms: Math.round(ctx.clock.monotonic() - startedAt) };
}
