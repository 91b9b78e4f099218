import { pagedListKey, usePagedList } from "../../lib/client/paged-list";
import type { Invite } from "../../lib/contracts/console/invites";
import type { ManagedUser } from "../../lib/contracts/console/user";
import type { ListPage } from "../../lib/contracts/paging";

const INVITES = "/api/invites";

/** The users, newest first. `q` searches names and e-mail addresses. */
export const useUsers = (q: string) => usePagedList<ManagedUser>(usersPath(q));

const usersPath = (q: string) =>
  q.trim().length >= 2 ? `/api/users?q=${encodeURIComponent(q.trim())}` : "/api/users";

/** The page's initial data, read by the server for the search in the page's URL. */
export interface InitialUsers {
  q: string;
  /** Null if the search is invalid. */
  users: ListPage<ManagedUser> | null;
  links: ListPage<Invite>;
}

/** SWR's `fallback` for `useUsers` and `usePendingLinks`. */
export function usersFallback({ q, users, links }: InitialUsers): Record<string, unknown> {
  return {
    ...(users === null ? {} : { [pagedListKey(usersPath(q))]: [users] }),
    [pagedListKey(INVITES)]: [links],
  };
}

/** One-time links (invites and password resets) that were not used yet. */
export const usePendingLinks = () => usePagedList<Invite>(INVITES);

/** The URL of a one-time link. The token is in the fragment, which is never sent to a server or logged. */
export function oneTimeLinkUrl(kind: Invite["kind"], token: string): string {
  return `${window.location.origin}/${kind === "invite" ? "invite" : "reset"}#token=${token}`;
}

export const userPath = (id: string) => `/api/users/${encodeURIComponent(id)}`;
