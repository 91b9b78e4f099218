import { AppError } from "../../errors";
import type { Inbound } from "../core/exchange";

function bearerToken(request: Inbound): string | null {
  const value = request.headers.get("authorization")?.trim();
  if (!value) return null;
  const space = value.indexOf(" ");
  if (space === -1 || value.slice(0, space).toLowerCase() !== "bearer") return null;
  return value.slice(space + 1).trim() || null;
}

/** Every `key` of the query, decoded. */
function queryKeys(query: string): string[] {
  if (!query.includes("key=")) return [];
  return new URLSearchParams(query).getAll("key").filter((key) => key !== "");
}

/**
 * The API key a request carries: `Authorization: Bearer` (scheme in any case), and where `takesGoogleKey` also
 * `x-goog-api-key` and `?key=`. Throws `unauthenticated` when there is none, `invalid` when there are two different ones.
 */
export function presentedKey(request: Inbound, takesGoogleKey: boolean): string {
  const bearer = bearerToken(request);
  let key = bearer;
  if (takesGoogleKey) {
    const google = request.headers.get("x-goog-api-key")?.trim();
    for (const other of [...(google ? [google] : []), ...queryKeys(request.query)]) {
      if (key !== null && key !== other)
        throw new AppError("invalid", "The request carries two different API keys; send one.");
      key = other;
    }
  }
  if (key === null)
    throw new AppError("unauthenticated", "No API key: send it as 'Authorization: Bearer <key>'.");
  return key;
}
