import type { PlaygroundKey } from "../../contracts/console/api-keys";
import { toTimestamp } from "../../contracts/timestamp";
import { digestKey, displayKey, makeKey } from "../../gateway/admission/key-format";
import { newId } from "../../gateway/new-id";
import type { KeyRecord } from "../../ports/store";
import { PLAYGROUND_ID, PLAYGROUND_NAME } from "../../ports/store/api-keys";
import { requireSession } from "../access/guards";
import type { ConsoleContext } from "../context";
import { unlimitedReach } from "./limits";

const LIFE_MS = 15 * 60_000;
/** Most playground keys of one session at the same time. */
const MAX_LIVE = 20;

/**
 * Creates a key for the playgrounds: valid for 15 minutes, deleted with its session, never listed. The session's oldest
 * key is removed when there are too many.
 */
export async function createPlaygroundKey(ctx: ConsoleContext): Promise<PlaygroundKey> {
  const { user, session } = requireSession(ctx);
  const now = ctx.clock.now();
  const key = makeKey(ctx.random);
  const expiresAt = Math.min(now + LIFE_MS, session.expiresAt);
  const record: KeyRecord = {
    id: newId(ctx.random, PLAYGROUND_ID),
    digest: digestKey(key),
    display: displayKey(key),
    name: PLAYGROUND_NAME,
    ownerId: user.id,
    kind: "playground",
    sessionId: session.id,
    ...unlimitedReach("member"),
    createdAt: now,
    expiresAt,
    lastUsedAt: null,
    limitsSetBy: {},
    version: 1,
  };
  await ctx.store.transaction(async (tx) => {
    await tx.keys.trimPlayground(session.id, MAX_LIVE - 1);
    await tx.keys.insert(record);
  });
  return { key, expires_at: toTimestamp(expiresAt) };
}
