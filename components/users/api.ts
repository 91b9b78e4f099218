import { pagedListKey, usePagedList } from "../../lib/client/paged-list";
import type { Invite } from "../../lib/contracts/console/invites";
import type { ManagedUser } from "../../lib/contracts/console/user";
import type { ListPage } from "../../lib/contracts/paging";

const INVITES = "/api/invites";

/** The users, newest first, page after page; `q` searches names and addresses. */
export function useUsers(q: string) {
  const { items, ...rest } = usePagedList<ManagedUser>(usersPath(q));
  return { users: items, ...rest };
}

const usersPath = (q: string) =>
  q.trim().length >= 2 ? `/api/users?q=${encodeURIComponent(q.trim())}` : "/api/users";

/** What the page of users shows at once, read by the server, and what its address searched for. */
export interface InitialUsers {
  q: string;
  /** Null: the address asks for what no list takes. */
  users: ListPage<ManagedUser> | null;
  links: ListPage<Invite>;
}

/** The same under the paths that the hooks here ask for: a `fallback` of SWR. */
export function usersFallback({ q, users, links }: InitialUsers): Record<string, unknown> {
  return {
    ...(users === null ? {} : { [pagedListKey(usersPath(q))]: [users] }),
    [pagedListKey(INVITES)]: [links],
  };
}

/** One-time links that wait to be used. */
export function usePendingLinks() {
  const { items, ...rest } = usePagedList<Invite>(INVITES);
  return { links: items, ...rest };
}

/** The address of a one-time link; its token stands in the fragment, which reaches no server and no log. */
export function oneTimeLinkUrl(kind: Invite["kind"], token: string): string {
  return `${window.location.origin}/${kind === "invite" ? "invite" : "reset"}#token=${token}`;
}

export const userPath = (id: string) => `/api/users/${encodeURIComponent(id)}`;
