import type { ManagedUser } from "../../contracts/console/user";
import type { ListPage, ListQuery } from "../../contracts/paging";
import { timestampOrNull, toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import type { Repositories, UserRecord } from "../../ports/store";
import { requireSignedInAdmin } from "../access/guards";
import { delayLeftMs, subjectDigest, throttleSubjects } from "../auth/sign-in-throttle";
import { lockedUntil } from "../auth/two-factor/codes";
import type { ConsoleContext, ReadContext } from "../context";
import { pageQuery } from "../page-of";
import { shownSpent } from "./limits";
import { shownLimits, toUser } from "./to-user";

type Needs = Pick<ConsoleContext, "cipher" | "clock">;

/** Users as administrators see them, in the order given. */
async function toManagedUsers(
  store: Pick<Repositories, "users" | "signInThrottles">,
  ctx: Needs,
  users: readonly UserRecord[],
): Promise<ManagedUser[]> {
  const now = ctx.clock.now();
  const digestsOf = (user: UserRecord) =>
    throttleSubjects(user).map((subject) => subjectDigest(ctx, subject));
  const counters = new Map(users.map((user) => [user.id, digestsOf(user)]));
  const [statuses, delays] = await Promise.all([
    store.users.statuses([...counters.keys()], now),
    store.signInThrottles.delayed([...counters.values()].flat(), now),
  ]);
  return users.map((user) => {
    const status = statuses.get(user.id);
    const delayed = (counters.get(user.id) ?? [])
      .map((digest) => delays.get(digest) ?? 0)
      .filter((until) => delayLeftMs(ctx, until) > 0);
    const until = Math.max(lockedUntil(ctx, status?.lockedUntil ?? null) ?? 0, ...delayed);
    return {
      ...toUser(user, status?.hasTwoFactor ?? false),
      ...shownLimits(user),
      spent: shownSpent(status?.spent),
      last_seen_at: timestampOrNull(status?.lastSeenAt ?? null),
      locked_until: until > now ? toTimestamp(until) : null,
    };
  });
}

/** One user as administrators see them. */
export async function toManagedUser(
  store: Pick<Repositories, "users" | "signInThrottles">,
  ctx: Needs,
  user: UserRecord,
): Promise<ManagedUser> {
  const [managed] = await toManagedUsers(store, ctx, [user]);
  // `toManagedUsers` returns one item for each user.
  return managed as ManagedUser;
}

/** Users, for administrators. */
export async function listUsers(ctx: ReadContext, query: ListQuery): Promise<ListPage<ManagedUser>> {
  requireSignedInAdmin(ctx);
  const page = await ctx.store.users.list(pageQuery(query));
  return { items: await toManagedUsers(ctx.store, ctx, page.items), next_cursor: page.nextCursor };
}

/** One user, for administrators. Throws `not_found`. */
export async function getUser(ctx: ReadContext, id: string): Promise<ManagedUser> {
  requireSignedInAdmin(ctx);
  const user = await ctx.store.users.findById(id);
  if (user === null) throw new AppError("not_found", "User not found.");
  return toManagedUser(ctx.store, ctx, user);
}
