import { CountTokensRequest } from "../../contracts/gemini-embeddings";
import type { GatewayContext } from "../../domain/context";
import { countText } from "../../domain/gateway/count-inputs";
import { getUsableModel } from "../../domain/models/list-usable";
import { AppError } from "../../errors";
import { checkFields } from "../check-fields";
import type { Outbound } from "../exchange";
import { jsonReply } from "../respond";
import { camelFields } from "./field-names";
import { textOf } from "./text-of";

/** Far above what any model takes; counting more would hold up other calls. */
const MAX_CHARACTERS = 1_000_000;

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
  const texts = (system === undefined ? contents : [system, ...contents]).map(textOf);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters > MAX_CHARACTERS) {
    throw new AppError(
      "invalid",
      `'contents' has ${characters} characters; at most ${MAX_CHARACTERS} are counted.`,
      {
        param: "contents",
      },
    );
  }
  let totalTokens = 0;
  for (const text of texts) {
    totalTokens += await countText(ctx, text);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return jsonReply(200, {
    totalTokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }],
  });
}
