import type { ChannelTest, TestChannel } from "../../contracts/console/channels";
import { AppError } from "../../errors";
import type { ChannelRecord } from "../../ports/store";
import { getChannelRecord, requireOperator } from "../access/require-operator";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { operationByName } from "../models/price-list";
import { type Offer, runTestCall, type ToWav } from "./run-test-call";

async function chooseOffer(
  ctx: ConsoleContext,
  channel: ChannelRecord,
  asked: string | undefined,
): Promise<Offer> {
  const offer = asked === undefined ? channel.models[0] : channel.models.find((one) => one.name === asked);
  if (offer === undefined) {
    const message =
      asked === undefined
        ? "This channel serves no model yet; add one first."
        : `This channel does not serve '${asked}'.`;
    throw new AppError("invalid", message, { issues: [{ path: "model", message }] });
  }
  const models = await ctx.store.models.all();
  const operation =
    models.find((model) => model.name === offer.name)?.operation ??
    operationByName(offer.upstreamName) ??
    "speech";
  return { ...offer, operation };
}

/**
 * Sends one real call through the channel and returns the outcome. On success it closes the circuits of the channel's
 * keys and of the tested model. Throws `forbidden`, `not_found`, `invalid` (no such model).
 */
export async function testChannel(
  ctx: ConsoleContext,
  id: string,
  input: TestChannel,
  wav: ToWav,
): Promise<ChannelTest> {
  await requireOperator(ctx);
  const channel = await getChannelRecord(ctx.store, id);
  const offer = await chooseOffer(ctx, channel, input.model);
  const result = await runTestCall(ctx, channel, offer, wav);
  if (result.ok) ctx.state.circuits.close(id, { model: offer.name });
  await ctx.store.transaction((tx) =>
    recordAudit(tx, ctx, {
      action: "channel.test",
      target: id,
      detail: { model: offer.name, ok: result.ok },
    }),
  );
  return result;
}
