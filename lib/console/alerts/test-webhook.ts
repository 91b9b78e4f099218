import type { WebhookTest } from "../../contracts/console/alerts";
import { toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import { newId } from "../../gateway/new-id";
import { requireSignedInOperator } from "../access/require-operator";
import type { ConsoleContext } from "../context";
import { postMessage } from "./deliver";
import { decryptWebhookSecret } from "./webhook-secret";
import { decryptWebhookUrl } from "./webhook-url";

/**
 * Posts one message of kind `test` to the saved webhook and returns the outcome. Throws `invalid` without a webhook URL
 * or secret, `forbidden`.
 */
export async function testWebhook(ctx: ConsoleContext): Promise<WebhookTest> {
  await requireSignedInOperator(ctx);
  const url = await decryptWebhookUrl(ctx.store, ctx.cipher);
  if (url === null) throw new AppError("invalid", "No webhook URL is saved. Save one first.");
  const secret = await decryptWebhookSecret(ctx);
  if (secret === null) throw new AppError("invalid", "No signing secret exists. Create one first.");
  const at = toTimestamp(ctx.clock.now());
  const startedAt = ctx.clock.monotonic();
  const error = await postMessage(ctx, url, secret, {
    id: newId(ctx.random, "alt"),
    kind: "test",
    subject: "",
    subject_name: null,
    state: "opened",
    at,
    message: "A test of the webhook: nothing is wrong.",
    detail: {},
    opened_at: at,
    resolved_at: null,
  });
  return { ok: error === null, error, latency_ms: Math.round(ctx.clock.monotonic() - startedAt) };
}
