import type { Self } from "../../contracts/console/user";
import { requireSession } from "../access/guards";
import type { ConsoleContext } from "../context";
import { hasTwoFactor, toSelf } from "./to-user";

/** The signed-in user. */
export async function readSelf(ctx: ConsoleContext): Promise<Self> {
  const { user, session } = requireSession(ctx);
  return toSelf(user, session, await hasTwoFactor(ctx.store, user.id));
}
