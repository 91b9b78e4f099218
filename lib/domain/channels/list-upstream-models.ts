import type { UpstreamModels } from "../../contracts/channels";
import type { ConsoleContext } from "../context";
import { operationByName } from "../models/price-list";
import { getChannelRecord, requireOperator } from "./authority";

const TIMEOUT_MS = 15_000;

/** Asks the upstream what it serves. Throws `forbidden`, `not_found`, `upstream_*`. */
export async function listUpstreamModels(ctx: ConsoleContext, id: string): Promise<UpstreamModels> {
  await requireOperator(ctx);
  const channel = await getChannelRecord(ctx.store, id);
  const probe = ctx.providers.probe(channel);
  if (probe === null) return { models: null };
  const models = await probe.listModels({
    signal: AbortSignal.timeout(TIMEOUT_MS),
    requestId: ctx.requestId,
    firstByteBy: ctx.clock.monotonic() + TIMEOUT_MS,
  });
  if (models === null) return { models: null };
  return {
    models: models.map(({ name, operation }) => ({ name, operation: operation ?? operationByName(name) })),
  };
}
