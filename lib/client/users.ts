import type { Invite } from "../contracts/invites";
import type { ManagedUser } from "../contracts/user";
import { usePagedList } from "./paged-list";

/** The users, newest first, page after page; `q` searches names and addresses. */
export function useUsers(q: string) {
  const search = q.trim().length >= 2 ? `?q=${encodeURIComponent(q.trim())}` : "";
  const { items, ...rest } = usePagedList<ManagedUser>(`/api/users${search}`);
  return { users: items, ...rest };
}

/** One-time links that wait to be used. */
export function useOpenLinks() {
  const { items, ...rest } = usePagedList<Invite>("/api/invites");
  return { links: items, ...rest };
}

/** The address of a one-time link; its token stands in the fragment, which reaches no server and no log. */
export function linkAddress(kind: Invite["kind"], token: string): string {
  return `${window.location.origin}/${kind === "invite" ? "invite" : "reset"}#token=${token}`;
}

export const userPath = (id: string) => `/api/users/${encodeURIComponent(id)}`;
