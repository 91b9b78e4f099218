"use client";

import { UserPlusIcon, UsersIcon } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { searchText, setQueryParam } from "@/lib/client/query-params";
import { cachedPages, useApiPages } from "@/lib/client/use-api-pages";
import { useLinkedDialog } from "@/lib/client/use-linked-dialog";
import type { Invite, InviteWithToken } from "@/lib/contracts/console/invites";
import type { ManagedUser, Viewer } from "@/lib/contracts/console/user";
import type { ListPage } from "@/lib/contracts/paging";
import { useItemChange } from "../forms/use-action";
import { useSecretQueue } from "../forms/use-secret-queue";
import { ListBody, NoSearchResults } from "../shell/list-body";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { lazyPart } from "../ui/lazy-part";
import { SearchField } from "../ui/search-field";
import { PendingLinks } from "./pending-links";
import type { UserDialog } from "./user-dialogs";
import { UserList } from "./user-list";
import type { UserAction } from "./user-menu";

const UserDialogs = lazyPart(() => import("./user-dialogs").then((one) => one.UserDialogs));

const INVITE: UserDialog = { kind: "invite" };

/** Number of users from which the search field is shown. */
const SEARCH_FROM = 6;

interface UsersPageProps {
  viewer: Viewer;
  hidesBudgets: boolean;
}

/** The page's initial data, read by the server for the search in the page's URL. */
interface InitialUsers {
  q: string;
  /** Null if the search is invalid. */
  users: ListPage<ManagedUser> | null;
  links: ListPage<Invite>;
}

const inputOf = (q: string) => ({ query: { q: searchText(q) } });

/** The users, and the one-time links that were not used yet. */
export function UsersPage({ initial, ...props }: UsersPageProps & { initial: InitialUsers }) {
  const { q, users, links } = initial;
  const fallback = {
    ...(users ? cachedPages(api.listUsers, inputOf(q), users) : {}),
    ...cachedPages(api.listInvites, {}, links),
  };
  return (
    <SWRConfig value={{ fallback }}>
      <Content {...props} />
    </SWRConfig>
  );
}

function Content({ viewer, hidesBudgets }: UsersPageProps) {
  const t = useTranslations("users");
  const params = useSearchParams();
  const q = params.get("q") ?? "";
  const [dialog, setDialog] = useLinkedDialog("invite", INVITE);
  const { secret: link, addSecret: addLink, closeSecret: closeLink } = useSecretQueue<InviteWithToken>();
  const list = useApiPages(api.listUsers, inputOf(q));
  const pendingLinks = useApiPages(api.listInvites);
  const reloadAll = () => Promise.all([list.reload(), pendingLinks.reload()]);
  const act = useUserActions(reloadAll, setDialog);
  const users = list.items;
  const isOnlyUser = users?.length === 1 && q === "" && !list.hasMore;
  return (
    <div className="mx-auto max-w-page">
      <PageHeader
        title={t("title")}
        description={t("lead")}
        action={
          <span className="flex flex-wrap gap-2">
            <Button variant="outline" onClick={() => setDialog({ kind: "create" })}>
              {t("create")}
            </Button>
            <Button onClick={() => setDialog(INVITE)}>
              <UserPlusIcon aria-hidden="true" />
              {t("invite")}
            </Button>
          </span>
        }
      />
      {q !== "" || (users && users.length >= SEARCH_FROM) ? (
        <SearchField
          className="mb-4"
          label={t("search")}
          value={q}
          onValueChange={(text) => setQueryParam("q", text)}
        />
      ) : null}
      <ListBody
        list={list}
        isFiltered={searchText(q) !== null}
        empty={
          <NoSearchResults
            title={t("noMatch.title", { q })}
            text={t("noMatch.text")}
            onClear={() => setQueryParam("q", null)}
          />
        }
      >
        {(items) => (
          <>
            <UserList users={items} viewer={viewer} onAction={act} />
            {isOnlyUser ? (
              <EmptyState icon={<UsersIcon />} title={t("empty.title")}>
                {t("empty.text")}
              </EmptyState>
            ) : null}
          </>
        )}
      </ListBody>
      <PendingLinks
        list={pendingLinks}
        viewer={viewer}
        onRevoke={(link) => setDialog({ kind: "revoke", link })}
      />
      {dialog || link ? (
        <UserDialogs
          dialog={dialog}
          link={link}
          viewer={viewer}
          hidesBudgets={hidesBudgets}
          onChanged={() => void reloadAll()}
          onLink={addLink}
          onLinkClose={closeLink}
          onDialog={setDialog}
        />
      ) : null}
    </div>
  );
}

/** Enables or unlocks a user at once; every other action opens a dialog. */
function useUserActions(reloadAll: () => Promise<unknown>, openDialog: (dialog: UserDialog) => void) {
  const t = useTranslations("users");
  const named = useTranslations("common.named");
  const save = useItemChange(reloadAll);
  return (action: UserAction, user: ManagedUser) => {
    const { username: name, version } = user;
    const params = { id: user.id };
    if (action === "enable")
      void save(
        callApi(api.updateUser, { params, body: { enabled: true, version } }),
        named("enabled", { name }),
      );
    else if (action === "unlock")
      void save(callApi(api.unlockUser, { params }), t("toast.unlocked", { name }));
    else openDialog({ kind: action, user });
  };
}
