import { EmbeddingsRequest } from "../../../contracts/gateway/openai/embeddings";
import { checkFields } from "../../core/check-fields";

/**
 * Checks the body of `POST /v1/embeddings`. Nearly all calls send one text and no options: they are recognised here,
 * because zod takes a tenth of such a call's CPU time. Every other body, valid or not, is left to zod, whose results
 * are the same (tests/unit/http/embeddings-request.test.ts compares them).
 */
export function readEmbeddingsRequest(body: unknown): EmbeddingsRequest {
  return readPlainRequest(body) ?? checkFields(EmbeddingsRequest, body);
}

interface PlainFields {
  model?: unknown;
  input?: unknown;
  encoding_format?: unknown;
  dimensions?: unknown;
  user?: unknown;
  stream?: unknown;
}

/** A model, one text and at most an encoding; null for any other body. */
export function readPlainRequest(body: unknown): EmbeddingsRequest | null {
  if (typeof body !== "object" || body === null) return null;
  const { model, input, encoding_format, dimensions, user, stream }: PlainFields = body;
  if (typeof model !== "string" || model === "" || model.length > 128) return null;
  if (typeof input !== "string" || input === "") return null;
  if (dimensions !== undefined || user !== undefined || stream !== undefined) return null;
  if (encoding_format === undefined) return { model, input };
  return encoding_format === "float" || encoding_format === "base64"
    ? { model, input, encoding_format }
    : null;
}
