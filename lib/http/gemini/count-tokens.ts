import { CountTokensRequest } from "../../contracts/gemini-embeddings";
import type { GatewayContext } from "../../domain/context";
import { getUsableModel } from "../../domain/models/list-usable";
import { checkFields } from "../check-fields";
import type { Outbound } from "../exchange";
import { jsonReply } from "../respond";
import { camelFields } from "./field-names";
import { textOf } from "./text-of";

/**
 * `POST …/models/{model}:countTokens`: cl100k_base tokens of the texts, for any model. Costs nothing. The loop gets
 * its turn between contents.
 */
export async function countContentTokens(
  ctx: GatewayContext,
  model: string,
  sent: unknown,
): Promise<Outbound> {
  const request = checkFields(CountTokensRequest, camelFields(CountTokensRequest, sent));
  await getUsableModel(ctx, model);
  const { generateContentRequest: whole, contents = whole?.contents ?? [] } = request;
  const system = whole?.systemInstruction;
  let totalTokens = 0;
  for (const content of system === undefined ? contents : [system, ...contents]) {
    totalTokens += ctx.countTokens(textOf(content));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return jsonReply(200, {
    totalTokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }],
  });
}
