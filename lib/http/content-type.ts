import { AppError } from "../errors";
import type { Inbound } from "./exchange";

const JSON_CONTENT = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

function checkEncoding(request: Inbound): void {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw new AppError(
      "unsupported_media_type",
      "The body must not be compressed: send it without Content-Encoding.",
    );
  }
}

/** Checks that a body is an unencoded one of `type`. Throws AppError `unsupported_media_type`. */
export function checkRawType(request: Inbound, type: string): void {
  checkEncoding(request);
  const [sent = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (sent.trim().toLowerCase() !== type)
    throw new AppError("unsupported_media_type", `The body must be sound: send 'Content-Type: ${type}'.`);
}

/**
 * Checks that a body is unencoded JSON in UTF-8. `isRequired`: an absent content-type is refused too.
 * Throws AppError `unsupported_media_type`.
 */
export function checkContentType(request: Inbound, isRequired: boolean): void {
  checkEncoding(request);
  const type = request.headers.get("content-type");
  if (type === "application/json" || (type === undefined && !isRequired)) return;
  if (type === undefined || !JSON_CONTENT.test(type)) {
    throw new AppError(
      "unsupported_media_type",
      "The body must be JSON in UTF-8: send 'Content-Type: application/json'.",
    );
  }
}
