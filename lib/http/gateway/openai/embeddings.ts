import { type EmbeddingsInput, EngineEmbeddingsRequest } from "../../../contracts/gateway/openai/embeddings";
import { AppError } from "../../../errors";
import { isModelName, resolveModel } from "../../../gateway/admission/resolve-model";
import type { GatewayContext } from "../../../gateway/context";
import {
  type EmbeddingInput,
  MAX_TOKENS_IN_ALL,
  tooManyTokens,
} from "../../../gateway/embeddings/count-inputs";
import { embedTexts } from "../../../gateway/embeddings/embed-texts";
import type { CatalogEntry } from "../../../ports/catalog";
import { decodeTokens } from "../../../text/tokenize";
import { checkFields } from "../../core/check-fields";
import type { Outbound } from "../../core/exchange";
import { renderEmbeddings } from "./embeddings-reply";
import { readEmbeddingsRequest } from "./embeddings-request";

function modelError(message: string): AppError {
  return new AppError("invalid", message, { param: "model" });
}

function decode(tokens: readonly number[], index: number | null): EmbeddingInput {
  const text = decodeTokens(tokens);
  if (text === null) {
    const which = index === null ? "'input'" : `'input.${index}'`;
    throw new AppError("invalid", `${which} holds a token id that is not in the vocabulary of cl100k_base.`, {
      param: "input",
    });
  }
  return { text, tokens: tokens.length };
}

/** Checked before decoding, since millions of IDs would take long. */
function checkTokenTotal(input: Exclude<EmbeddingsInput, string>): void {
  let total = 0;
  for (const one of input) total += typeof one === "number" ? 1 : typeof one === "string" ? 0 : one.length;
  if (total > MAX_TOKENS_IN_ALL) throw tooManyTokens();
}

/** The four forms of `input` as texts. An array of numbers is one input. */
function textsOf(input: EmbeddingsInput): EmbeddingInput[] {
  if (typeof input === "string") return [{ text: input }];
  checkTokenTotal(input);
  const inputs: EmbeddingInput[] = [];
  const single: number[] = [];
  for (const [index, one] of input.entries()) {
    if (typeof one === "string") inputs.push({ text: one });
    else if (typeof one === "number") single.push(one);
    else inputs.push(decode(one, index));
  }
  return single.length > 0 ? [decode(single, null)] : inputs;
}

interface Named {
  entry: CatalogEntry;
  requestedModel: string;
}

/** The model of the engines path. The body must name the same model, by any of its names. */
async function modelOfPath(ctx: GatewayContext, inPath: string, inBody: string | undefined): Promise<Named> {
  if (inBody === undefined && !ctx.services.instance.legacyEngines) {
    throw modelError("'model' is required, and must name the model of the path.");
  }
  const named = inBody ?? inPath;
  if (!isModelName(named)) throw modelError("'model' is not a model name.");
  const entry = await resolveModel(ctx, inPath, "embeddings");
  if (named !== inPath) {
    const other = await ctx.services.catalog.find(named);
    if (other?.model.name !== entry.model.name) {
      throw modelError(
        `'model' is '${named}' but the path names '${inPath}'; both must name the same model.`,
      );
    }
  }
  return { entry, requestedModel: named };
}

/**
 * `POST /v1/embeddings` and `POST /v1/engines/{model}/embeddings` (`modelInPath`). The reply is written
 * after the call is settled. Limits: 2,048 inputs, 8,192 tokens each (by model), 300,000 tokens in all.
 */
export async function createEmbeddings(
  ctx: GatewayContext,
  body: unknown,
  modelInPath: string | null,
): Promise<Outbound> {
  const request =
    modelInPath === null ? readEmbeddingsRequest(body) : checkFields(EngineEmbeddingsRequest, body);
  const inputs = textsOf(request.input);
  const { entry, requestedModel } =
    modelInPath === null
      ? {
          entry: await resolveModel(ctx, request.model ?? "", "embeddings"),
          requestedModel: request.model ?? "",
        }
      : await modelOfPath(ctx, modelInPath, request.model);
  const embedded = await embedTexts(ctx, {
    entry,
    requestedModel,
    inputs,
    dimensions: request.dimensions ?? undefined,
    user: request.user ?? null,
  });
  return renderEmbeddings(embedded, requestedModel, request.encoding_format ?? "float");
}
