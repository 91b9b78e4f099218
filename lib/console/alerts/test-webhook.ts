import type { TestWebhook, WebhookTest } from "../../contracts/console/alerts";
import { toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import { newId } from "../../gateway/new-id";
import { requireSignedInOperator } from "../access/require-operator";
import type { ConsoleContext } from "../context";
import { postMessage, webhookTarget } from "./deliver";

/**
 * Posts one message of kind `test` to a saved webhook and returns the outcome. Throws `invalid` without its URL or, for
 * the signed one, without a secret; `forbidden`.
 */
export async function testWebhook(
  ctx: ConsoleContext,
  { kind = "signed" }: TestWebhook,
): Promise<WebhookTest> {
  await requireSignedInOperator(ctx);
  const target = await webhookTarget(ctx, kind);
  if (target === null) throw new AppError("invalid", "No webhook URL is saved. Save one first.");
  if (target.kind === "signed" && target.secret === null)
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
