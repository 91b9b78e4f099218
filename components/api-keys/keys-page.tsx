"use client";

import { KeyRoundIcon, PlusIcon, SearchIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { toast } from "sonner";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { setQueryParam } from "@/lib/client/query-params";
import { api } from "@/lib/client/api";
import { type InitialApiKeys, apiKeysFallback, useApiKeys } from "@/lib/client/api-keys";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import { CallError } from "../forms/call-error";
import { useErrorText } from "../forms/error-text";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";
import { SearchField } from "../ui/search-field";
import type { KeyDialog } from "./key-dialogs";
import { KeyList, KeyListSkeleton, type Viewer } from "./key-list";
import type { KeyAction } from "./key-menu";
import { type OwnLimits, OwnLimitsNotice } from "./own-limits-notice";
import { OwnerFilter } from "./owner-filter";

const KeyDialogs = dynamic(() => import("./key-dialogs").then((one) => one.KeyDialogs), { ssr: false });

/** Shows the search field only where there is something to search. */
const SEARCH_FROM = 6;

interface KeysPageProps {
  viewer: Viewer;
  /** The visitor sees other people's keys too, and there are other people. */
  hasOthers: boolean;
  hidesBudgets: boolean;
  /** What an administrator allows all keys of the visitor together. */
  ownLimits: OwnLimits;
  /** Every name and alias that a key may be limited to. */
  modelNames: readonly string[];
}

/** The keys one may see. */
export function KeysPage({ first, ...props }: KeysPageProps & { first: InitialApiKeys }) {
  return (
    <SWRConfig value={{ fallback: apiKeysFallback(first) }}>
      <Content {...props} />
    </SWRConfig>
  );
}

function Content({ viewer, hasOthers, hidesBudgets, ownLimits, modelNames }: KeysPageProps) {
  const t = useTranslations("apiKeys");
  const tell = useErrorText();
  const address = useSearchParams();
  const q = address.get("q") ?? "";
  const owner = address.get("owner");
  const [dialog, setDialog] = useState<KeyDialog | null>(null);
  const { keys, hasMore, loadMore, isLoadingMore, error, reload } = useApiKeys(
    q,
    viewer.role === "member" ? null : owner,
  );
  const shown = address.get("create") === "1" && !dialog ? ({ kind: "create" } as const) : dialog;

  const act = (action: KeyAction, key: ApiKey) => {
    if (action === "enable") void enable(key);
    else setDialog({ kind: action, key });
  };
  const enable = async (key: ApiKey) => {
    try {
      await api.patch(`/api/keys/${key.id}`, { enabled: true, version: key.version });
      toast.success(t("enabled", { name: key.name }));
    } catch (failure) {
      toast.error(tell(failure).message);
    }
    await reload();
  };

  const createButton = (
    <Button onClick={() => setQueryParam("create", "1")}>
      <PlusIcon aria-hidden="true" />
      {t("create")}
    </Button>
  );
  return (
    <div className="mx-auto max-w-page">
      <PageHeader
        title={t("title")}
        description={t("lead")}
        action={keys?.length || q || owner ? createButton : null}
      />
      <OwnLimitsNotice limits={ownLimits} />
      <div className="flex flex-wrap gap-3 not-empty:mb-4">
        {q !== "" || (keys && keys.length >= SEARCH_FROM) ? (
          <SearchField
            className="grow sm:grow-0 sm:basis-64"
            label={t("search")}
            value={q}
            onValueChange={(text) => setQueryParam("q", text)}
          />
        ) : null}
        {hasOthers ? <OwnerFilter viewerId={viewer.id} owner={owner} /> : null}
      </div>
      {error && !keys ? (
        <CallError error={error} onRetry={() => void reload()} />
      ) : !keys ? (
        <KeyListSkeleton />
      ) : keys.length > 0 ? (
        <div className="grid gap-4">
          <KeyList keys={keys} viewer={viewer} showsOwners={hasOthers && owner !== "me"} onAction={act} />
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
        </div>
      ) : q !== "" ? (
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
      ) : owner !== null && owner !== "me" ? (
        <EmptyState
          icon={<KeyRoundIcon />}
          title={t("emptyOwner.title")}
          action={
            <Button variant="outline" onClick={() => setQueryParam("owner", null)}>
              {t("emptyOwner.clear")}
            </Button>
          }
        >
          {t("emptyOwner.text")}
        </EmptyState>
      ) : (
        <EmptyState icon={<KeyRoundIcon />} title={t("empty.title")} action={createButton}>
          {t("empty.text")}
        </EmptyState>
      )}
      {shown ? (
        <KeyDialogs
          dialog={shown}
          viewerRole={viewer.role}
          hidesBudgets={hidesBudgets}
          modelNames={modelNames}
          onChanged={() => void reload()}
          onDialog={(next) => {
            setDialog(next);
            setQueryParam("create", null);
          }}
        />
      ) : null}
    </div>
  );
}
