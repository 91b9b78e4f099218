import { CountTokensReply, CountTokensRequest } from "../../contracts/gemini-embeddings";
import { countContentTokens } from "../gemini/count-tokens";
import { gatewayRoute } from "../route";

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
