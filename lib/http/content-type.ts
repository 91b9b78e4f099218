import { AppError } from "../errors";
import type { Inbound } from "./exchange";

const JSON_CONTENT = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

/**
 * Checks that a body is unencoded JSON in UTF-8. `isRequired`: an absent content-type is refused too.
 * Throws AppError `unsupported_media_type`.
 */
export function checkContentType(request: Inbound, isRequired: boolean): void {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw new AppError(
      "unsupported_media_type",
      "The body must not be compressed: send it without Content-Encoding.",
    );
  }
  const type = request.headers.get("content-type");
  if (type === "application/json" || (type === undefined && !isRequired)) return;
  if (type === undefined || !JSON_CONTENT.test(type)) {
    throw new AppError(
      "unsupported_media_type",
      "The body must be JSON in UTF-8: send 'Content-Type: application/json'.",
    );
  }
}
