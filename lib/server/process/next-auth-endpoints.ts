import { AppError } from "../../errors";

/**
 * The next-auth endpoints that are exposed, by path and methods. Its HTML pages are excluded, and so is `_log`, which
 * would let anonymous callers write to our log.
 */
const EXPOSED: Readonly<Record<string, readonly string[]>> = {
  session: ["GET", "HEAD", "POST"],
  csrf: ["GET", "HEAD"],
  providers: ["GET", "HEAD"],
  signin: ["GET", "HEAD"],
  signout: ["POST"],
};

/**
 * Why an endpoint (the path below `/api/auth/`) does not serve this method; null when it does. `invalid_credentials`
 * for next-auth's own sign-in, which is disabled.
 */
export function authRefusal(endpoint: string, method: string): AppError | null {
  if (endpoint === "callback/credentials" && method === "POST")
    return new AppError("invalid_credentials", "Sign-in is not possible here; use POST /api/user/login.");
  const methods = Object.hasOwn(EXPOSED, endpoint) ? EXPOSED[endpoint] : undefined;
  if (methods === undefined) return new AppError("not_found", "Unknown path.");
  if (methods.includes(method)) return null;
  return new AppError(
    "method_not_allowed",
    `Method ${method} is not allowed; this path accepts ${methods.join(", ")}.`,
    { allow: [...methods] },
  );
}
