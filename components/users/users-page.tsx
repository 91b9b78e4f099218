"use client";

import { SearchIcon, UserPlusIcon, UsersIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { toast } from "sonner";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { type InitialUsers, usePendingLinks, userPath, usersFallback, useUsers } from "@/components/users/api";
import { setQueryParam } from "@/lib/client/query-params";
import { api } from "@/lib/client/api";
import type { ManagedUser } from "@/lib/contracts/console/user";
import { CallError } from "../forms/call-error";
import { useErrorText } from "../forms/error-text";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { SearchField } from "../ui/search-field";
import { PendingLinks } from "./pending-links";
import type { UserDialog } from "./user-dialogs";
import { UserList, UserListSkeleton } from "./user-list";
import type { UserAction, Viewer } from "./user-menu";

const UserDialogs = dynamic(() => import("./user-dialogs").then((one) => one.UserDialogs), { ssr: false });

/** Shows the search field only where there is something to search. */
const SEARCH_FROM = 6;

interface UsersPageProps {
  viewer: Viewer;
  hidesBudgets: boolean;
}

/** Who may sign in, and links that let more people. */
export function UsersPage({ first, ...props }: UsersPageProps & { first: InitialUsers }) {
  return (
    <SWRConfig value={{ fallback: usersFallback(first) }}>
      <Content {...props} />
    </SWRConfig>
  );
}

function Content({ viewer, hidesBudgets }: UsersPageProps) {
  const t = useTranslations("users");
  const tell = useErrorText();
  const address = useSearchParams();
  const q = address.get("q") ?? "";
  const [chosen, setDialog] = useState<UserDialog | null>(null);
  const dialog = address.get("invite") === "1" && !chosen ? ({ kind: "invite" } as const) : chosen;
  const { users, hasMore, loadMore, isLoadingMore, error, reload } = useUsers(q);
  const { links = [], reload: reloadLinks } = usePendingLinks();
  const reloadAll = () => Promise.all([reload(), reloadLinks()]);

  const atOnce = async (call: () => Promise<unknown>, said: string) => {
    try {
      await call();
      toast.success(said);
    } catch (failure) {
      toast.error(tell(failure).message);
    }
    await reloadAll();
  };
  const act = (action: UserAction, user: ManagedUser) => {
    const name = user.username;
    if (action === "enable") {
      const change = { enabled: true, version: user.version };
      return void atOnce(() => api.patch(userPath(user.id), change), t("toast.enabled", { name }));
    }
    if (action === "unlock")
      return void atOnce(() => api.post(`${userPath(user.id)}/unlock`), t("toast.unlocked", { name }));
    setDialog({ kind: action, user });
  };

  const inviteButton = (
    <Button onClick={() => setQueryParam("invite", "1")}>
      <UserPlusIcon aria-hidden="true" />
      {t("invite")}
    </Button>
  );
  const isAlone = users?.length === 1 && q === "" && !hasMore;
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
            {inviteButton}
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
      {error && !users ? (
        <CallError error={error} onRetry={() => void reload()} />
      ) : !users ? (
        <UserListSkeleton />
      ) : users.length > 0 ? (
        <div className="grid gap-4">
          <UserList users={users} viewer={viewer} onAction={act} />
          {hasMore ? (
            <Button
              variant="outline"
              className="mx-auto"
              isBusy={isLoadingMore}
              onClick={() => void loadMore()}
            >
              {t("more")}
            </Button>
          ) : null}
          {isAlone ? (
            <EmptyState icon={<UsersIcon />} title={t("empty.title")}>
              {t("empty.text")}
            </EmptyState>
          ) : null}
        </div>
      ) : (
        <EmptyState
          icon={<SearchIcon />}
          title={t("noMatch.title", { q })}
          action={
            <Button variant="outline" onClick={() => setQueryParam("q", null)}>
              {t("noMatch.clear")}
            </Button>
          }
        >
          {t("noMatch.text")}
        </EmptyState>
      )}
      <PendingLinks links={links} viewer={viewer} onRevoke={(link) => setDialog({ kind: "revoke", link })} />
      {dialog ? (
        <UserDialogs
          dialog={dialog}
          viewer={viewer}
          hidesBudgets={hidesBudgets}
          onChanged={() => void reloadAll()}
          onDialog={(next) => {
            setDialog(next);
            setQueryParam("invite", null);
          }}
        />
      ) : null}
    </div>
  );
}
