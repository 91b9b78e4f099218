import { CountTokensReply, CountTokensRequest } from "../../../contracts/gateway/gemini/embeddings";
import { gatewayRoute } from "../../core/route";
import { countContentTokens } from "../../gateway/gemini/count-tokens";

export const COUNT_TOKENS_ROUTES = ["/v1beta", "/v1"].map((base) =>
  gatewayRoute({
    surface: "gemini",
    method: "POST",
    path: `${base}/models/{model}:countTokens`,
    operation: null,
    summary: "Count the tokens of contents",
    body: CountTokensRequest,
    reply: CountTokensReply,
    takesGoogleKey: true,
    handle: (ctx, { body, params }) => countContentTokens(ctx, params.model ?? "", body),
  }),
);
