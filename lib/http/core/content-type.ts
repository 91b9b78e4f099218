import { AppError } from "../../errors";
import type { Inbound } from "./exchange";

/** Longest Content-Type that is parsed, in characters; no real client sends a longer one. */
const MAX_TYPE_LENGTH = 128;
const UTF_8 = new Set(["utf-8", '"utf-8"']);

/** Type and parameters (RFC 9110 §8.3.1), trimmed and in lower case; empty for a value that is too long. */
function partsOf(contentType: string): string[] {
  if (contentType.length > MAX_TYPE_LENGTH) return [];
  return contentType.split(";").map((part) => part.trim().toLowerCase());
}

function isUtf8(parameter: string): boolean {
  const [name, value = "", ...rest] = parameter.split("=").map((part) => part.trim());
  return name === "charset" && UTF_8.has(value) && rest.length === 0;
}

/** True for `application/json` without parameters or with only `charset=utf-8`. */
function isJson(contentType: string): boolean {
  const [type, ...parameters] = partsOf(contentType);
  const given = parameters.filter((one) => one !== "");
  return type === "application/json" && given.length < 2 && given.every(isUtf8);
}

function checkEncoding(request: Inbound): void {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw new AppError(
      "unsupported_media_type",
      "The body must not be compressed: send it without Content-Encoding.",
    );
  }
  // Node decodes `chunked` and ignores every other coding in the list.
  const coding = request.headers.get("transfer-encoding");
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") {
    throw new AppError(
      "unsupported_media_type",
      "The only Transfer-Encoding that is accepted is 'chunked': send the body uncompressed.",
    );
  }
}

/** Checks that a body has the content type `type` and is not compressed. Throws AppError `unsupported_media_type`. */
export function checkRawType(request: Inbound, type: string): void {
  checkEncoding(request);
  const [sent] = partsOf(request.headers.get("content-type") ?? "");
  if (sent !== type)
    throw new AppError("unsupported_media_type", `Send the body with 'Content-Type: ${type}'.`);
}

/**
 * Checks that a body is uncompressed JSON in UTF-8. `isRequired`: a missing Content-Type is rejected too.
 * Throws AppError `unsupported_media_type`.
 */
export function checkContentType(request: Inbound, isRequired: boolean): void {
  checkEncoding(request);
  const type = request.headers.get("content-type");
  if (type === "application/json" || (type === undefined && !isRequired)) return;
  if (type === undefined || !isJson(type)) {
    throw new AppError(
      "unsupported_media_type",
      "The body must be JSON in UTF-8: send 'Content-Type: application/json'.",
    );
  }
}
