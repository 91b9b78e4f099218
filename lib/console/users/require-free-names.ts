import { AppError } from "../../errors";
import type { Repositories } from "../../ports/store";

/** Names and e-mail addresses both sign in, so each must be unique among both. Throws `conflict` naming the field. */
export async function requireFreeNames(
  tx: Repositories,
  keys: { username?: string | null; email?: string | null },
  ownId: string | null,
): Promise<void> {
  for (const [field, key] of Object.entries(keys)) {
    if (key === null || key === undefined) continue;
    const holder = await tx.users.findByNameOrEmail(key);
    if (holder !== null && holder.id !== ownId) {
      const message = field === "email" ? "This e-mail address is taken." : "This name is taken.";
      throw new AppError("conflict", message, { param: field, issues: [{ path: field, message }] });
    }
  }
}
