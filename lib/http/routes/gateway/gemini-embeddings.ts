import {
  BatchEmbedContentsReply,
  BatchEmbedContentsRequest,
  EmbedContentReply,
  EmbedContentRequest,
} from "../../../contracts/gateway/gemini/embeddings";
import { gatewayRoute } from "../../core/route";
import { batchEmbedContents, embedContent } from "../../gateway/gemini/embed-contents";

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** The newest official client calls `/v1`, all others `/v1beta`. */
export const GEMINI_EMBEDDINGS_ROUTES = ["/v1beta", "/v1"].flatMap((base) => [
  gatewayRoute({
    surface: "gemini",
    method: "POST",
    path: `${base}/models/{model}:embedContent`,
    operation: "embeddings",
    summary: "Embed one content",
    body: EmbedContentRequest,
    reply: EmbedContentReply,
    maxBodyBytes: MAX_BODY_BYTES,
    takesGoogleKey: true,
    handle: (ctx, { body, params }) => embedContent(ctx, params.model ?? "", body),
  }),
  gatewayRoute({
    surface: "gemini",
    method: "POST",
    path: `${base}/models/{model}:batchEmbedContents`,
    operation: "embeddings",
    summary: "Embed several contents",
    body: BatchEmbedContentsRequest,
    reply: BatchEmbedContentsReply,
    maxBodyBytes: MAX_BODY_BYTES,
    takesGoogleKey: true,
    handle: (ctx, { body, params }) => batchEmbedContents(ctx, params.model ?? "", body),
  }),
]);
