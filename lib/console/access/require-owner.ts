import { AppError } from "../../errors";
import type { UserRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { requireSession } from "./guards";

/** The signed-in owner. Throws `unauthenticated`; `forbidden` with `message` for every other user. */
export function requireOwner(ctx: ConsoleContext, message: string): UserRecord {
  const { user } = requireSession(ctx);
  if (user.role === "owner") return user;
  throw new AppError("forbidden", message);
}
