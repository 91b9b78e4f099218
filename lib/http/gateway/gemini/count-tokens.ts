import { CountTokensRequest, MAX_COUNTED_CHARACTERS } from "../../../contracts/gateway/gemini/embeddings";
import { AppError } from "../../../errors";
import { resolveModel } from "../../../gateway/admission/resolve-model";
import type { GatewayContext } from "../../../gateway/context";
import { countText, modelTokenCounter } from "../../../gateway/embeddings/count-inputs";
import { nextTurn } from "../../../ports/run-in-slices";
import { checkFields } from "../../core/check-fields";
import { jsonReply, type Outbound } from "../../core/exchange";
import { textOf } from "./embed-contents";
import { camelFields } from "./field-names";

/**
 * `POST …/models/{model}:countTokens`: tokens of the texts, by the model's own vocabulary or cl100k_base. Free of
 * charge. Yields to the event loop between contents.
 */
export async function countContentTokens(
  ctx: GatewayContext,
  model: string,
  sent: unknown,
): Promise<Outbound> {
  const request = checkFields(CountTokensRequest, camelFields(CountTokensRequest, sent));
  const entry = await resolveModel(ctx, model, null);
  const { generateContentRequest: whole, contents = whole?.contents ?? [] } = request;
  const system = whole?.systemInstruction;
  const spoken = contents.map(textOf);
  const texts = [
    ...(system === undefined ? [] : [textOf(system)]),
    // A speech call speaks, and counts, its contents as one text.
    ...(entry.model.operation === "speech" ? [spoken.join("\n")] : spoken),
  ];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters > MAX_COUNTED_CHARACTERS) {
    throw new AppError(
      "invalid",
      `'contents' has ${characters} characters; at most ${MAX_COUNTED_CHARACTERS} are accepted.`,
      {
        param: "contents",
      },
    );
  }
  const own = modelTokenCounter(ctx.services, entry);
  let totalTokens = 0;
  for (const text of texts) {
    totalTokens += await countText({ services: ctx.services, signal: ctx.signal, own }, text);
    await nextTurn();
  }
  return jsonReply(200, {
    totalTokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }],
  });
}
