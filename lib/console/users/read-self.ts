import type { Self } from "../../contracts/console/user";
import type { ConsoleContext } from "../../gateway/context";
import { requireSession } from "../access/guards";
import { hasTwoFactor, toSelf } from "./to-user";

/** The signed-in user. */
export async function readSelf(ctx: ConsoleContext): Promise<Self> {
  const { user, session } = requireSession(ctx);
  return toSelf(user, session, await hasTwoFactor(ctx.store, user.id));
}
